import type { CheckedData, CheckedDataset, DataCheck } from '../../model/data.js';
import { agree, andMore, environmentFlag, instantText, wordList } from '../../model/words.js';
import { cut } from '../columns.js';
import { escapeControls } from '../escape.js';
import { ownerCell } from '../markdown/change-markdown.js';
import {
  markdownCode,
  markdownMarker,
  markdownProse,
  markdownTable,
  tableCode,
} from '../markdown/markdown-escape.js';
import {
  budgetBelow,
  type MarkdownOptions,
  type PageItem,
  placeMarkdown,
  projectMarkdown,
} from '../markdown/page-parts.js';
import { groupedByOwner, ownedText } from '../owned.js';
import type { PlaceUrl } from '../plan-words.js';
import {
  indent,
  joinBlocks,
  type Style,
  type TextLayout,
  type TextOptions,
  textLayout,
  wrap,
} from '../text/layout.js';
import { checkSummary, isWarning, type OpenFinding, openFindings, originText } from './check-words.js';

const styles: Readonly<Record<CheckedDataset['verdict'], Style>> = {
  unmet: 'removed',
  unknown: 'warning',
  met: 'added',
};

/** What is unmet, with what was expected and what came, and then what is unknown. `-v` also lists what is met. */
export function checkText(check: DataCheck, options: TextOptions): string {
  const layout = { ...textLayout(options), environment: check.environment };
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

interface CheckLayout extends TextLayout {
  readonly environment: CheckedData['environment'];
}

function datasetLines(dataset: CheckedDataset, layout: CheckLayout): string[] {
  const { address, agent, verdict, changed } = dataset;
  const { time, starter } = runTexts(dataset);
  const label = isWarning(dataset)
    ? layout.paint('warning', 'warning')
    : layout.paint(styles[verdict], verdict);
  const head = `${label}  ${escapeControls([`${agent} of ${address}`, ...time, ...starter].join(', '))}`;
  const open = openFindings(dataset, layout.environment);
  const lines = open.flatMap((each, index) => {
    const said = wrap(escapeControls(findingLine(each)), layout.width - 4);
    // A line of its own, so that it can be copied; what one command shows is said before it.
    if (each.command === null || each.command === open[index + 1]?.command) return said;
    return [...said, `  ${escapeControls(each.command)}`];
  });
  const met = layout.verbose ? dataset.expectations.filter((each) => each.verdict === 'met') : [];
  const fine = met.flatMap(({ property, message }) =>
    wrap(escapeControls(`${property}: ${message}`), layout.width - 4),
  );
  const news = verdict === 'unmet' ? changed.map((each) => escapeControls(each)) : [];
  return [head, ...indent([...lines, ...fine, ...news], 4)];
}

const starters = { hand: 'started by hand', others: 'started by a schedule outside this project' } as const;

/** When the run ended, and who started it unless a schedule of the project did. */
function runTexts({ at, startedBy = 'project' }: CheckedDataset): { time: string[]; starter: string[] } {
  return {
    time: at === null ? [] : [instantText(at)],
    starter: startedBy === 'project' ? [] : [starters[startedBy]],
  };
}

/** `records.min: expected at least 800 records, got 12: 788 too few (teams/shops.yaml:7, from group/shops)` */
function findingLine(finding: OpenFinding): string {
  const origin = originText(finding);
  return `${wordList(finding.properties, 'and')}: ${finding.message}${origin === '' ? '' : ` (${origin})`}`;
}

const TITLES = ['Verdict', 'Entry', 'Agent', 'Ended', 'What is not met', 'Shown by'];
const WIDEST_CELL_COLUMNS = 300;
/** For the line that counts what is left out. */
const RESERVED_SIZE = 500;

/** The same as a table for a comment or an issue. Never over the limit. */
export function checkMarkdown(check: DataCheck, options: MarkdownOptions = {}): string {
  const { urlOf = () => null } = options;
  const top = [
    markdownMarker('data', check.project, check.environment),
    `**Data: ${checkSummary(check)}**`,
    '',
    projectMarkdown(check),
    '',
  ];
  // Worst first: if rows do not fit, unmet ones are kept rather than unknown ones.
  const open = check.datasets.filter(({ verdict }) => verdict !== 'met');
  const groups = groupedByOwner(open);
  const isOwned = groups !== null;
  const { environment } = check;
  const head = open.length === 0 ? [] : markdownTable(isOwned ? ['Owner', ...TITLES] : TITLES, []);
  const filled = budgetBelow([...top, ...head].join('\n'), RESERVED_SIZE, options).fill(open, (each) =>
    rowItem(each, { environment, isOwned, urlOf }),
  );
  const rows = new Map(filled.texts.map((text, index) => [open[index], text]));
  const ordered = groups?.flatMap(({ items }) => items) ?? open;
  const shown = ordered.flatMap((each) => rows.get(each) ?? []);
  return [...top, ...head, ...shown, ...leftOut(open.slice(shown.length), check), ''].join('\n');
}

function leftOut(left: readonly CheckedDataset[], { environment }: DataCheck): readonly string[] {
  if (left.length === 0) return [];
  const unmet = left.filter(({ verdict }) => verdict === 'unmet').length;
  const which = unmet === 0 ? '' : ` (${unmet} unmet)`;
  const command = markdownCode(`roster data check${environmentFlag(environment)}`);
  return [
    '',
    `${left.length} more ${agree(left.length, 'run is', 'runs are')} not shown${which}. To list all of them, run ${command}.`,
  ];
}

interface RowContext {
  readonly environment: CheckedData['environment'];
  readonly isOwned: boolean;
  readonly urlOf: PlaceUrl;
}

/** In short: which property is not met first, how many more are not, and the command that shows them. In full: all of it. */
function rowItem(dataset: CheckedDataset, { environment, isOwned, urlOf }: RowContext): PageItem {
  const { verdict, address, agent, changed } = dataset;
  const { time, starter } = runTexts(dataset);
  const findings = openFindings(dataset, environment);
  const lines = findings.map((each) => findingCell(each, urlOf));
  const news = verdict === 'unmet' ? changed.map((each) => cellProse(each)) : [];
  const commands = [...new Set(findings.flatMap(({ command }) => command ?? []))].map(tableCode);
  const checkCommand = tableCode(`roster data check ${address}${environmentFlag(environment)}`);
  const row = (said: readonly string[], shownBy: readonly string[]) => {
    const cells = [
      ...(isOwned ? [ownerCell(dataset)] : []),
      verdictCell(dataset),
      tableCode(cut(address, WIDEST_CELL_COLUMNS)),
      tableCode(cut(agent, WIDEST_CELL_COLUMNS)),
      [...time.map(tableCode), ...starter].join(', '),
      said.join('<br>'),
      shownBy.join('<br>'),
    ];
    return `| ${cells.join(' | ')} |`;
  };
  const [first = ''] = findings.map(({ properties }) =>
    tableCode(cut(properties.join(', '), WIDEST_CELL_COLUMNS)),
  );
  const more = andMore(findings.length - 1);
  return {
    short: row([`${first}${more}`], [checkCommand]),
    full: () => ({ text: row([...lines, ...news], commands), shortened: 0 }),
    shortened: 1,
  };
}

function verdictCell(dataset: CheckedDataset): string {
  if (isWarning(dataset)) return 'warning';
  return dataset.verdict === 'unmet' ? '**unmet**' : dataset.verdict;
}

/** `expected at least 800 records, got 12: 788 too few (teams/shops.yaml:7)` */
function findingCell(finding: OpenFinding, urlOf: PlaceUrl): string {
  const { properties, isShared, message, places, from } = finding;
  const names = isShared ? `${wordList(properties.map(tableCode), 'and')}: ` : '';
  const [place] = places;
  const where = [
    ...(place === undefined ? [] : [placeMarkdown(place, urlOf)]),
    ...(from === null ? [] : [`from ${tableCode(from)}`]),
  ];
  return `${names}${cellProse(message)}${where.length === 0 ? '' : ` (${where.join(', ')})`}`;
}

/** In a cell, a bar would begin the next one. */
function cellProse(text: string): string {
  return markdownProse(text).replaceAll('|', '&#124;');
}
