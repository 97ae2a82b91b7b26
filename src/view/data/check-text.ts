import type { CheckedDataset, DataCheck } from '../../model/data.js';
import { type AgentJudgement, judgementText } from '../../model/run.js';
import { instantText } from '../../model/words.js';
import { cut } from '../columns.js';
import { escapeControls } from '../escape.js';
import { ownerCell } from '../markdown/change-markdown.js';
import { markdownMarker, markdownTable, shortProse, tableCode } from '../markdown/markdown-escape.js';
import { budgetBelow, type MarkdownOptions, type PageItem, projectMarkdown } from '../markdown/page-parts.js';
import { groupedByOwner, ownedText } from '../owned.js';
import {
  indent,
  joinBlocks,
  type Style,
  type TextLayout,
  type TextOptions,
  textLayout,
  wrap,
} from '../text/layout.js';
import { checkSummary, commandFor, openJudgements } from './check-words.js';

const styles: Readonly<Record<CheckedDataset['verdict'], Style>> = {
  unmet: 'removed',
  unknown: 'warning',
  met: 'added',
};

/** What is unmet, with what was expected and what came, and then what is unknown. `-v` also lists what is met. */
export function checkText(check: DataCheck, options: TextOptions): string {
  const layout = textLayout(options);
  const shown = check.datasets.filter(({ verdict }) => layout.verbose || verdict !== 'met');
  const groups = groupedByOwner(shown);
  const blocks =
    groups?.flatMap((group) => {
      const [first = [], ...others] = group.items.map((each) => datasetLines(each, layout));
      const title = wrap(escapeControls(ownedText(group)), layout.width);
      return [[...title.map((line) => layout.paint('strong', line)), ...first], ...others];
    }) ?? shown.map((each) => datasetLines(each, layout));
  return joinBlocks([...blocks, wrap(checkSummary(check), layout.width)]);
}

function datasetLines(dataset: CheckedDataset, layout: TextLayout): string[] {
  const { address, agent, at, verdict, expectations, changed } = dataset;
  const time = at === null ? '' : `, ${instantText(at)}`;
  const head = `${layout.paint(styles[verdict], verdict)}  ${escapeControls(`${agent} of ${address}${time}`)}`;
  const judged = layout.verbose ? expectations : openJudgements(dataset);
  const commands = judged.map((each) => commandFor(dataset, each));
  const lines = judged.flatMap((each, index) => {
    const level = each.level === 'warning' && each.verdict === 'unmet' ? ' (warning)' : '';
    const said = wrap(
      escapeControls(`${each.property}${level}: ${each.message}${originText(each)}`),
      layout.width - 4,
    );
    const command = commands[index] ?? null;
    // A line of its own, so that it can be copied; what one command shows is said before it.
    if (command === commands[index + 1]) return said;
    return [...said, ...(command === null ? [] : [`  ${escapeControls(command)}`])];
  });
  const news = verdict === 'unmet' ? changed.map((each) => escapeControls(each)) : [];
  return [head, ...indent([...lines, ...news], 4)];
}

/** ` (teams/shops.yaml:7, from group/shops)`: where to change what is expected. */
function originText({ verdict, place, from }: AgentJudgement): string {
  if (verdict === 'met' || place === null) return '';
  const target = from === null ? '' : `, from ${from}`;
  return ` (${place.file}:${place.line}${target})`;
}

const TITLES = ['Verdict', 'Entry', 'Agent', 'Ended', 'What is not met', 'Shown by'];
const WIDEST_CELL_COLUMNS = 300;
/** For the line that counts what is left out. */
const RESERVED_SIZE = 500;

/** The same as a table for a comment or an issue. Never over the limit. */
export function checkMarkdown(check: DataCheck, options: MarkdownOptions = {}): string {
  const top = [
    markdownMarker('data', check.project, check.environment),
    `**Data: ${checkSummary(check)}**`,
    '',
    projectMarkdown(check),
    '',
  ];
  const shown = check.datasets.filter(({ verdict }) => verdict !== 'met');
  const groups = groupedByOwner(shown);
  const isOwned = groups !== null;
  const ordered = groups?.flatMap(({ items }) => items) ?? shown;
  const head = shown.length === 0 ? [] : markdownTable(isOwned ? ['Owner', ...TITLES] : TITLES, []);
  const rows = budgetBelow([...top, ...head].join('\n'), RESERVED_SIZE, options).fill(ordered, (each) =>
    rowItem(each, isOwned),
  );
  const left = shown.length - rows.texts.length;
  const more = left === 0 ? [] : ['', `${left} more not shown: \`roster data check\` lists all of them.`];
  return [...top, ...head, ...rows.texts, ...more, ''].join('\n');
}

function rowItem(dataset: CheckedDataset, isOwned: boolean): PageItem {
  const { verdict, address, agent, at, changed } = dataset;
  const open = openJudgements(dataset);
  const said = open.map(judgementText);
  const commands = new Set(open.flatMap((each) => commandFor(dataset, each) ?? []));
  const isError = open.some(({ verdict: own, level }) => own === 'unmet' && level === 'error');
  const cells = [
    ...(isOwned ? [ownerCell(dataset)] : []),
    verdict === 'unmet' ? (isError ? '**unmet**' : 'unmet (warning)') : verdict,
    tableCode(cut(address, WIDEST_CELL_COLUMNS)),
    tableCode(cut(agent, WIDEST_CELL_COLUMNS)),
    at === null ? '' : tableCode(instantText(at)),
    shortProse([...said, ...changed].join('; '), WIDEST_CELL_COLUMNS).replaceAll('|', '&#124;'),
    [...commands].map((each) => tableCode(cut(each, WIDEST_CELL_COLUMNS))).join('<br>'),
  ];
  const short = `| ${cells.join(' | ')} |`;
  return { short, full: () => ({ text: short, shortened: 0 }), shortened: 0 };
}
