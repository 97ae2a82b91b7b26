import type { Confirmation } from '../../engine/reviewed-run.js';
import type { Session } from '../../engine/session.js';
import type { BatchResult, ItemResult } from '../../model/batch.js';
import { type Diagnostic, Problem, problem } from '../../model/diagnostic.js';
import type { Reader } from '../../model/request.js';
import type { Agent } from '../../model/resource.js';
import { type AgentRunPart, type RetriedMember, type Run, runKindNames } from '../../model/run.js';
import { type Attempt, attempt, orElse, unlessGone } from '../../service/operation.js';
import {
  dismissAttention,
  refreshRun as refresh,
  restoreAttention,
} from '../../service/operations/agent-runs.js';
import { listAgents } from '../../service/operations/agents.js';
import { type GroupRun, getGroupRun, retryMember } from '../../service/operations/group-runs.js';
import { AGENT, addressOfAgent, agentNamed } from '../agents.js';
import {
  batchResult,
  type Changed,
  type ChangedItem,
  changeOne,
  itemResult,
  leftUndone,
  requireYes,
  runBatch,
} from '../batch.js';
import {
  agentRunWithId,
  anyRunWithId,
  checkedId,
  type FoundRun,
  kindNameOf,
  runWithId,
  unknownRun,
  unknownSubject,
} from '../run/run-kinds.js';
import { memberNotStarted } from '../run/states.js';
import { Stops } from '../run/stop.js';
import { Watch } from '../watch.js';
import { agentRunsIn, currentState, isWhole, wholeAddresses, wrongKind } from './show.js';

/** What changes runs that exist: stop, retry, ack, refresh, rm. Each write is sent once, and its effect is looked at. */

async function watchOf(session: Session): Promise<Watch> {
  return new Watch(session, await session.client.reader().readAll(listAgents()));
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
): Promise<BatchResult<Run>> {
  const ids = [...new Set(texts.map(checkedId))];
  const watch = await watchOf(session);
  const found = await Promise.all(ids.map((id) => anyRunWithId(watch.reader, id)));
  const addresses = await wholeAddresses(found, session);
  const before = await Promise.all(found.map((each) => currentState(each, watch, addresses)));
  const stops = new Stops(session.client, watch);
  const running = before.filter(({ state }) => state === 'running');
  const { results: asked, failures: unsent } = await runBatch<Run>(session, {
    items: running,
    // Their members stop while the others are asked to.
    atOnce: running.length,
    async change(...open) {
      begin();
      const after = await stopAll(open, stops, watch);
      return open.map((run) => stopped(run, after.get(run.id) ?? run, stops, watch));
    },
    interruption: leftUndone('asked to stop', running.length),
    begin,
  });
  if (unsent.length > 0) throw new Problem(unsent);
  const results = before.map(
    (run) => asked.find(({ item }) => item.id === run.id) ?? itemResult(run, 'unchanged', run.message),
  );
  const isOpen = results.some(({ item }) => item.state === 'running');
  const interrupted = problem('interrupted', 'interrupted before everything had stopped').diagnostics;
  const failures = watch.interrupted && isOpen ? interrupted : [];
  // A look that failed in between does not matter once everything is seen to have stopped.
  const severity = isOpen ? 'error' : 'warning';
  const unread = new Map(
    stops.unseen.map(({ diagnostic }) => [diagnostic.message, { ...diagnostic, severity } as const]),
  );
  return batchResult(session, results, [...failures, ...unread.values()]);
}

/** What the runs are then, by id. */
async function stopAll(
  open: readonly Run[],
  stops: Stops,
  watch: Watch,
): Promise<ReadonlyMap<string | null, Run>> {
  const wholes = open.flatMap(({ id, idKind, address }) =>
    id === null || idKind === 'run' ? [] : [{ id, idKind, address, agents: [] }],
  );
  const [stoppedWholes, singles] = await Promise.all([
    stops.stop(wholes),
    Promise.all(open.flatMap((run) => (run.idKind === 'run' ? [stopSingle(run, stops, watch)] : []))),
  ]);
  return new Map([...stoppedWholes.values(), ...singles].map((run) => [run.id, run]));
}

