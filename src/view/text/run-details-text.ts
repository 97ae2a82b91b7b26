import { instantText } from '../../model/instant-text.js';
import type { ServiceRun } from '../../model/run.js';
import type { RunDataset, ShownRun } from '../../model/run-history.js';
import { count } from '../../model/words.js';
import { escapeControls } from '../escape.js';
import {
  runIdLabels,
  runName,
  runSeconds,
  runStateLabels,
  secondsText,
  withStageNames,
} from '../run-labels.js';
import { indent, joinBlocks } from './layout.js';
import { type TextOptions, textLayout } from './paint.js';
import { runRows, runStateStyles } from './run-text.js';

/** `roster runs show`: what it is, its members, their reasons and datasets, and what can be done about it. */
export function runDetailsText(shown: ShownRun, options: TextOptions): string {
  const run = withStageNames(shown);
  const { paint } = textLayout(options);
  const title = escapeControls(`${runIdLabels[run.idKind]} ${run.id}`);
  const members = run.members.length === 0 ? [] : runRows(run.members, options);
  return joinBlocks([
    [
      `${title}  ${paint(runStateStyles[run.state], runStateLabels[run.state])}`,
      ...indent(factLines(run), 4),
    ],
    members,
    reasonLines(run),
    datasetLines(run.datasets),
    nextLines(run),
  ]);
}

function factLines(run: ShownRun): readonly string[] {
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
    ...(run.partOf === null ? [] : [`Part of ${runIdLabels[run.partOf.idKind]} ${run.partOf.id}`]),
  ].map(escapeControls);
}

function startedBy({ trigger, scheduleId, schedule }: ShownRun): string {
  if (schedule !== null) return ` by ${schedule}`;
  if (scheduleId !== null) return ` by schedule ${scheduleId}`;
  return trigger === null ? '' : trigger === 'Manual' ? ' by hand' : ` (${trigger})`;
}

function reasonLines(run: ShownRun): readonly string[] {
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
function nextLines(run: ShownRun): readonly string[] {
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
function retryName({ state, address }: ServiceRun, { idKind }: ShownRun): string | null {
  return idKind === 'groupRun' && state === 'notStarted' ? address : null;
}

function hasFailed({ state, members }: ShownRun): boolean {
  return state === 'failed' || members.some((each) => each.state === 'failed');
}
