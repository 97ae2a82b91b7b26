import type { ItemResult } from '../../model/batch.js';
import {
  type AgentRunPart,
  type RetriedMember,
  type Run,
  type RunDataset,
  type RunsList,
  runKindNames,
  runName,
} from '../../model/run.js';
import { count, instantText } from '../../model/words.js';
import { pieces } from '../columns.js';
import { escapeControls } from '../escape.js';
import { runSeconds, runStateLabels, secondsText, withStageNames } from '../labels.js';
import {
  indent,
  joinBlocks,
  type RowCell,
  rowLines,
  type TextLayout,
  type TextOptions,
  textLayout,
} from './layout.js';
import { durationText, idText, recordsText, runRows, runStateStyles, stateCell } from './run-text.js';

/** `roster runs`: a line for each run, and its reason below. */
export function runsListText({ runs, isCut }: RunsList, options: TextOptions): string {
  if (runs.length === 0) return isCut ? `No runs among those that were read.\n${MORE}\n` : 'No runs.\n';
  const total = isCut ? `${count(runs.length, 'run')}. ${MORE}` : `${count(runs.length, 'run')}.`;
  return `${listLines(runs, textLayout(options)).join('\n')}\n\n${total}\n`;
}

const MORE = 'There are more: narrow them with an address, `--state` or `--since`, or use `--limit`.';

function listLines(runs: readonly Run[], layout: TextLayout): readonly string[] {
  const rows = rowLines(columns, runs, layout);
  return runs.flatMap((run, index) => [...(rows[index] ?? []), ...messageLines(run, layout.width)]);
}

const columns: readonly RowCell<Run>[] = [
  { text: ({ startedAt }) => (startedAt === null ? '-' : escapeControls(instantText(startedAt))) },
  { text: (run) => escapeControls(run.address ?? run.name ?? runName(run)) },
  stateCell,
  { text: (run) => durationText(run, true) },
  { text: recordsText },
  { text: idText },
];

function messageLines(run: Run, width: number): readonly string[] {
  if (run.message === null) return [];
  return indent(pieces(escapeControls(run.message), Math.max(20, width - 4)).slice(0, 1), 4);
}

/** `roster runs show`: what it is, its members, their reasons and datasets, and what can be done about it. */
export function runDetailsText(shown: Run, options: TextOptions): string {
  const run = withStageNames(shown);
  const { paint } = textLayout(options);
  const title = escapeControls(`${runKindNames[run.idKind]} ${run.id}`);
  const members = run.members.length === 0 ? [] : runRows(run.members, options);
  return joinBlocks([
    [
      `${title}  ${paint(runStateStyles[run.state], runStateLabels[run.state])}`,
      ...indent(factLines(run), 4),
    ],
    members,
    reasonLines(run),
    datasetLines(run.datasets ?? []),
    nextLines(run),
  ]);
}

function factLines(run: Run): readonly string[] {
  const seconds = runSeconds(run);
  const names = [run.address, run.name].flatMap((each) => each ?? []);
  const counts = [
    ...(run.records === null ? [] : [count(run.records, 'record')]),
    ...(run.errors === null ? [] : [count(run.errors, 'error')]),
  ];
  const anomalies = {
    none: [],
    slow: ['Slower than usual'],
    fast: ['Faster than usual, which can mean a quiet failure'],
  } as const;
  return [
    ...(names.length === 0 ? [] : [names.join(', ')]),
    ...(run.startedAt === null ? [] : [`Started ${instantText(run.startedAt)}${startedBy(run)}`]),
    ...(seconds === null ? [] : [`Took ${secondsText(seconds)}`]),
    ...(counts.length === 0 ? [] : [counts.join(', ')]),
    ...anomalies[run.anomaly],
    ...(run.partOf == null ? [] : [`Part of ${runKindNames[run.partOf.idKind]} ${run.partOf.id}`]),
  ].map(escapeControls);
}

function startedBy({ trigger, scheduleId, schedule }: Run): string {
  if (schedule != null) return ` by ${schedule}`;
  if (scheduleId != null) return ` by schedule ${scheduleId}`;
  return trigger == null ? '' : trigger === 'Manual' ? ' by hand' : ` (${trigger})`;
}

function reasonLines(run: Run): readonly string[] {
  const members = run.members.filter(({ message }) => message !== null);
  const own =
    run.message === null || members.some(({ message }) => message === run.message) ? [] : [run.message];
  const lines = [
    ...own,
    ...members.map((each) => `${runName(each)} ${runStateLabels[each.state]}: ${each.message}`),
  ];
  return lines.length === 0 ? [] : ['Reasons:', ...indent(lines.map(escapeControls), 4)];
}

