import changeBody from './page/change-body.js?raw';
import changeRow from './page/change-row.js?raw';
import chunkedList from './page/chunked-list.js?raw';
import dom from './page/dom.js?raw';
import fieldBody from './page/field-body.js?raw';
import filter from './page/filter.js?raw';
import graphLayout from './page/graph-layout.js?raw';
import graphPanel from './page/graph-panel.js?raw';
import listKeys from './page/list-keys.js?raw';
import main from './page/main.js?raw';
import pageState from './page/page-state.js?raw';
import tabs from './page/tabs.js?raw';
import toolbar from './page/toolbar.js?raw';

/** Each after those that it imports. */
const modules = [
  dom,
  pageState,
  filter,
  chunkedList,
  fieldBody,
  changeBody,
  changeRow,
  listKeys,
  graphLayout,
  graphPanel,
  toolbar,
  tabs,
  main,
];

/** The script of the page as one module: a page without requests cannot import, so its files share one scope. */
export function planScript(): string {
  return modules.map(inOneScope).join('\n');
}

function inOneScope(text: string): string {
  return text.replace(/^import [^;]*;\n/gm, '').replace(/^export /gm, '');
}
