import type { Health, ResourceStatus, Status } from '../../model/run.js';
import { instantText } from '../../model/words.js';
import { cut, pad, widest, widthOf } from '../columns.js';
import { escapeControls } from '../escape.js';
import { countsText, healthCounts, healthLabels, lastRunText, syncLabels } from '../labels.js';
import {
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

/** A row for each resource, the worst first, with the reason under it. */
export function statusText(status: Status, options: TextOptions): string {
  const layout = textLayout(options);
  const { resources, since } = status;
  const period = `Since ${instantText(since)}: ${healthCounts(resources) || 'nothing is declared that can run'}.`;
  const rows = resources.length === 0 ? [] : rowLines(resources, layout);
  return joinBlocks([headerLines(status, layout), rows, wrap(period, layout.width)]);
}

const styles: Readonly<Record<Health, Style>> = {
  failing: 'removed',
  missed: 'removed',
  quiet: 'changed',
  running: 'kept',
  held: 'changed',
  paused: 'faint',
  'never-run': 'faint',
  healthy: 'added',
  unknown: 'warning',
};

const columns: readonly Column<ResourceStatus>[] = [
  { title: 'health', text: ({ health }) => healthLabels[health] },
  { title: 'address', text: ({ address }) => escapeControls(address) },
  { title: 'sync', text: ({ sync }) => syncLabels[sync] },
  { title: 'last run', text: ({ lastRun, isRunning }) => escapeControls(lastRunText(lastRun, isRunning)) },
  { title: 'ok/failed/missed', text: countsText },
  {
    title: 'next start',
    text: ({ nextRun }) => (nextRun === null ? '-' : escapeControls(instantText(nextRun))),
  },
];

function rowLines(resources: readonly ResourceStatus[], layout: TextLayout): string[] {
  const [titles = '', ...lines] = table(columns, resources);
  if ([titles, ...lines].some((line) => widthOf(line) > layout.width)) return narrowLines(resources, layout);
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

/** Where the table does not fit: two lines for each resource. */
function narrowLines(resources: readonly ResourceStatus[], layout: TextLayout): string[] {
  const columnsOfLabel = widest(resources.map(({ health }) => healthLabels[health]));
  return resources.flatMap((each) => {
    const { health, address, sync, lastRun, isRunning, nextRun } = each;
    const label = layout.paint(styles[health], pad(healthLabels[health], columnsOfLabel));
    const state = sync === 'in-sync' ? '' : ` (${syncLabels[sync]})`;
    const next = nextRun === null ? [] : [`next ${instantText(nextRun)}`];
    const last = lastRun === null && !isRunning ? [] : [lastRunText(lastRun, isRunning)];
    const facts = [...last, ...countsOf(each), ...next].join('; ');
    return [
      `${label}  ${escapeControls(address)}${state}`,
      ...indent(wrap(escapeControls(facts), layout.width - 2), 2),
      ...reasonLines(each, layout),
    ];
  });
}

/** Without those that are zero. The reason for `missed` says how many. */
function countsOf({ health, counts }: ResourceStatus): readonly string[] {
  const { succeeded, failed } = counts;
  const missed = health === 'missed' ? 0 : counts.missed;
  const found = Object.entries({ ok: succeeded, failed, missed }).filter(([, each]) => each !== 0);
  return found.length === 0 ? [] : [found.map(([name, each]) => `${each ?? '?'} ${name}`).join(', ')];
}

function reasonLines({ reason, failedRun }: ResourceStatus, { width }: TextLayout): string[] {
  const why = reason === '' ? [] : [cut(escapeControls(reason), width - 4)];
  // A line of its own, so that it can be copied.
  const details = failedRun === null ? [] : [`roster runs show ${escapeControls(failedRun)}`];
  return indent([...why, ...details], 4);
}
