import type { ServiceRun, ServiceRunState } from '../../model/run.js';
import { escapeControls } from '../escape.js';
import { runIdLabels, runName, runSeconds, runStateLabels, secondsText } from '../run-labels.js';
import { count, pad, pieces, widthOf } from './layout.js';
import { type Style, type TextOptions, textLayout } from './paint.js';

/** How the command ended. Default: everything was followed as long as it should be. */
interface RunsEnded {
  readonly isDetached?: boolean;
  readonly isInterrupted?: boolean;
}

/** The result of `run` and `wait`: a row for each run and each of its agents, and how they ended. */
export function runsText(runs: readonly ServiceRun[], how: RunsEnded, options: TextOptions): string {
  if (runs.length === 0) return 'No unfinished runs.\n';
  const { paint } = textLayout(options);
  const rows = runs.flatMap((run) => [rowOf(run, ''), ...run.members.map((each) => rowOf(each, '  '))]);
  const widths = columns.map((column) => Math.max(...rows.map((row) => widthOf(row[column]))));
  const lines = rows.map((row) => {
    const cells = columns.map((column, index) => pad(row[column], widths[index] ?? 0));
    const [name = '', state = '', ...rest] = cells;
    return [name, paint(styles[row.runState], state), ...rest].join('  ').trimEnd();
  });
  return `${lines.join('\n')}\n\n${lastLine(runs, how)}\n`;
}

const columns = ['name', 'state', 'time', 'records', 'id'] as const;

type Row = Readonly<Record<(typeof columns)[number], string>> & { readonly runState: ServiceRunState };

function rowOf(run: ServiceRun, lead: string): Row {
  const seconds = runSeconds(run);
  const hasAnomaly = run.anomaly !== 'none' && run.members.length === 0;
  const time = seconds === null ? '' : secondsText(seconds);
  return {
    name: escapeControls(`${lead}${runName(run)}`),
    state: runStateLabels[run.state],
    time: `${time}${hasAnomaly ? ` (${run.anomaly})` : ''}`.trim(),
    records: run.records === null || run.state === 'notStarted' ? '' : count(run.records, 'record'),
    id: run.id === null || run.address === null ? '' : escapeControls(`${runIdLabels[run.idKind]} ${run.id}`),
    runState: run.state,
  };
}

const styles: Readonly<Record<ServiceRunState, Style>> = {
  running: 'kept',
  succeeded: 'added',
  failed: 'removed',
  stopped: 'removed',
  notStarted: 'removed',
  unknown: 'warning',
};

/** Counted by agent: it is those that run. */
function lastLine(runs: readonly ServiceRun[], { isDetached, isInterrupted }: RunsEnded): string {
  const counts = countsText(runs);
  const open = runs.filter(({ state }) => state === 'running');
  if (isInterrupted === true) return `Interrupted: ${counts}.`;
  if (isDetached === true && open.length > 0) return `Started: ${counts}.\n${followLine(open)}`;
  if (open.length > 0) return `Still running: ${counts}.`;
  if (runs.some((run) => hasState(run, 'unknown'))) return `Run unknown: ${counts}.`;
  return runs.every(({ state }) => state === 'succeeded')
    ? `Run complete: ${counts}.`
    : `Run failed: ${counts}.`;
}

/** Diagnostics say the same of what is not detached. */
function followLine(open: readonly ServiceRun[]): string {
  const ids = open.flatMap(({ id }) => (id === null ? [] : [escapeControls(id)]));
  return `Follow ${ids.length === 1 ? 'it' : 'them'} with: roster wait ${ids.join(' ')}`;
}

function hasState(run: ServiceRun, state: ServiceRunState): boolean {
  return run.state === state || run.members.some((member) => member.state === state);
}

const order: readonly ServiceRunState[] = [
  'succeeded',
  'failed',
  'stopped',
  'notStarted',
  'unknown',
  'running',
];

function countsText(runs: readonly ServiceRun[]): string {
  const states = runs
    .flatMap((run) => (run.members.length === 0 ? [run] : run.members))
    .map(({ state }) => state);
  return order
    .map((state) => [state, states.filter((each) => each === state).length] as const)
    .filter(([, number]) => number > 0)
    .map(([state, number]) => `${number} ${runStateLabels[state]}`)
    .join(', ');
}

/** A line for a change of a run: `agent/globex of group/shops failed: The source did not respond.` */
export function runLine(run: ServiceRun, whole: ServiceRun | null): string {
  const of = whole === null ? '' : ` of ${runName(whole)}`;
  const what = run.state === 'succeeded' && run.records !== null ? `: ${count(run.records, 'record')}` : '';
  const why = run.message === null ? what : `: ${run.message}`;
  const id = run.state === 'running' && run.id !== null ? ` (${runIdLabels[run.idKind]} ${run.id})` : '';
  return escapeControls(`${runName(run)}${of} ${runStateLabels[run.state]}${id}${why}`);
}

interface LiveRow {
  readonly run: ServiceRun;
  readonly whole: ServiceRun | null;
}

/** Rows of the live table. The rest are counted. */
const MOST_ROWS = 20;

/** The live table of a terminal: unfinished agents first, then those that did not succeed. Each line fits the width. */
export function liveTable(runs: readonly ServiceRun[], options: TextOptions): readonly string[] {
  const { width, paint } = textLayout(options);
  const rows = runs.flatMap((run): LiveRow[] =>
    run.members.length === 0
      ? [{ run, whole: null }]
      : run.members.map((each) => ({ run: each, whole: run })),
  );
  const shown = [...rows].sort((a, b) => rank(a.run.state) - rank(b.run.state)).slice(0, MOST_ROWS);
  const isOne = runs.length === 1;
  const lines = shown.map(({ run, whole }) => {
    const [line = ''] = pieces(liveLine(run, isOne ? null : whole), width - 1);
    return paint(styles[run.state], line);
  });
  return [...lines, countsText(runs)];
}

/** Without ids, which would leave no room for reasons. */
function liveLine(run: ServiceRun, whole: ServiceRun | null): string {
  return runLine(run.state === 'running' ? { ...run, id: null } : run, whole);
}

function rank(state: ServiceRunState): number {
  if (state === 'running') return 0;
  return state === 'succeeded' ? 2 : 1;
}
