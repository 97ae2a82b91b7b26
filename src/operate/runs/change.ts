import type { Confirmation } from '../../engine/reviewed-run.js';
import type { Session } from '../../engine/session.js';
import { type Diagnostic, Problem, problem } from '../../model/diagnostic.js';
import type { Reader } from '../../model/request.js';
import type { Agent } from '../../model/resource.js';
import type { AcknowledgedRun, RetriedMember, ServiceRun, ShownState, StoppedRun } from '../../model/run.js';
import { ServiceFailure } from '../../service/failure.js';
import { type Attempt, attempt, orElse, unlessGone } from '../../service/operation.js';
import {
  dismissAttention,
  refreshRun as refresh,
  restoreAttention,
} from '../../service/operations/agent-runs.js';
import { listAgents } from '../../service/operations/agents.js';
import { type GroupRun, getGroupRun, retryMember } from '../../service/operations/group-runs.js';
import { AGENT, addressNamed, addressOfAgent, agentNamed } from '../agents.js';
import {
  agentRunWithId,
  anyRunWithId,
  checkedId,
  type FoundAgentRun,
  type FoundRun,
  kindNameOf,
  runWithId,
  unknownRun,
  unknownSubject,
} from '../run/run-kinds.js';
import { sendInTurn } from '../run/start.js';
import { memberNotStarted } from '../run/states.js';
import { Stops } from '../run/stop.js';
import { Watch } from '../watch.js';
import { agentRunsIn, currentState, isWhole, wholeAddresses, wrongKind } from './show.js';

/** What changes runs that exist: stop, retry, ack, refresh, rm. Each write is sent once, and its effect is looked at. */

async function watchOf(session: Session): Promise<Watch> {
  return new Watch(session, await session.client.reader().readAll(listAgents()));
}