async function stopSingle(run: Run, stops: Stops, watch: Watch): Promise<Run> {
  const id = run.id ?? '';
  await stops.ask(id, id);
  const look = async () => currentState(await agentRunWithId(watch.reader, id), watch);
  const now = await stops.look(() => watch.lookUntil(look, ({ state }) => state !== 'running'), run);
  // A stopped run does not say how it ended, and one that goes on has no message.
  return now.state === 'running' ? { ...now, message: null } : { ...now, state: 'stopped' };
}

function stopped(run: Run, seen: Run, stops: Stops, watch: Watch): ItemResult<Run> {
  const { address, state } = seen;
  const message = seen.message ?? stops.refusals.get(run.id ?? '') ?? null;
  const now = { ...run, address, state, message };
  if (state !== 'running') return itemResult(now, 'done', message);
  const fate = fateOfStop(run.id ?? '', stops);
  return itemResult(now, fate, message, notStopped(now, fate, watch));
}

function fateOfStop(id: string, { asked, unseen }: Stops): 'notSent' | 'unknown' | 'refused' {
  if (!asked.has(id)) return 'notSent';
  return unseen.length > 0 ? 'unknown' : 'refused';
}

const stopWords = {
  notSent: 'was not asked to stop',
  unknown: 'was asked to stop, and it is not known whether it has',
  refused: 'still runs, although it was asked to stop',
} as const;

function notStopped(
  { id, idKind, address, message }: Run,
  fate: keyof typeof stopWords,
  { interrupted }: Watch,
): Problem {
  const kind = idKind === 'run' ? 'run of an agent' : runKindNames[idKind];
  const name = `${kind} ${id}${address === null ? '' : ` (${address})`}`;
  const why = interrupted
    ? 'The command was interrupted first.'
    : 'The service listed no run in it that could be stopped.';
  return problem(
    'still-running',
    `${name} ${stopWords[fate]}${message === null ? '' : `: ${message}`}`,
    `${fate === 'notSent' ? why : 'The service may need a moment.'} Look with \`roster runs show ${id}\`, or stop it again.`,
  );
}

export interface RetryResult extends BatchResult<RetriedMember> {
  readonly groupRunId: string;
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
  const ended = await runBatch<RetriedMember>(session, {
    items: members.map((agent) => ({ address: addressOfAgent(agent), agent, jobId: null })),
    change: (member) => startMember(member, id, session, watch),
    async settle(results) {
      const started = await jobsOfMembers(id, before, results, watch);
      return results.map((each) => settled(each, started.get(each.item.agent) ?? null, id));
    },
    interruption: () => notSentYet().diagnostics,
    begin,
  });
  const { results, failures } = ended;
  if (results.every(({ result }) => result === 'notSent')) throw new Problem(failures);
  const isUnclear = session.interrupted() && results.some(({ result }) => result === 'unknown');
  const unclear = isUnclear
    ? problem('interrupted', 'interrupted before all jobs were found').diagnostics
    : [];
  return { groupRunId: id, ...batchResult(session, results, [...failures, ...unclear]) };
}

function notSentYet(): Problem {
  return problem('interrupted', 'the command was interrupted before this start was sent');
}

async function startMember(
  member: RetriedMember,
  groupRunId: string,
  { client }: Session,
  watch: Watch,
): Promise<ItemResult<RetriedMember>> {
  await watch.pace(1);
  if (watch.interrupted) throw notSentYet();
  const sent = await attempt(client, retryMember(groupRunId, member.agent.id));
  if (sent.type === 'done') return itemResult(member, 'done');
  if (sent.type === 'notSent') throw sent.failure;
  if (sent.type === 'unknown') return itemResult(member, 'unknown', sent.failure.facts.message);
  const { reason } = sent.failure;
  const error = problem('not-started', `${member.address} was not started: ${reason}`);
  return itemResult(member, 'refused', reason, error);
}

/** The jobs of the members that may have started; null where the group run does not show one. */
async function jobsOfMembers(
  id: string,
  before: GroupRun,
  results: readonly ItemResult<RetriedMember>[],
  watch: Watch,
): Promise<ReadonlyMap<Agent, string | null>> {
  const wanted = results.flatMap(({ item, result }) => (mayHaveStarted(result) ? [item.agent] : []));
  if (wanted.length === 0) return new Map();
  const known = new Set(before.jobs.map((job) => job.id));
  // What the starts came to is more important than a look that failed.
  const look = async () => {
    const run = await orElse(watch.reader.read(getGroupRun(id)), () => null);
    return new Map(wanted.map((agent) => [agent, run && newJob(agent, run, known, watch.agents)]));
  };
  return watch.lookUntil(look, (seen) => [...seen.values()].every((job) => job !== null));
}

