import type { Session } from '../../engine/session.js';
import { type Diagnostic, Problem, problem } from '../../model/diagnostic.js';
import type { JsonObject } from '../../model/json.js';
import type { ServiceRun } from '../../model/run.js';
import { ServiceFailure } from '../../service/failure.js';
import { checkOptions } from './check-options.js';
import { DetailsReader } from './details.js';
import { follow } from './follow.js';
import { Marks } from './newest.js';
import { findObjects, type KnownObjects } from './objects.js';
import { Pacer } from './pace.js';
import type { FollowedRun, PollContext } from './poll.js';
import { Retries } from './retries.js';
import { type StartOutcome, startAll } from './start.js';
import { runIn } from './states.js';
import { stopRuns } from './stop.js';
import { type StartTarget, targetsOf } from './targets.js';
import { type Timer, timerOf } from './timer.js';
import { type RunVerdict, runDiagnostics, verdictOf } from './verdict.js';

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
  const { inputs = {}, declared = false, maxStarts = MAX_STARTS } = options;
  const known = await findObjects(session, addresses);
  const targets = targetsOf(known, { inputs, declared });
  checkOptions(known, targets, options);
  checkStarts(targets, maxStarts);
  const work = await prepare(session, known, targets);
  const outcomes = await start(targets, work, callbacks);
  const started = new Started(targets, outcomes);
  const end = options.detach === true ? null : await followAll(started, work, { options, callbacks });
  const isInterrupted = session.interrupted();
  const runs = end?.runs ?? started.runs;
  const failures = [...started.failures, ...(end === null || end.failure === null ? [] : [end.failure])];
  const result = { runs, isDetached: options.detach === true, isInterrupted, failures };
  const diagnostics = [...session.warnings, ...known.notes, ...runDiagnostics(result)];
  return { runs, verdict: verdictOf(result), isDetached: result.isDetached, diagnostics };
}

/** Every member of a group and every stage of a pipeline is a start. */
function checkStarts(targets: readonly StartTarget[], most: number): void {
  const starts = targets.reduce((sum, each) => sum + each.starts, 0);
  if (starts <= most) return;
  const message = `${starts} agents would be started, more than the ${most} that \`--max-starts\` allows`;
  const help = `Run fewer at once. If all of these starts are intended, pass \`--max-starts ${starts}\`.`;
  throw problem('too-many-starts', message, help);
}

interface Work extends PollContext {
  readonly session: Session;
  readonly marks: Marks;
  readonly pacer: Pacer;
  readonly timer: Timer;
}

async function prepare(
  session: Session,
  { agents }: KnownObjects,
  targets: readonly StartTarget[],
): Promise<Work> {
  const reader = session.client.reader();
  const marks = await Marks.read(
    reader,
    targets.map(({ traces }) => traces),
  );
  const timer = timerOf(session.clock, () => session.interrupted());
  return {
    session,
    reader,
    marks,
    agents,
    timer,
    pacer: new Pacer(timer),
    details: new DetailsReader(reader),
  };
}

async function start(
  targets: readonly StartTarget[],
  { session, ...work }: Work,
  { onBegin, onRuns }: RunCallbacks,
): Promise<ReadonlyMap<StartTarget, StartOutcome>> {
  const outcomes = await startAll(targets, {
    ...work,
    client: session.client,
    interrupted: () => session.interrupted(),
    onOutcome(target, outcome) {
      if (outcome.type === 'started' || outcome.type === 'unknown') onBegin?.();
      onRuns?.([runOf(target, outcome)]);
    },
  });
  const failures = [...outcomes.values()].flatMap((each) => (each.type === 'notSent' ? [each.failure] : []));
  // Nothing was started: then it is an error like that of any other command.
  const [failure] = failures;
  if (failure !== undefined && failures.length === targets.length) throw new Problem(failure);
  return outcomes;
}

function runOf({ address, traces }: StartTarget, outcome: StartOutcome): ServiceRun {
  const name = { address, id: null, idKind: traces.idKind };
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
  readonly failures: readonly Diagnostic[];

  constructor(targets: readonly StartTarget[], outcomes: ReadonlyMap<StartTarget, StartOutcome>) {
    const known = targets.flatMap((target) => {
      const outcome = outcomes.get(target);
      return outcome === undefined ? [] : [{ target, outcome }];
    });
    this.runs = known.map(({ target, outcome }) => runOf(target, outcome));
    this.followed = known.flatMap(({ target: { address, agents }, outcome }) =>
      outcome.type === 'started'
        ? [{ address, agents, id: outcome.id, idKind: outcome.idKind, startedAt: outcome.startedAt }]
        : [],
    );
    const [failure] = known.flatMap(({ outcome }) => (outcome.type === 'notSent' ? [outcome.failure] : []));
    this.failures = failure === undefined ? [] : [failure];
  }

  /** The same runs with what is known of them by now. */
  with(newer: Iterable<ServiceRun>): readonly ServiceRun[] {
    const byId = new Map([...newer].map((each) => [each.id, each]));
    return this.runs.map((each) => (each.id === null ? each : (byId.get(each.id) ?? each)));
  }
}

async function followAll(
  started: Started,
  work: Work,
  { options, callbacks }: { readonly options: RunOptions; readonly callbacks: RunCallbacks },
): Promise<{ readonly runs: readonly ServiceRun[]; readonly failure: Diagnostic | null }> {
  const { session, timer } = work;
  const { client } = session;
  const { runs, failure } = await follow(started.followed, {
    ...work,
    until: options.forMilliseconds === undefined ? null : timer.now() + options.forMilliseconds,
    atOnce: started.followed.length === 0,
    retries: new Retries(options.retryNotStarted ?? 0, client, {
      ...work,
      interrupted: () => work.session.interrupted(),
    }),
    interrupted: () => session.interrupted(),
    onPoll: (polled) => callbacks.onRuns?.(started.with(polled)),
  });
  const ended = started.with(runs);
  if (!session.interrupted() || options.stopOnInterrupt !== true) return { runs: ended, failure };
  return stopAll(ended, started, work);
}

async function stopAll(
  runs: readonly ServiceRun[],
  started: Started,
  work: Work,
): Promise<{ readonly runs: readonly ServiceRun[]; readonly failure: Diagnostic | null }> {
  const { client, clock } = work.session;
  const open = started.followed.filter(({ id }) =>
    runs.some((run) => run.id === id && run.state === 'running'),
  );
  try {
    const sleep = (milliseconds: number) => clock.sleep(milliseconds);
    const stopped = await stopRuns(open, { ...work, client, sleep });
    return {
      runs: runs.map((each) => (each.id === null ? each : (stopped.get(each.id) ?? each))),
      failure: null,
    };
  } catch (failure) {
    if (!(failure instanceof ServiceFailure)) throw failure;
    return { runs, failure: failure.diagnostics[0] ?? null };
  }
}