export interface StopResult {
  readonly runs: readonly StoppedRun[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Stops jobs, group runs and pipeline runs by stopping each of their runs, and single runs of agents. What has finished is
 * left alone. Asking again for a stop changes nothing, so a lost answer is asked for again.
 * @throws Problem when nothing was sent.
 */
export async function stopRuns(
  session: Session,
  texts: readonly string[],
  begin: () => void = () => undefined,
): Promise<StopResult> {
  const ids = [...new Set(texts.map(checkedId))];
  const watch = await watchOf(session);
  const found = await Promise.all(ids.map((id) => anyRunWithId(watch.reader, id)));
  const addresses = await wholeAddresses(found, session);
  const before = await Promise.all(found.map((each) => currentState(each, watch, addresses)));
  const open = found.filter((_, index) => before[index]?.state === 'running');
  if (open.length > 0 && watch.interrupted)
    throw problem('interrupted', 'interrupted: nothing was asked to stop');
  if (open.length > 0) begin();
  const stops = new Stops(session.client, watch);
  const [wholes, singles] = await Promise.all([
    stops.stop(
      open.flatMap(({ id, kind }) =>
        kind === null ? [] : [{ id, idKind: kind.name, address: addresses.get(id) ?? null, agents: [] }],
      ),
    ),
    Promise.all(open.flatMap((each) => (each.kind === null ? [stopSingle(each, stops, watch)] : []))),
  ]);
  const after = new Map<string | null, ShownState | ServiceRun>(
    [...wholes.values(), ...singles].map((each) => [each.id, each]),
  );
  const runs = before.map((run): StoppedRun => {
    if (run.state !== 'running') return { ...run, result: 'finished' };
    const { address, state, message } = after.get(run.id) ?? run;
    const why = message ?? stops.refusals.get(run.id) ?? null;
    const { id, idKind } = run;
    return { address, id, idKind, state, message: why, result: state === 'running' ? 'running' : 'stopped' };
  });
  const unstopped = runs.flatMap((run, index) => {
    const name = found[index];
    return run.result === 'running' && name !== undefined
      ? [notStopped(run, kindNameOf(name), stops, watch)]
      : [];
  });
  if (watch.interrupted && unstopped.length > 0)
    unstopped.push({
      severity: 'error',
      code: 'interrupted',
      message: 'interrupted before everything had stopped',
    });
  const unread = new Map(stops.unseen.map(({ diagnostic }) => [diagnostic.message, diagnostic]));
  return { runs, diagnostics: [...session.warnings, ...unstopped, ...unread.values()] };
}

async function stopSingle(run: FoundAgentRun, stops: Stops, watch: Watch): Promise<ShownState> {
  await stops.ask(run.id, run.id);
  const look = async () => currentState(await agentRunWithId(watch.reader, run.id), watch);
  const address = addressNamed(run.run.agentName, watch.agents);
  const unseen: ShownState = { address, id: run.id, idKind: 'run', state: 'running', message: null };
  const now = await stops.look(() => watch.lookUntil(look, ({ state }) => state !== 'running'), unseen);
  // A stopped run does not say how it ended, and one that goes on has no message.
  return now.state === 'running' ? { ...now, message: null } : { ...now, state: 'stopped' };
}

function notStopped(
  { address, id, message }: StoppedRun,
  kind: string,
  { asked, unseen }: Stops,
  { interrupted }: Watch,
): Diagnostic {
  const isAsked = asked.has(id);
  const now = !isAsked
    ? 'was not asked to stop'
    : unseen.length > 0
      ? 'was asked to stop, and it is not known whether it has'
      : 'still runs, although it was asked to stop';
  const name = `${kind} ${id}${address === null ? '' : ` (${address})`}`;
  const why = interrupted
    ? 'The command was interrupted first.'
    : 'The service listed no run in it that could be stopped.';
  return {
    severity: 'error',
    code: 'still-running',
    message: `${name} ${now}${message === null ? '' : `: ${message}`}`,
    help: `${isAsked ? 'The service may need a moment.' : why} Look with \`roster runs show ${id}\`, or stop it again.`,
  };
}

export interface RetryResult {
  readonly groupRunId: string;
  readonly members: readonly RetriedMember[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Starts members of a group run that never started, each start once: when its answer is lost, roster looks whether the
 * member has started.
 * @throws Problem when nothing was sent.
 */
export async function retryNotStarted(
  session: Session,
  { run, names }: { readonly run: string; readonly names: readonly string[] },
  begin: () => void = () => undefined,
): Promise<RetryResult> {
  const id = checkedId(run);
  const watch = await watchOf(session);
  const before = await readGroupRun(watch.reader, id);
  const members = membersNamed(names, before, watch.agents);
  const queue = members.map((agent) => ({ agent, starts: 1, call: retryMember(id, agent.id) }));
  const sent = new Map<Agent, Attempt<null>>();
  for await (const [{ agent }, result] of sendInTurn(queue, session.client, watch)) {
    if (result.type !== 'notSent') begin();
    sent.set(agent, result);
  }
  const [failure] = [...sent.values()].flatMap((each) => (each.type === 'notSent' ? [each.failure] : []));
  if (failure !== undefined && [...sent.values()].every(({ type }) => type === 'notSent'))
    throw new Problem(failure.diagnostic);
  const started = await jobsOfMembers(id, before, sent, watch);
  const results = [...sent].map(([agent, each]) => retried(agent, each, started.get(agent) ?? null));
  const diagnostics = results.flatMap((each) => notRetried(each, id));
  const unsent = failure === undefined ? [] : [failure.diagnostic];
  return {
    groupRunId: id,
    members: results,
    diagnostics: [...session.warnings, ...diagnostics, ...unsent],
  };
}

/** Where there is no such group run, says what the id is instead. Throws a Problem. */
async function readGroupRun(reader: Reader, id: string): Promise<GroupRun> {
  const read = await unlessGone(reader.read(getGroupRun(id)));
  if (read !== null) return read;
  const found = await anyRunWithId(reader, id);
  throw found.kind?.name === 'groupRun' ? unknownRun(id) : wrongKind(found, 'a group run');
}

/** Those that are to be started. Throws a Problem with everything that is wrong: then nothing is started. */
function membersNamed(names: readonly string[], run: GroupRun, agents: readonly Agent[]): readonly Agent[] {
  const missing = new Set(run.notStarted.map((each) => memberNotStarted(each, agents).address));
  const found = names.map((name) =>
    agentNamed(name.startsWith(AGENT) ? name.slice(AGENT.length) : name, agents),
  );
  const wrong = found.filter((agent) => !missing.has(addressOfAgent(agent)));
  if (wrong.length > 0) throw new Problem(wrong.map((agent) => notWaiting(agent, run)));
  return [...new Map(found.map((agent) => [agent.id, agent])).values()];
}

function notWaiting(agent: Agent, { jobs }: GroupRun): Diagnostic {
  const job = jobs.find(({ agentName }) => agentName === agent.name);
  const address = addressOfAgent(agent);
  const [message, help] =
    job === undefined
      ? [
          `${address} is not among the members of this group run that never started`,
          'See `roster runs show` for its members.',
        ]
      : [
          `${address} has started in this group run, as job ${job.id}`,
          `To run it again, use \`roster run ${address}\`.`,
        ];
  return { severity: 'error', code: 'usage', message, help };
}

/** The jobs of the members that may have started; null where the group run does not show one. */
async function jobsOfMembers(
  id: string,
  before: GroupRun,
  sent: ReadonlyMap<Agent, Attempt<null>>,
  watch: Watch,
): Promise<ReadonlyMap<Agent, string | null>> {
  const wanted = [...sent].flatMap(([agent, { type }]) =>
    type === 'done' || type === 'unknown' ? [agent] : [],
  );
  if (wanted.length === 0) return new Map();
  const known = new Set(before.jobs.map((job) => job.id));
  // What the starts came to is more important than a look that failed.
  const look = async () => {
    const run = await orElse(watch.reader.read(getGroupRun(id)), () => null);
    return new Map(wanted.map((agent) => [agent, run && newJob(agent, run, known, watch.agents)]));
  };
  return watch.lookUntil(look, (seen) => [...seen.values()].every((job) => job !== null));
}

/** A job that was not there before, of a member that is no longer listed as not started. */
function newJob(
  agent: Agent,
  { jobs, notStarted }: GroupRun,
  known: ReadonlySet<string>,
  agents: readonly Agent[],
): string | null {
  const address = addressOfAgent(agent);
  if (notStarted.some((each) => memberNotStarted(each, agents).address === address)) return null;
  return jobs.find(({ id, agentName }) => agentName === agent.name && !known.has(id))?.id ?? null;
}

function retried(agent: Agent, sent: Attempt<null>, jobId: string | null): RetriedMember {
  const member = { address: addressOfAgent(agent), jobId };
  if (jobId !== null) return { ...member, result: 'started', message: null };
  const unknown = (message: string): RetriedMember => ({ ...member, result: 'unknown', message });
  switch (sent.type) {
    case 'refused':
      return { ...member, result: 'refused', message: sent.failure.reason };
    case 'notSent':
      return { ...member, result: 'notSent', message: 'its start was not sent' };
    case 'unknown':
      return unknown(`${sent.failure.facts.message}; its job was not found`);
    case 'done':
      return unknown('the service accepted the start, and does not show its job');
  }
}

function notRetried({ address, result, message }: RetriedMember, id: string): readonly Diagnostic[] {
  const because = message === null ? '' : `: ${message}`;
  if (result === 'refused')
    return [{ severity: 'error', code: 'not-started', message: `${address} was not started${because}` }];
  if (result !== 'unknown') return [];
  return [
    {
      severity: 'error',
      code: 'start-unknown',
      message: `it is not known whether ${address} has started${because}`,
      help: `Check \`roster runs show ${id}\` before you retry it again.`,
    },
  ];
}

export interface AcknowledgeResult {
  readonly runs: readonly AcknowledgedRun[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Acknowledges failures, or reports them again: by the ids of runs of agents, which takes one request each, or of what they
 * belong to. Repeating it changes nothing, so a lost answer is asked for again.
 * @throws Problem when nothing was changed.
 */
export async function acknowledge(
  session: Session,
  { ids, undo }: { readonly ids: readonly string[]; readonly undo: boolean },
  begin: () => void = () => undefined,
): Promise<AcknowledgeResult> {
  const names = [...new Set(ids.map(checkedId))];
  const work = new Acknowledgement(session, undo, begin);
  for (const id of names) if (!(await work.take(id))) break;
  const diagnostics = [...work.runs.flatMap((each) => notAcknowledged(each, undo)), ...work.failed];
  if (!work.runs.some(({ result }) => result !== 'refused') && diagnostics.length > 0)
    throw new Problem(diagnostics);
  return { runs: work.runs, diagnostics: [...session.warnings, ...diagnostics] };
}

/** What was done is kept, whatever happens next. */
class Acknowledgement {
  readonly runs: AcknowledgedRun[] = [];
  readonly failed: Diagnostic[] = [];

  constructor(
    private readonly session: Session,
    private readonly undo: boolean,
    private readonly begin: () => void,
  ) {}

  /** False where another id would fail in the same way. */
  async take(id: string): Promise<boolean> {
    try {
      await this.#acknowledge(id);
      return true;
    } catch (failure) {
      if (!(failure instanceof Problem)) throw failure;
      this.failed.push(...failure.diagnostics);
      const isForAll = failure instanceof ServiceFailure || this.session.interrupted();
      return !isForAll;
    }
  }

  async #acknowledge(id: string): Promise<void> {
    const sent = await this.#send(id, null);
    if (sent !== null) {
      this.runs.push(sent);
      return;
    }
    const reader = this.session.client.reader();
    const whole = await runWithId(reader, id);
    const count = this.runs.length;
    // The service refuses those runs of a job that have not failed.
    for (const run of await agentRunsIn(whole, 'failed', reader)) {
      const result = await this.#send(run.id, id);
      if (result?.result !== 'refused') this.runs.push(result ?? gone(run.id, id));
    }
    if (this.runs.length === count) throw problem('usage', `nothing in "${id}" has failed`);
  }

  /** Null where there is no run of an agent with this id. */
  async #send(id: string, partOf: string | null): Promise<AcknowledgedRun | null> {
    const { client } = this.session;
    if (this.session.interrupted()) throw problem('interrupted', 'interrupted before the next run');
    const sent = await attempt(client, this.undo ? restoreAttention(id) : dismissAttention(id));
    if (sent.type === 'done' || sent.type === 'unknown') this.begin();
    if (sent.type === 'done') return { id, partOf, result: 'done', message: null };
    const { facts, status, reason } = sent.failure;
    if (sent.type === 'unknown') return { id, partOf, result: 'unknown', message: facts.message };
    if (sent.type === 'refused' && status === 404) return null;
    if (sent.type === 'refused' && status === 400) return { id, partOf, result: 'refused', message: reason };
    throw sent.failure;
  }
}

/** The result for a run that was read a moment ago. */
function gone(id: string, partOf: string): AcknowledgedRun {
  return { id, partOf, result: 'refused', message: 'the service lists it, but does not find it' };
}

function notAcknowledged({ id, result, message }: AcknowledgedRun, undo: boolean): readonly Diagnostic[] {
  if (result === 'done') return [];
  const what = undo ? 'reported again' : 'acknowledged';
  if (result === 'refused')
    return [{ severity: 'error', code: 'usage', message: `run ${id} was not ${what}: ${message}` }];
  return [
    {
      severity: 'error',
      code: 'service-error',
      message: `it is not known whether run ${id} was ${what}: ${message}`,
      help: 'Run it again: repeating it changes nothing.',
    },
  ];
}

/**
 * Makes the service read the unfinished runs of a run again from its execution engine, and returns its state then. Starts
 * and stops nothing (interface §3).
 * @throws Problem for an unknown id, and when the service does not answer.
 */
export async function refreshRun(session: Session, text: string): Promise<ShownState> {
  const id = checkedId(text);
  const watch = await watchOf(session);
  const { reader } = watch;
  if (await refreshed(session, id)) return currentState(await agentRunWithId(reader, id), watch);
  const open = await agentRunsIn(await runWithId(reader, id), 'running', reader);
  for (const run of open) {
    if (watch.interrupted) throw problem('interrupted', 'interrupted before all runs were read again');
    await refreshed(session, run.id);
  }
  return currentState(await runWithId(reader, id), watch);
}

/** False where there is no run of an agent with this id, which has the form of one. */
async function refreshed({ client }: Session, id: string): Promise<boolean> {
  const sent = await attempt(client, refresh(id));
  if (sent.type === 'done') return true;
  if (sent.failure.status === 404) return false;
  throw sent.failure;
}

export interface RemoveCallbacks {
  /** Something may have been deleted from now on. */
  onBegin?(): void;
  /** Whether to delete it. Without it, the deletion counts as confirmed. */
  confirm?(run: ServiceRun): Promise<Confirmation>;
}

/**
 * Deletes a group run or pipeline run that has finished, with its jobs and their history, permanently (interface §4), and
 * looks whether it is gone.
 * @throws Problem for any other id, and when it is not confirmed or not deleted.
 */
export async function removeRun(
  session: Session,
  text: string,
  { onBegin, confirm }: RemoveCallbacks = {},
): Promise<ServiceRun> {
  const id = checkedId(text);
  const watch = await watchOf(session);
  const found = await anyRunWithId(watch.reader, id);
  if (!isWhole(found) || found.kind.remove === null) throw wrongKind(found, 'a group run or a pipeline run');
  const name = `${kindNameOf(found)} ${id}`;
  const run = await found.now(unknownSubject, watch);
  if (run.state === 'running')
    throw problem('usage', `${name} has not finished`, `Stop it first: \`roster runs stop ${id}\`.`);
  const answer = (await confirm?.(run)) ?? 'yes';
  if (answer === 'interrupted' || watch.interrupted)
    throw problem('interrupted', 'interrupted: nothing was deleted');
  if (answer === 'no') throw problem('not-confirmed', 'not confirmed: nothing was deleted');
  const sent = await attempt(session.client, found.kind.remove(id));
  const failure = sent.type === 'done' ? null : sent.failure;
  // An earlier attempt, or somebody else, may have deleted it. A 404 to the first attempt means that nothing has begun.
  if (failure !== null && sent.type !== 'unknown' && failure.status !== 404) throw failure;
  if (failure === null || sent.type === 'unknown' || failure.attempts > 1) onBegin?.();
  if (!(await remains(found, watch))) return run;
  if (watch.interrupted) throw problem('interrupted', `interrupted: ${name} is still there`);
  if (failure !== null) throw failure;
  throw problem(
    'not-converged',
    `the service still shows ${name} after it was deleted`,
    `Check \`roster runs show ${id}\`, then run this again.`,
  );
}

function remains({ id, kind }: FoundRun, watch: Watch): Promise<boolean> {
  const look = async () => (await kind.read(watch.reader, [id])).length > 0;
  return watch.lookUntil(look, (isThere) => !isThere);
}
