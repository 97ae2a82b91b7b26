import type { Health, ResourceStatus, Status } from '../../model/run.js';
import { environmentFlag, instantText, wordList } from '../../model/words.js';
import { cut, pad, widest } from '../columns.js';
import { escapeControls } from '../escape.js';
import {
  countsText,
  dataCheckCommand,
  healthCounts,
  healthLabels,
  healthText,
  holdBeside,
  lastRunText,
  syncLabels,
} from '../labels.js';
import { groupedByOwner, type OwnedGroup, ownedText } from '../owned.js';
import {
  areTooWide,
  type Column,
  indent,
  joinBlocks,
  type Style,
  type TextLayout,
  type TextOptions,
  table,
  textLayout,
  wrap,
} from './layout.js';
import { headerLines } from './plan-text.js';

/** A row for each resource, the worst first, with the reason under it. What different people own is in tables of their own. */
export function statusText(status: Status, options: TextOptions): string {
  const layout = { ...textLayout(options), environment: status.environment };
  const { resources, since } = status;
  const period = `Since ${instantText(since)}: ${healthCounts(resources) || 'nothing is declared that can run'}.`;
  const groups = groupedByOwner(resources)?.map((each) => ownedLines(each, layout));
  const rows = groups ?? [resources.length === 0 ? [] : rowLines(resources, layout)];
  return joinBlocks([headerLines(status, layout), ...rows, wrap(period, layout.width)]);
}

/** With the environment, for commands that are copied. */
interface StatusLayout extends TextLayout {
  readonly environment: string | null;
}

function ownedLines(group: OwnedGroup<ResourceStatus>, layout: StatusLayout): string[] {
  const title = `${escapeControls(ownedText(group))}: ${healthCounts(group.items)}`;
  return [
    ...wrap(title, layout.width).map((line) => layout.paint('strong', line)),
    ...rowLines(group.items, layout),
  ];
}

const styles: Readonly<Record<Health, Style>> = {
  failing: 'removed',
  missed: 'removed',
  unmet: 'removed',
  quiet: 'changed',
  running: 'kept',
  held: 'changed',
  paused: 'faint',
  'never-run': 'faint',
  healthy: 'added',
  unknown: 'warning',
};

/** Texts of the service can be pages long. `-v` shows them whole. */
const LONGEST_REASON = 600;

const addressOf = ({ address }: ResourceStatus) => escapeControls(address);

/** Without a column for it, what is not in sync is said beside the address. */
const addressAndSync = (each: ResourceStatus) =>
  each.sync === 'in-sync' ? addressOf(each) : `${addressOf(each)} (${syncLabels[each.sync]})`;

const health: Column<ResourceStatus> = { title: 'health', text: healthText };
const address: Column<ResourceStatus> = { title: 'address', text: addressOf };
const addressWithSync: Column<ResourceStatus> = { title: 'address', text: addressAndSync };
const sync: Column<ResourceStatus> = { title: 'sync', text: (each) => syncLabels[each.sync] };
const lastRun: Column<ResourceStatus> = {
  title: 'last run',
  text: (each) => escapeControls(lastRunText(each.lastRun, each.isRunning)),
};
const counts: Column<ResourceStatus> = { title: 'ok/failed/missed', text: countsText };
const nextStart: Column<ResourceStatus> = {
  title: 'next start',
  text: ({ nextRun }) => (nextRun === null ? '-' : escapeControls(instantText(nextRun))),
};

/** From the widest to the narrowest. The health and its reason say how the last run ended, so its time goes first. */
const tables: readonly (readonly Column<ResourceStatus>[])[] = [
  [health, address, sync, lastRun, counts, nextStart],
  [health, addressWithSync, lastRun, counts, nextStart],
  [health, addressWithSync, counts, nextStart],
  [health, addressWithSync, nextStart],
];

/** A terminal gets the columns that fit; `-v` shows everything, on two lines for each resource where it does not fit. */
function rowLines(resources: readonly ResourceStatus[], layout: StatusLayout): string[] {
  const [whole = [], ...narrower] = tables;
  const all = table(whole, resources);
  if (!areTooWide(all, layout)) return tableLines(all, resources, layout);
  if (layout.verbose) return narrowLines(resources, layout);
  for (const columns of narrower) {
    const lines = table(columns, resources);
    if (areTooWide(lines, layout)) continue;
    const left = whole.filter(
      ({ title }) => title !== 'sync' && !columns.some((each) => each.title === title),
    );
    return [...tableLines(lines, resources, layout), ...leftOutLines(left, layout)];
  }
  return narrowLines(resources, layout);
}

function tableLines(
  [titles = '', ...lines]: readonly string[],
  resources: readonly ResourceStatus[],
  layout: StatusLayout,
): string[] {
  const rows = lines.flatMap((line, index) => {
    const each = resources[index];
    if (each === undefined) return [line];
    const label = healthLabels[each.health];
    return [
      `${layout.paint(styles[each.health], label)}${line.slice(label.length)}`,
      ...reasonLines(each, layout),
    ];
  });
  return [layout.paint('faint', titles), ...rows];
}

function leftOutLines(columns: readonly Column<ResourceStatus>[], { width, paint }: TextLayout): string[] {
  if (columns.length === 0) return [];
  const names = wordList(
    columns.map(({ title }) => title),
    'and',
  );
  const text = `Left out, because the terminal is too narrow: ${names}. \`-v\` shows everything.`;
  return ['', ...wrap(text, width).map((line) => paint('faint', line))];
}

/** Where the table does not fit: two lines for each resource. */
function narrowLines(resources: readonly ResourceStatus[], layout: StatusLayout): string[] {
  const columnsOfLabel = widest(resources.map(healthText));
  return resources.flatMap((each) => {
    const label = layout.paint(styles[each.health], pad(healthText(each), columnsOfLabel));
    const next = each.nextRun === null ? [] : [`next ${instantText(each.nextRun)}`];
    const last = each.lastRun === null && !each.isRunning ? [] : [lastRunText(each.lastRun, each.isRunning)];
    const facts = [...last, ...countsOf(each), ...next].join('; ');
    return [
      `${label}  ${addressAndSync(each)}`,
      ...indent(wrap(escapeControls(facts), layout.width - 2), 2),
      ...reasonLines(each, layout),
    ];
  });
}

/** Without those that are zero. The reason for `missed` says how many. */
function countsOf(each: ResourceStatus): readonly string[] {
  const { succeeded, failed } = each.counts;
  const missed = each.health === 'missed' ? 0 : each.counts.missed;
  const found = Object.entries({ ok: succeeded, failed, missed }).filter(([, number]) => number !== 0);
  return found.length === 0 ? [] : [found.map(([name, number]) => `${number ?? '?'} ${name}`).join(', ')];
}

function reasonLines(each: ResourceStatus, { width, verbose, environment }: StatusLayout): string[] {
  const { reason, failedRun } = each;
  const parts = [reason, holdBeside(each)].filter((part) => part !== '').map(escapeControls);
  const lines = parts.flatMap((part) => wrap(verbose ? part : cut(part, LONGEST_REASON), width - 4));
  const flag = environmentFlag(environment);
  // A line of its own, so that it can be copied.
  if (failedRun !== null) lines.push(`roster runs show ${escapeControls(failedRun)}${flag}`);
  const command = dataCheckCommand(each, environment);
  if (command !== null) lines.push(escapeControls(command));
  return indent(lines, 4);
}