function mayHaveStarted(result: ItemResult<RetriedMember>['result']): boolean {
  return result === 'done' || result === 'unknown';
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

/** What became of a start, with the job that was found for it. */
function settled(
  sent: ItemResult<RetriedMember>,
  jobId: string | null,
  groupRunId: string,
): ItemResult<RetriedMember> {
  const { item, result, message } = sent;
  if (result === 'notSent') return itemResult(item, result, 'its start was not sent');
  if (!mayHaveStarted(result)) return sent;
  if (jobId !== null) return itemResult({ ...item, jobId }, 'done');
  const reason =
    result === 'done'
      ? 'the service accepted the start, and does not show its job'
      : `${message}; its job was not found`;
  const unknown = `it is not known whether ${item.address} has started: ${reason}`;
  const help = `Check \`roster runs show ${groupRunId}\` before you retry it again.`;
  return itemResult(item, 'unknown', reason, problem('start-unknown', unknown, help));
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
): Promise<BatchResult<AgentRunPart>> {
  const ended = await runBatch<AgentRunPart>(session, {
    items: [...new Set(ids.map(checkedId))].map((id) => ({ id, partOf: null })),
    change: (run) => changeAttention(session, run, undo),
    interruption: () => problem('interrupted', 'interrupted before the next run').diagnostics,
    begin,
  });
  const results = ended.results.filter(({ result }) => result !== 'notSent' && result !== 'unchanged');
  const found = batchResult(session, results, [...ended.failures, ...withoutFailures(ended.results)]);
  const isChanged = results.some(({ result }) => result !== 'refused');
  const errors = found.diagnostics.filter(({ severity }) => severity === 'error');
  if (!isChanged && errors.length > 0) throw new Problem(errors);
  return found;
}

/** An id that is not one of a run of an agent stands for the failed runs in it. */
async function changeAttention(
  { client }: Session,
  run: AgentRunPart,
  undo: boolean,
): Promise<Changed<AgentRunPart>> {
  const { id, partOf } = run;
  const sent = await attempt(client, undo ? restoreAttention(id) : dismissAttention(id));
  if (sent.type === 'done') return itemResult(run, 'done');
  const what = undo ? 'reported again' : 'acknowledged';
  const { facts, status, reason } = sent.failure;
  if (sent.type === 'unknown') {
    const message = `it is not known whether run ${id} was ${what}: ${facts.message}`;
    const help = 'Run it again: repeating it changes nothing.';
    return itemResult(run, 'unknown', facts.message, problem('service-error', message, help));
  }
  if (sent.type !== 'refused' || (status !== 404 && status !== 400)) throw sent.failure;
  // The service refuses those runs of a job that have not failed.
  if (status === 400 && partOf !== null) return itemResult(run, 'unchanged');
  if (status === 400 || partOf !== null) {
    const why = status === 400 ? reason : 'the service lists it, but does not find it';
    return itemResult(run, 'refused', why, problem('usage', `run ${id} was not ${what}: ${why}`));
  }
  const parts = await partsOf(id, 'failed', client.reader());
  if (parts.length === 0) throw nothingFailed(id);
  return { parts };
}

async function partsOf(
  id: string,
  state: 'running' | 'failed',
  reader: Reader,
): Promise<readonly AgentRunPart[]> {
  const parts = await agentRunsIn(await runWithId(reader, id), state, reader);
  return parts.map((part) => ({ id: part.id, partOf: id }));
}

function nothingFailed(id: string): Problem {
  return problem('usage', `nothing in "${id}" has failed`);
}

/** For what has failed runs as the service lists them, and it refuses all of them. */
function withoutFailures(results: readonly ItemResult<AgentRunPart>[]): readonly Diagnostic[] {
  const wholes = new Set(results.flatMap(({ item }) => item.partOf ?? []));
  return [...wholes].flatMap((id) => {
    const parts = results.filter(({ item }) => item.partOf === id);
    return parts.every(({ result }) => result === 'unchanged') ? nothingFailed(id).diagnostics : [];
  });
}

/**
 * Makes the service read the unfinished runs of a run again from its execution engine, and returns its state then. Starts
 * and stops nothing (interface §3).
 * @throws Problem for an unknown id, and when the service does not answer.
 */
export async function refreshRun(session: Session, text: string): Promise<ChangedItem<Run>> {
  const id = checkedId(text);
  const watch = await watchOf(session);
  const { reader } = watch;
  const { results, failures } = await runBatch<AgentRunPart>(session, {
    items: [{ id, partOf: null }],
    change: (run) => refreshed(session, run),
    interruption: () => problem('interrupted', 'interrupted before all runs were read again').diagnostics,
    // Reading again changes nothing.
    begin: () => undefined,
  });
  if (failures.length > 0) throw new Problem(failures);
  const isSingle = results.some(({ item }) => item.partOf === null);
  const found = isSingle ? await agentRunWithId(reader, id) : await runWithId(reader, id);
  return { item: await currentState(found, watch), diagnostics: [] };
}

/** Where there is no run of an agent with this id, it stands for the unfinished runs in what it names. */
async function refreshed({ client }: Session, run: AgentRunPart): Promise<Changed<AgentRunPart>> {
  const sent = await attempt(client, refresh(run.id));
  if (sent.type === 'done') return itemResult(run, 'done');
  if (sent.failure.status !== 404) throw sent.failure;
  if (run.partOf !== null) return itemResult(run, 'unchanged');
  return { parts: await partsOf(run.id, 'running', client.reader()) };
}

/**
 * Deletes a group run or pipeline run that has finished, with its jobs and their history, permanently (interface §4), and
 * looks whether it is gone.
 * @param confirm whether to delete it; null if that is confirmed already.
 * @throws Problem for any other id, and when it is not confirmed or not deleted.
 */
export async function removeRun(
  session: Session,
  text: string,
  confirm: ((run: Run) => Promise<Confirmation>) | null,
  begin: () => void = () => undefined,
): Promise<ChangedItem<Run>> {
  const id = checkedId(text);
  const watch = await watchOf(session);
  const found = await anyRunWithId(watch.reader, id);
  if (!isWhole(found) || found.kind.remove === null) throw wrongKind(found, 'a group run or a pipeline run');
  const run = await found.now(unknownSubject, watch);
  if (run.state === 'running') {
    const name = `${kindNameOf(found)} ${id}`;
    throw problem('usage', `${name} has not finished`, `Stop it first: \`roster runs stop ${id}\`.`);
  }
  if (confirm !== null) requireYes(session, await confirm(run), 'deleted');
  const call = found.kind.remove(id);
  return changeOne(session, 'deleted', begin, async () =>
    removed(run, await attempt(session.client, call), found, watch),
  );
}

/** The service deletes the jobs of a run as well, which may take a moment: it is looked whether the run is gone. */
async function removed(
  run: Run,
  sent: Attempt<null>,
  found: FoundRun,
  watch: Watch,
): Promise<ItemResult<Run>> {
  const failure = sent.type === 'done' ? null : sent.failure;
  // An earlier attempt, or somebody else, may have deleted it.
  if (failure !== null && sent.type !== 'unknown' && failure.status !== 404) throw failure;
  const left = await orElse(remains(found, watch), (unseen) => unseen);
  if (left === false) return itemResult(run, 'done');
  // A 404 to the first attempt means that nothing has begun.
  const hasBegun = sent.type === 'done' || sent.type === 'unknown' || sent.failure.attempts > 1;
  const why = left === true ? stillThere(found, failure, watch) : left;
  return itemResult(run, hasBegun ? 'unknown' : 'refused', null, why);
}

function stillThere(found: FoundRun, failure: Problem | null, { interrupted }: Watch): Problem {
  const name = `${kindNameOf(found)} ${found.id}`;
  if (interrupted) return problem('interrupted', `interrupted: ${name} is still there`);
  const message = `the service still shows ${name} after it was deleted`;
  const help = `Check \`roster runs show ${found.id}\`, then run this again.`;
  return failure ?? problem('not-converged', message, help);
}

function remains({ id, kind }: FoundRun, watch: Watch): Promise<boolean> {
  const look = async () => (await kind.read(watch.reader, [id])).length > 0;
  return watch.lookUntil(look, (isThere) => !isThere);
}