function datasetLines(datasets: readonly RunDataset[]): readonly string[] {
  if (datasets.length === 0) return [];
  const lines = datasets.map(
    ({ address, jobId, datasetId, message }) =>
      `${address ?? `job ${jobId}`}: ${datasetId === null ? `none (${message})` : `dataset ${datasetId}`}`,
  );
  return ['Output:', ...indent(lines.map(escapeControls), 4)];
}

/** Only what can be done in this state. */
function nextLines(run: Run): readonly string[] {
  const { id, idKind, state } = run;
  const isOpen = state === 'running';
  const waiting = run.members.flatMap((each) => retryName(each, run) ?? []);
  const lines = [
    ...(isOpen && idKind !== 'run' ? [`roster wait ${id}`] : []),
    ...(isOpen ? [`roster runs stop ${id}`, `roster runs refresh ${id}`] : []),
    ...(waiting.length === 0 ? [] : [`roster runs retry ${id} ${waiting.join(' ')}`]),
    ...(hasFailed(run) ? [`roster runs ack ${id}`] : []),
  ];
  return lines.length === 0 ? [] : ['Next:', ...indent(lines.map(escapeControls), 4)];
}

/** The stages of a pipeline that are not reached start by themselves or not at all. */
function retryName({ state, address }: Run, { idKind }: Run): string | null {
  return idKind === 'groupRun' && state === 'notStarted' ? address : null;
}

function hasFailed({ state, members }: Run): boolean {
  return state === 'failed' || members.some((each) => each.state === 'failed');
}

function nameOf({ idKind, id, address }: Run): string {
  return escapeControls(`${runKindNames[idKind]} ${id}${address === null ? '' : ` (${address})`}`);
}

/** `roster runs stop`: a line for each run. */
export function stoppedRunsText(results: readonly ItemResult<Run>[], options: TextOptions): string {
  const { paint } = textLayout(options);
  const lines = results.map(({ item, result }) => {
    const { state } = item;
    const name = nameOf(item);
    const label = paint(runStateStyles[state], runStateLabels[state]);
    if (result === 'unchanged') return `${name} had finished before: ${label}. Nothing was sent.`;
    if (result !== 'done') return `${name} is still ${label}.`;
    return state === 'succeeded' ? `${name} ended by itself: ${label}.` : `${name} was stopped.`;
  });
  return `${lines.join('\n')}\n`;
}

/** `roster runs refresh`: the state after it. */
export function refreshedRunText(run: Run, options: TextOptions): string {
  const { paint } = textLayout(options);
  const why = run.message === null ? '' : `: ${escapeControls(run.message)}`;
  return `${nameOf(run)} is ${paint(runStateStyles[run.state], runStateLabels[run.state])}${why}\n`;
}

/** Diagnostics name the others, with their reasons. */
const retryLabels: Readonly<Partial<Record<ItemResult<RetriedMember>['result'], string>>> = {
  done: 'was started',
  notSent: 'was not started',
};

/** `roster runs retry`: a line for each member that no diagnostic names. */
export function retriedMembersText(
  groupRunId: string,
  results: readonly ItemResult<RetriedMember>[],
): string {
  const lines = results.flatMap(({ item: { address, jobId }, result }) => {
    const label = retryLabels[result];
    const job = jobId === null ? '' : ` (job ${jobId})`;
    return label === undefined ? [] : [escapeControls(`${address} ${label}${job}.`)];
  });
  const isGoing = results.some(({ result }) => result === 'done');
  const follow = isGoing ? [`Follow the group run with: roster wait ${escapeControls(groupRunId)}`] : [];
  return [...lines, ...follow].map((line) => `${line}\n`).join('');
}

/** `roster runs ack`. Diagnostics say what was not changed. */
export function acknowledgedText(results: readonly ItemResult<AgentRunPart>[], undo: boolean): string {
  const done = results.filter(({ result }) => result === 'done').length;
  return `${count(done, 'failure')} ${undo ? 'reported again' : 'acknowledged'}.\n`;
}

/** What `roster runs rm` would delete. */
export function removalText(run: Run, options: TextOptions): string {
  return runRows([run], options).join('\n');
}

export function removedRunText({ id, idKind, members }: Run): string {
  const jobs = members.filter((member) => member.id !== null).length;
  return `${escapeControls(`${runKindNames[idKind]} ${id}`)} was deleted with ${count(jobs, 'job')}.\n`;
}
