import type { ServiceRun } from '../../model/run.js';
import type { AcknowledgedRun, RetriedMember, ShownState, StoppedRun } from '../../model/run-history.js';
import { count } from '../../model/words.js';
import { escapeControls } from '../escape.js';
import { runIdLabels, runStateLabels } from '../run-labels.js';
import { type TextOptions, textLayout } from './paint.js';
import { runRows, runStateStyles } from './run-text.js';

function nameOf({ idKind, id, address }: Pick<ShownState, 'idKind' | 'id' | 'address'>): string {
  return escapeControls(`${runIdLabels[idKind]} ${id}${address === null ? '' : ` (${address})`}`);
}

/** `roster runs stop`: a line for each run. */
export function stoppedRunsText(runs: readonly StoppedRun[], options: TextOptions): string {
  const { paint } = textLayout(options);
  const lines = runs.map(({ idKind, id, address, result, state }) => {
    const name = nameOf({ idKind, id, address });
    const label = paint(runStateStyles[state], runStateLabels[state]);
    if (result === 'finished') return `${name} had finished before: ${label}. Nothing was sent.`;
    if (result === 'running') return `${name} is still ${label}.`;
    return state === 'succeeded' ? `${name} ended by itself: ${label}.` : `${name} was stopped.`;
  });
  return `${lines.join('\n')}\n`;
}

/** `roster runs refresh`: the state after it. */
export function refreshedRunText(run: ShownState, options: TextOptions): string {
  const { paint } = textLayout(options);
  const why = run.message === null ? '' : `: ${escapeControls(run.message)}`;
  return `${nameOf(run)} is ${paint(runStateStyles[run.state], runStateLabels[run.state])}${why}\n`;
}

/** Diagnostics name the others, with their reasons. */
const retryLabels: Readonly<Partial<Record<RetriedMember['result'], string>>> = {
  started: 'was started',
  notSent: 'was not started',
};

/** `roster runs retry`: a line for each member that no diagnostic names. */
export function retriedMembersText(groupRunId: string, members: readonly RetriedMember[]): string {
  const lines = members.flatMap(({ address, jobId, result }) => {
    const label = retryLabels[result];
    const job = jobId === null ? '' : ` (job ${jobId})`;
    return label === undefined ? [] : [escapeControls(`${address} ${label}${job}.`)];
  });
  const isGoing = members.some(({ result }) => result === 'started');
  const follow = isGoing ? [`Follow the group run with: roster wait ${escapeControls(groupRunId)}`] : [];
  return [...lines, ...follow].map((line) => `${line}\n`).join('');
}

/** `roster runs ack`. Diagnostics say what was not changed. */
export function acknowledgedText(runs: readonly AcknowledgedRun[], undo: boolean): string {
  const done = runs.filter(({ result }) => result === 'done').length;
  return `${count(done, 'failure')} ${undo ? 'reported again' : 'acknowledged'}.\n`;
}

/** What `roster runs rm` would delete. */
export function removalText(run: ServiceRun, options: TextOptions): string {
  return runRows([run], options).join('\n');
}

export function removedRunText({ id, idKind, members }: ServiceRun): string {
  const jobs = members.filter((member) => member.id !== null).length;
  return `${escapeControls(`${runIdLabels[idKind]} ${id}`)} was deleted with ${count(jobs, 'job')}.\n`;
}
