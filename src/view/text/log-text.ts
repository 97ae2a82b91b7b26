import type {
  DetailedChange,
  DetailedLog,
  Log,
  LogEntry,
  LoggedChange,
  RunOutcome,
} from '../../model/log.js';
import type { Action } from '../../model/plan.js';
import { count, instantText } from '../../model/words.js';
import { escapeControls } from '../escape.js';
import { fieldViews } from '../field-view.js';
import { actingActions, actionLabels } from '../labels.js';
import { fieldsText, nameAndId } from './change-text.js';
import {
  flow,
  folded,
  indent,
  joinBlocks,
  type Style,
  type TextLayout,
  type TextOptions,
  textLayout,
  wrap,
} from './layout.js';
import { factLines, projectLines } from './plan-text.js';

const outcomeStyles: Readonly<Record<RunOutcome, Style>> = {
  complete: 'added',
  incomplete: 'danger',
  interrupted: 'warning',
  running: 'changed',
  unfinished: 'danger',
};

/** The runs of a project, the newest first, two or more lines each. */
export function logText(log: Log, options: TextOptions): string {
  const layout = textLayout(options);
  const left = log.total - log.entries.length;
  const rest = left === 0 ? [] : [`${count(left, 'older entry', 'older entries')} not shown: use --limit.`];
  const none = log.total === 0 ? ['No applies are recorded yet.'] : [];
  return joinBlocks([
    headerLines(log, layout),
    ...log.entries.map((each) => [titleLine(each, layout), ...indent(entryLines(each, layout), 4)]),
    [...none, ...rest],
  ]);
}

/** One run with each change. */
export function logEntryText(log: DetailedLog, options: TextOptions): string {
  const layout = textLayout(options);
  const { entry, changes } = log;
  return joinBlocks([
    headerLines(log, layout),
    [titleLine(entry, layout), ...indent(entryLines(entry, layout, true), 4)],
    ...changes.map((each) => changeLines(each, layout)),
  ]);
}

function headerLines(log: Log | DetailedLog, layout: TextLayout): string[] {
  const { project, environment } = log;
  const inventory = { label: 'Inventory', value: log.inventory, isCode: true };
  return [...projectLines(project, environment, layout), ...factLines(inventory, layout)];
}

/** `#12  2026-11-20 09:12 UTC  apply complete: 2 created, 1 updated`. */
function titleLine(entry: LogEntry, { width, paint }: TextLayout): string {
  const { number, startedAt, endedAt, outcome, command } = entry;
  const time = startedAt ?? endedAt;
  const lead = `#${number}  ${time === null ? 'unknown time' : instantText(time)}  `;
  const about =
    outcome === null ? escapeControls(entry.title) : `${escapeControls(command ?? '')} ${outcome}`;
  const [first = '', ...rest] = folded(about, width - lead.length);
  const counts = outcome === null ? '' : `: ${summaryLine(entry)}`;
  const shown = outcome === null ? first : paint(outcomeStyles[outcome], first);
  return [`${paint('strong', lead.trimEnd())}  ${shown}${counts}`, ...indent(rest, lead.length)].join('\n');
}

function entryLines(entry: LogEntry, { width, paint }: TextLayout, isWhole = false): string[] {
  const { by, run, digest, commit, notes, outcome, command, commits, service, endedAt, reason } = entry;
  const short = (text: string, length: number) => (isWhole ? text : text.slice(0, length));
  const facts = [
    `by ${by.name === '' ? 'an unknown author' : by.name}${isWhole && by.email !== '' ? ` <${by.email}>` : ''}`,
    ...(outcome === null && command === null ? ['not a commit of roster'] : []),
    ...(isWhole && endedAt !== null ? [`ended ${instantText(endedAt)}`] : []),
    ...(digest === null ? [] : [`digest ${short(digest.replace(/^sha256:/, ''), 12)}`]),
    ...(commit === null ? [] : [`manifests ${isWhole ? commit : commit.replace(/^(\w{12})\w*/, '$1')}`]),
    `commit ${short(commits.at(-1) ?? '', 12)}`,
    ...(run === null ? [] : [run.startsWith('process ') ? run : `CI ${run}`]),
    ...(isWhole && service !== null ? [`service ${service}`] : []),
  ].flatMap((fact) => folded(escapeControls(fact), width - 4));
  const lines = isWhole
    ? facts
    : flow(
        facts.map((text) => ({ text })),
        width - 4,
        ', ',
      );
  const allowed = reason === undefined ? [] : [`allowed to break policies: ${reason}`];
  const remarks = [...allowed, ...notes.map((note) => `note: ${note}`)].flatMap((remark) =>
    wrap(escapeControls(remark), width - 4),
  );
  return [...lines.map((line) => paint('faint', line)), ...remarks.map((line) => paint('warning', line))];
}

/** `2 created, 1 failed`; before there is a result, what the run planned. */
function summaryLine({ changes, outcome, plan }: LogEntry): string {
  if (outcome === 'running' || outcome === 'unfinished')
    return escapeControls(plan ?? 'its plan is not known');
  const done = changes.filter((each) => each.outcome === 'done');
  const words = [
    ...actingActions,
    ...new Set(done.map(({ action }) => action).filter((each) => !isAction(each))),
  ];
  const parts = [
    ...words.map((action) => [done.filter((each) => each.action === action).length, pastOf(action)] as const),
    ...(['failed', 'skipped', 'unknown'] as const).map(
      (each) =>
        [
          changes.filter(({ outcome: ended }) => ended === each).length,
          each === 'skipped' ? 'not tried' : each,
        ] as const,
    ),
  ].filter(([number]) => number > 0);
  return parts.length === 0 ? 'no changes' : parts.map(([number, word]) => `${number} ${word}`).join(', ');
}

function pastOf(action: string): string {
  return isAction(action) ? actionLabels[action].past : escapeControls(action);
}

function changeLines(change: DetailedChange, layout: TextLayout): string[] {
  const { address, action } = change;
  const { width, paint } = layout;
  const known = isAction(action) ? action : 'update';
  const { style } = actionLabels[known];
  const title = [escapeControls(address), ...nameAndId(change.name, change.id)].flatMap((text) =>
    folded(text, width - 4),
  );
  const [first = '', ...rest] = flow(
    [{ text: doneText(change) }, ...title.map((text) => ({ text }))],
    width - 4,
    '  ',
  );
  const views = fieldViews({ ...change, action: known, origin: 'manifest' });
  return [
    `  ${paint(change.outcome === 'done' ? style : 'danger', first)}`,
    ...indent(rest, 4),
    ...indent(fieldsText(views, { ...layout, width: width - 6 }).lines, 6),
  ];
}

/** `+ created`, `failed to create`. */
function doneText({ action, outcome }: LoggedChange): string {
  const label = isAction(action) ? actionLabels[action] : null;
  if (outcome === 'done') return label === null ? escapeControls(action) : `${label.symbol} ${label.past}`;
  const verb = label?.verb ?? escapeControls(action);
  return outcome === 'failed' ? `failed to ${verb}` : `${outcome}: ${verb}`;
}

function isAction(text: string): text is Action {
  return Object.hasOwn(actionLabels, text);
}
