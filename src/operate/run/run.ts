import type { Session } from '../../engine/session.js';
import { type Diagnostic, Problem, problem } from '../../model/diagnostic.js';
import type { JsonObject } from '../../model/json.js';
import { runName, type ServiceRun } from '../../model/run.js';
import { namedIds } from '../../model/words.js';
import { Watch } from '../watch.js';
import { type FollowedRun, type FollowResult, follow, Retries, Stops } from './follow.js';
import { runKind } from './run-kinds.js';
import { type StartOutcome, startAll } from './start.js';
import { runIn } from './states.js';
import { findObjects, type KnownObjects, type StartTarget, targetsOf } from './targets.js';

export interface RunOptions {
  /** For the agents, by key. Default: none. */
  readonly inputs?: JsonObject;
  /** Schedules: their targets with the inputs of the manifests, instead of what is deployed. Default: false. */
  readonly declared?: boolean;
  /** How many agents may be started. Default: 25. */
  readonly maxStarts?: number;
  /** Do not follow the runs. Default: false. */
  readonly detach?: boolean;
  /** How long to follow the runs. Default: until they are finished. */
  readonly forMilliseconds?: number | undefined;
  /** How often members of a group that never started are tried again. Default: 0. */
  readonly retryNotStarted?: number;
  /** Stop what was started when the run is interrupted. Default: false. */
  readonly stopOnInterrupt?: boolean;
}

export interface RunCallbacks {
  /** Something may have been started from now on. */
  onBegin?(): void;
  /** The runs whenever they were looked at. */
  onRuns?(runs: readonly ServiceRun[]): void;
}

export interface RunsResult {
  readonly runs: readonly ServiceRun[];
  readonly verdict: RunVerdict;
  readonly isDetached: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Without it, nobody starts hundreds of agents by mistake. */
const MAX_STARTS = 25;

/**
 * Starts what the addresses name, each once, and follows it to its end. Changes neither manifests nor the inventory.
 * @throws Problem when nothing was started.
 */
export async function run(
  session: Session,
  addresses: readonly string[],
  options: RunOptions = {},
  callbacks: RunCallbacks = {},
): Promise<RunsResult> {
  const { inputs = {}, declared = false, detach: isDetached = false, maxStarts = MAX_STARTS } = options;
  const known = await findObjects(session, addresses, declared);
  const targets = targetsOf(known, { inputs, declared });
  checkOptions(known, targets, options);
  checkStarts(targets, maxStarts);
  const watch = new Watch(session, known.agents);
  const started = await start(targets, session, watch, callbacks);
  const end = isDetached
    ? { runs: started.runs, failure: null }
    : await followAll(started, session, watch, { ...options, ...callbacks });
  const failures = [started.failure, end.failure].flatMap((each) => each ?? []);
  const result = { runs: end.runs, isDetached, isInterrupted: session.interrupted(), failures };
  const diagnostics = [...session.warnings, ...known.notes, ...runDiagnostics(result)];
  return { runs: end.runs, verdict: verdictOf(result), isDetached, diagnostics };
}

/** Refuses what would have no effect on these starts: somebody expects one. Throws a Problem. */
function checkOptions(
  { selected }: KnownObjects,
  targets: readonly StartTarget[],
  { declared = false, retryNotStarted = 0 }: RunOptions,
): void {
  const hasSchedule = selected.some(({ kind }) => kind.startByHand?.target !== undefined);
  if (declared && !hasSchedule)
    throw problem('usage', '`--declared` has no effect: no schedules are started', 'Omit it.');
  const hasGroup = targets.some(({ kind }) => kind.members === 'parallel');
  if (retryNotStarted > 0 && !hasGroup)
    throw problem('usage', '`--retry-not-started` has no effect: no groups are started', 'Omit it.');
}

/** Every member of a group and every stage of a pipeline is a start. */
function checkStarts(targets: readonly StartTarget[], most: number): void {
  const starts = targets.reduce((sum, each) => sum + each.starts, 0);
  if (starts <= most) return;
  const message = `${starts} agents would be started, more than the ${most} that \`--max-starts\` allows`;
  const help = `Run fewer at once. If all of these starts are intended, pass \`--max-starts ${starts}\`.`;
  throw problem('too-many-starts', message, help);
}

async function start(
  targets: readonly StartTarget[],
  { client }: Session,
  watch: Watch,
  { onBegin, onRuns }: RunCallbacks,
): Promise<Started> {
  const outcomes = await startAll(targets, client, watch, (target, outcome) => {
    if (outcome.type === 'started' || outcome.type === 'unknown') onBegin?.();
    onRuns?.([runOf(target, outcome)]);
  });
  const started = new Started(outcomes);
  // Nothing was started: then it is an error like that of any other command.
  if (started.failure !== null && [...outcomes.values()].every(({ type }) => type === 'notSent'))
    throw new Problem(started.failure);
  return started;
}

function runOf({ address, kind }: StartTarget, outcome: StartOutcome): ServiceRun {
  const name = { address, id: null, idKind: kind.name };
  switch (outcome.type) {
    case 'started':
      return runIn(
        'running',
        { address, id: outcome.id, idKind: outcome.idKind },
        { startedAt: outcome.startedAt },
      );
    case 'refused':
    case 'unknown':
      return runIn(outcome.type === 'refused' ? 'notStarted' : 'unknown', name, { message: outcome.message });
    case 'notSent':
      return runIn('notStarted', name, { message: 'its start was not sent' });
  }
}

/** What the starts came to, in the order of the addresses. */
class Started {
  readonly runs: readonly ServiceRun[];
  readonly followed: readonly FollowedRun[];
  /** Why some were not sent; null when all were. */
  readonly failure: Diagnostic | null;

