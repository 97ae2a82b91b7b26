import type { CheckedDataset, UnjudgedRun } from '../../model/data.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { type Run, runName } from '../../model/run.js';
import { environmentFlag, namedIds } from '../../model/words.js';
import { runKind } from './run-kinds.js';

/** The result of a command that follows runs, best last. Each has an exit code of its own. */
export type RunVerdict = 'interrupted' | 'unknown' | 'running' | 'failed' | 'succeeded';

export interface RunsEnd {
  /** The environment of the project. Null without one. */
  readonly environment: string | null;
  readonly runs: readonly Run[];
  /** The runs were started, and are not followed. */
  readonly isDetached: boolean;
  readonly isInterrupted: boolean;
  /** Why some starts were not sent, or why runs could not be followed. */
  readonly failures: readonly Diagnostic[];
  /** What they delivered, compared with what their entries expect. Default: nothing is expected. */
  readonly checked?: readonly CheckedDataset[];
  /** What else is expected of them. Default: nothing. */
  readonly unjudged?: readonly UnjudgedRun[];
  /** Why some of that could not be read. Default: nothing had to be. */
  readonly unread?: readonly Diagnostic[];
  /** What was not started although a run was to prove it. Default: nothing. */
  readonly unproved?: readonly Diagnostic[] | undefined;
}

export interface RunsResult {
  readonly environment: string | null;
  readonly runs: readonly Run[];
  readonly verdict: RunVerdict;
  readonly isDetached: boolean;
  readonly checked: readonly CheckedDataset[];
  readonly unjudged: readonly UnjudgedRun[];
  readonly diagnostics: readonly Diagnostic[];
}

/** `earlier`: what was known before the end. */
export function runsResult(end: RunsEnd, earlier: readonly Diagnostic[]): RunsResult {
  const { environment, runs, isDetached, checked = [], unjudged = [] } = end;
  const diagnostics = [...earlier, ...runDiagnostics(end)];
  return { environment, runs, verdict: verdictOf(end), isDetached, checked, unjudged, diagnostics };
}

/** What is not known comes before what is not finished, and that before what failed: then `wait` gives the verdict. */
export function verdictOf(end: RunsEnd): RunVerdict {
  const { runs, isDetached, isInterrupted, failures, checked = [], unread = [], unproved = [] } = end;
  const has = (state: Run['state']) => runs.some((run) => run.state === state || hasMember(run, state));
  if (isInterrupted) return 'interrupted';
  if (failures.length > 0 || has('unknown')) return 'unknown';
  if (runs.some(({ state }) => state === 'running') && !isDetached) return 'running';
  const isGood = ({ state }: Run) => state === 'succeeded' || (isDetached && state === 'running');
  if (!runs.every(isGood) || checked.some(isUnmet) || unproved.length > 0) return 'failed';
  // No later command shows more of it while it cannot be read: what is known to have failed comes first.
  return unread.length > 0 ? 'unknown' : 'succeeded';
}

/** What is expected at the level of a warning changes no exit code. */
export function isUnmet({ expectations }: CheckedDataset): boolean {
  return expectations.some(({ verdict, level }) => verdict === 'unmet' && level === 'error');
}

function hasMember({ members }: Run, state: Run['state']): boolean {
  return members.some((member) => member.state === state);
}

/** The reason for the verdict of each run, or of each of its members. */
export function runDiagnostics({
  environment,
  runs,
  isDetached,
  isInterrupted,
  failures,
  unread = [],
  unproved = [],
}: RunsEnd): readonly Diagnostic[] {
  const open = runs.filter(({ state }) => state === 'running');
  const flag = environmentFlag(environment);
  const ended = runs.flatMap((run) => reasonsOf(run, flag));
  const going = isDetached || isInterrupted ? [] : open.map((each) => stillRunning(each, flag));
  const others = failures.filter(({ code }) => code !== 'interrupted');
  return [
    ...ended,
    ...going,
    ...others,
    ...unread,
    ...unproved,
    ...(isInterrupted ? [interruption(open, flag)] : []),
  ];
}

function reasonsOf(run: Run, flag: string): readonly Diagnostic[] {
  // The stages after the one that failed say nothing of their own.
  const isChain = runKind(run.idKind).members === 'chain';
  const members = run.members.filter(({ state }) => !isChain || state !== 'notStarted');
  const own = members.flatMap((member) => reasonOf(member, run, flag) ?? []);
  return own.length > 0 ? own : [reasonOf(run, null, flag)].flatMap((each) => each ?? []);
}

function reasonOf(run: Run, whole: Run | null, flag: string): Diagnostic | null {
  const name = whole === null ? runName(run) : `${runName(run)} of ${runName(whole)}`;
  const because = run.message === null ? '' : `: ${run.message}`;
  switch (run.state) {
    case 'failed':
      return { severity: 'error', code: 'run-failed', message: `${name} failed${because}` };
    case 'stopped':
      return { severity: 'error', code: 'run-failed', message: `${name} was stopped${because}` };
    case 'notStarted':
      return { severity: 'error', code: 'not-started', message: `${name} was not started${because}` };
    case 'unknown':
      return {
        severity: 'error',
        code: 'start-unknown',
        message: `it is not known whether ${name} is running${because}`,
        help: `Check ${run.address === null ? 'the dashboard' : `\`roster wait ${run.address}${flag}\` or the dashboard`} before you start it again.`,
      };
    default:
      return null;
  }
}

function stillRunning(run: Run, flag: string): Diagnostic {
  return {
    severity: 'error',
    code: 'still-running',
    message: `${runName(run)} is still running`,
    help: `Follow it with \`roster wait ${run.id}${flag}\`.`,
  };
}

/** One line to copy, for all runs that continue. */
function interruption(open: readonly Run[], flag: string): Diagnostic {
  const ids = open.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) {
    const message = 'the command was interrupted, and none of the runs that it followed continues';
    return { severity: 'error', code: 'interrupted', message };
  }
  return {
    severity: 'error',
    code: 'interrupted',
    message: `interrupted, and ${ids.length === 1 ? 'a run continues' : `${ids.length} runs continue`}: ${namedIds(ids)}`,
    help: `Follow ${ids.length === 1 ? 'it' : 'them'} with \`roster wait ${ids.join(' ')}${flag}\`.`,
  };
}
