import change from './page/change.js?raw';
import dom from './page/dom.js?raw';
import filters from './page/filters.js?raw';
import graph from './page/graph.js?raw';
import list from './page/list.js?raw';
import main from './page/main.js?raw';

/** Each after those that it imports. */
const modules = [dom, filters, list, change, graph, main];

/** The script of the page as one module: a page without requests cannot import, so its files share one scope. */
export function planScript(): string {
  return modules.map(inOneScope).join('\n');
}

function inOneScope(text: string): string {
  return text.replace(/^import [^;]*;\n/gm, '').replace(/^export /gm, '');
}