  constructor(outcomes: ReadonlyMap<StartTarget, StartOutcome>) {
    this.runs = [...outcomes].map(([target, outcome]) => runOf(target, outcome));
    this.followed = [...outcomes].flatMap(([{ address, agents }, outcome]) =>
      outcome.type === 'started' ? [{ ...outcome, address, agents }] : [],
    );
    const [failure] = [...outcomes.values()].flatMap((each) =>
      each.type === 'notSent' ? [each.failure] : [],
    );
    this.failure = failure ?? null;
  }

  /** The same runs with what is known of them now. */
  with(newer: Iterable<ServiceRun>): readonly ServiceRun[] {
    const byId = new Map([...newer].map((each) => [each.id, each]));
    return this.runs.map((each) => (each.id === null ? each : (byId.get(each.id) ?? each)));
  }
}

async function followAll(
  started: Started,
  { client }: Session,
  watch: Watch,
  { forMilliseconds, retryNotStarted = 0, stopOnInterrupt = false, onRuns }: RunOptions & RunCallbacks,
): Promise<FollowResult> {
  const { runs, failure } = await follow(started.followed, watch, {
    forMilliseconds: forMilliseconds ?? null,
    atOnce: started.followed.length === 0,
    retries: retryNotStarted === 0 ? null : new Retries(retryNotStarted, client, watch),
    onPoll: (polled) => onRuns?.(started.with(polled)),
  });
  if (!watch.interrupted || !stopOnInterrupt) return { runs: started.with(runs), failure };
  watch.ignoreInterrupt();
  const open = new Set(runs.flatMap(({ id, state }) => (state === 'running' ? [id] : [])));
  const stops = new Stops(client, watch);
  const stopping = stops.stop(started.followed.filter(({ id }) => open.has(id)));
  const stopped = await stops.look(() => stopping, new Map<string, ServiceRun>());
  const [unseen] = stops.unseen;
  return { runs: started.with([...runs, ...stopped.values()]), failure: unseen?.diagnostic ?? null };
}

/** The result of a command that follows runs, best last. Each has an exit code of its own. */
export type RunVerdict = 'interrupted' | 'unknown' | 'running' | 'failed' | 'succeeded';

export interface RunsEnd {
  readonly runs: readonly ServiceRun[];
  /** The runs were started, and are not followed. */
  readonly isDetached: boolean;
  readonly isInterrupted: boolean;
  /** Why some starts were not sent, or why runs could not be followed. */
  readonly failures: readonly Diagnostic[];
}

/** What is not known comes before what is not finished, and that before what failed: then `wait` gives the verdict. */
export function verdictOf({ runs, isDetached, isInterrupted, failures }: RunsEnd): RunVerdict {
  const has = (state: ServiceRun['state']) =>
    runs.some((run) => run.state === state || hasMember(run, state));
  if (isInterrupted) return 'interrupted';
  if (failures.length > 0 || has('unknown')) return 'unknown';
  if (runs.some(({ state }) => state === 'running') && !isDetached) return 'running';
  const isGood = ({ state }: ServiceRun) => state === 'succeeded' || (isDetached && state === 'running');
  return runs.every(isGood) ? 'succeeded' : 'failed';
}

function hasMember({ members }: ServiceRun, state: ServiceRun['state']): boolean {
  return members.some((member) => member.state === state);
}

/** The reason for the verdict of each run, or of each of its members. */
export function runDiagnostics({
  runs,
  isDetached,
  isInterrupted,
  failures,
}: RunsEnd): readonly Diagnostic[] {
  const open = runs.filter(({ state }) => state === 'running');
  const ended = runs.flatMap((run) => reasonsOf(run));
  const going = isDetached || isInterrupted ? [] : open.map(stillRunning);
  const others = failures.filter(({ code }) => code !== 'interrupted');
  return [...ended, ...going, ...others, ...(isInterrupted ? [interruption(open)] : [])];
}

function reasonsOf(run: ServiceRun): readonly Diagnostic[] {
  // The stages after the one that failed say nothing of their own.
  const isChain = runKind(run.idKind).members === 'chain';
  const members = run.members.filter(({ state }) => !isChain || state !== 'notStarted');
  const own = members.flatMap((member) => reasonOf(member, run) ?? []);
  return own.length > 0 ? own : [reasonOf(run, null)].flatMap((each) => each ?? []);
}

function reasonOf(run: ServiceRun, whole: ServiceRun | null): Diagnostic | null {
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
        help: `Check ${run.address === null ? 'the dashboard' : `\`roster wait ${run.address}\` or the dashboard`} before you start it again.`,
      };
    default:
      return null;
  }
}

function stillRunning(run: ServiceRun): Diagnostic {
  return {
    severity: 'error',
    code: 'still-running',
    message: `${runName(run)} is still running`,
    help: `Follow it with \`roster wait ${run.id}\`.`,
  };
}

/** One line to copy, for all runs that continue. */
function interruption(open: readonly ServiceRun[]): Diagnostic {
  const ids = open.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) {
    const message = 'the command was interrupted, and none of the runs that it followed continues';
    return { severity: 'error', code: 'interrupted', message };
  }
  return {
    severity: 'error',
    code: 'interrupted',
    message: `interrupted, and ${ids.length === 1 ? 'a run continues' : `${ids.length} runs continue`}: ${namedIds(ids)}`,
    help: `Follow ${ids.length === 1 ? 'it' : 'them'} with \`roster wait ${ids.join(' ')}\`.`,
  };
}
