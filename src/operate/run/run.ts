import type { Confirmation } from '../../engine/reviewed-run.js';
import type { Session } from '../../engine/session.js';
import { type Diagnostic, Problem, problem } from '../../model/diagnostic.js';
import { equal, type JsonObject } from '../../model/json.js';
import type { ChosenStarts, Run } from '../../model/run.js';
import { requireYes } from '../batch.js';
import { judgeFollowed } from '../expect/followed.js';
import { Watch } from '../watch.js';
import { type FollowedRun, type FollowResult, follow, Retries } from './follow.js';
import { type StartOutcome, startAll } from './start.js';
import { runIn } from './states.js';
import { Stops } from './stop.js';
import { findObjects, type KnownObjects, type StartTarget, targetsOf } from './targets.js';
import { type RunsResult, runsResult } from './verdict.js';

export interface RunOptions {
  /** Finds what to start, in place of the addresses. Then it is shown and confirmed before anything is started. */
  readonly choose?: ((session: Session) => Promise<ChosenStarts>) | undefined;
  /** For the agents, by key. Default: none. */
  readonly inputs?: JsonObject;
  /** Schedules: their targets with the inputs of the manifests, instead of what is deployed. Default: false. */
  readonly declared?: boolean | undefined;
  /** How many agents may be started. Default: 25. */
  readonly maxStarts?: number | undefined;
  /** Do not follow the runs. Default: false. */
  readonly detach?: boolean | undefined;
  /** How long to follow the runs. Default: until they are finished. */
  readonly forMilliseconds?: number | undefined;
  /** How often members of a group that never started are tried again. Default: 0. */
  readonly retryNotStarted?: number | undefined;
  /** Stop what was started when the run is interrupted. Default: false. */
  readonly stopOnInterrupt?: boolean | undefined;
}

export interface RunCallbacks {
  /** What was found to start. */
  onChosen?(chosen: ChosenStarts): void;
  /** Asks whether to start what was found: so many agents. Without it, that counts as confirmed. */
  readonly confirm?: ((chosen: ChosenStarts, agents: number) => Promise<Confirmation>) | undefined;
  /** Something may have been started from now on. */
  onBegin?(): void;
  /** The runs whenever they were looked at. */
  onRuns?(runs: readonly Run[]): void;
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
  const chosen = (await options.choose?.(session)) ?? null;
  if (chosen !== null) callbacks.onChosen?.(chosen);
  if (chosen?.starts.length === 0) return nothingStarted(session, chosen);
  const named = chosen === null ? addresses : chosen.starts.map(({ address }) => address);
  const known = await findObjects(session, named, declared);
  const targets = targetsOf(known, { inputs, declared });
  checkOptions(known, targets, options);
  const agents = checkStarts(targets, maxStarts);
  if (chosen !== null && callbacks.confirm !== undefined) {
    requireYes(session, await callbacks.confirm(chosen, agents), 'started');
    requireSame(chosen, await options.choose?.(session));
  }
  const watch = new Watch(session, known.agents);
  const started = await start(targets, session, watch, callbacks);
  const end = isDetached
    ? { runs: started.runs, failure: null }
    : await followAll(started, session, watch, { ...options, ...callbacks });
  const failures = [started.failure, end.failure].flatMap((each) => each ?? []);
  const judged = isDetached
    ? {}
    : await judgeFollowed(session, end.runs, started.followed, watch, known.inventory);
  const isInterrupted = session.interrupted();
  const { unproved } = chosen ?? {};
  const { environment } = session.project;
  return runsResult(
    { environment, runs: end.runs, isDetached, isInterrupted, failures, unproved, ...judged },
    [...(chosen?.diagnostics ?? session.warnings), ...known.notes],
  );
}

/** The user may confirm hours later. Throws a Problem if the list of starts is no longer the one that was confirmed. */
function requireSame(confirmed: ChosenStarts, now: ChosenStarts | undefined): void {
  const [before, after] = [confirmed, now].map((each) => each?.starts.map(({ address }) => address).sort());
  if (equal(before ?? [], after ?? [])) return;
  const message = 'the list of starts has changed since it was confirmed: nothing was started';
  throw problem('not-confirmed', message, 'Run the command again.');
}

function nothingStarted(session: Session, { unproved, diagnostics }: ChosenStarts): RunsResult {
  const { environment } = session.project;
  const isInterrupted = session.interrupted();
  const end = { environment, runs: [], isDetached: false, isInterrupted, failures: [], unproved };
  return runsResult(end, diagnostics);
}

/** Refuses what would have no effect on these starts: somebody expects one. Throws a Problem. */
function checkOptions(
  { selected }: KnownObjects,
  targets: readonly StartTarget[],
  { declared = false, retryNotStarted = 0 }: RunOptions,
): void {
  const hasSchedule = selected.some(({ startByHand }) => startByHand.target !== undefined);
  if (declared && !hasSchedule)
    throw problem('usage', '`--declared` has no effect: no schedules are started', 'Omit it.');
  const hasGroup = targets.some(({ kind }) => kind.members === 'parallel');
  if (retryNotStarted > 0 && !hasGroup)
    throw problem('usage', '`--retry-not-started` has no effect: no groups are started', 'Omit it.');
}

/** Every member of a group and every stage of a pipeline is a start. Returns how many there are. Throws a Problem. */
function checkStarts(targets: readonly StartTarget[], most: number): number {
  const starts = targets.reduce((sum, each) => sum + each.starts, 0);
  if (starts <= most) return starts;
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

function runOf({ address, kind }: StartTarget, outcome: StartOutcome): Run {
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
      return runIn('notStarted', name, { message: 'its start was not sent', isSent: false });
  }
}

/** What the starts came to, in the order of the addresses. */
class Started {
  readonly runs: readonly Run[];
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
  with(newer: Iterable<Run>): readonly Run[] {
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
  const stopped = await stops.look(() => stopping, new Map<string, Run>());
  const [unseen] = stops.unseen;
  return { runs: started.with([...runs, ...stopped.values()]), failure: unseen?.diagnostic ?? null };
}
