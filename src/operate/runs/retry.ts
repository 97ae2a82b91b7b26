import type { Session } from '../../engine/session.js';
import { type Diagnostic, Problem, problem } from '../../model/diagnostic.js';
import { pollUntil } from '../../model/poll.js';
import type { Reader } from '../../model/request.js';
import type { Agent } from '../../model/resource.js';
import type { RetriedMember } from '../../model/run-history.js';
import { ServiceFailure } from '../../service/failure.js';
import { callOperation } from '../../service/operation.js';
import { listAgents } from '../../service/operations/agents.js';
import { type GroupRun, getGroupRun, retryMember } from '../../service/operations/group-runs.js';
import { checkedId } from '../run/by-id.js';
import { AGENT } from '../run/objects.js';
import { Pacer } from '../run/pace.js';
import { addressOfAgent, memberNotStarted } from '../run/states.js';
import { agentNamed } from '../run/targets.js';
import { timerOf } from '../run/timer.js';
import { readOrName } from './wrong-kind.js';

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
  const reader = session.client.reader();
  const [before, agents] = await Promise.all([
    readOrName(reader, id, getGroupRun(id), 'groupRun'),
    reader.readAll(listAgents()),
  ]);
  const members = membersNamed(names, before, agents);
  const sent = await sendAll(id, members, session, begin);
  const isSent = ({ type }: SentRetry) => type !== 'notSent';
  const [failure] = [...sent.values()].flatMap((each) => (each.type === 'notSent' ? [each.failure] : []));
  if (failure !== undefined && ![...sent.values()].some(isSent)) throw new Problem(failure);
  const started = await lookFor(id, { before, sent, agents }, session);
  const results = members.map((agent) => resultOf(agent, sent.get(agent) ?? LOST, started.get(agent)));
  const diagnostics = results.flatMap((each) => diagnosticOf(each, id));
  return {
    groupRunId: id,
    members: results,
    diagnostics: [...session.warnings, ...diagnostics, ...(failure === undefined ? [] : [failure])],
  };
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
  if (job === undefined) {
    const message = `${address} is not among the members of this group run that never started`;
    return { severity: 'error', code: 'usage', message, help: 'See `roster runs show` for its members.' };
  }
  const message = `${address} has started in this group run, as job ${job.id}`;
  return {
    severity: 'error',
    code: 'usage',
    message,
    help: `To run it again, use \`roster run ${address}\`.`,
  };
}

type SentRetry =
  | { readonly type: 'accepted' }
  | { readonly type: 'lost' | 'refused'; readonly message: string }
  | { readonly type: 'notSent'; readonly failure: Diagnostic };

const LOST: SentRetry = { type: 'lost', message: 'the response was lost' };

async function sendAll(
  id: string,
  members: readonly Agent[],
  session: Session,
  begin: () => void,
): Promise<ReadonlyMap<Agent, SentRetry>> {
  const pacer = new Pacer(timerOf(session.clock, () => session.interrupted()));
  const sent = new Map<Agent, SentRetry>();
  let stopped: Diagnostic | null = null;
  for (const agent of members) {
    if (stopped === null) await pacer.take(1);
    if (session.interrupted()) stopped ??= INTERRUPTED;
    const result: SentRetry =
      stopped === null ? await send(id, agent, session) : { type: 'notSent', failure: stopped };
    if (result.type === 'notSent') stopped = result.failure;
    else begin();
    sent.set(agent, result);
  }
  return sent;
}

const INTERRUPTED: Diagnostic = {
  severity: 'error',
  code: 'interrupted',
  message: 'interrupted before all members were started',
};

async function send(id: string, agent: Agent, { client }: Session): Promise<SentRetry> {
  try {
    await callOperation(client, retryMember(id, agent.id));
    return { type: 'accepted' };
  } catch (failure) {
    if (!(failure instanceof ServiceFailure)) throw failure;
    const { message, reason = message, certainty, status, code } = failure.facts;
    if (certainty === 'unknown') return { type: 'lost', message };
    if (certainty === 'refused' && status !== 401 && status !== 429)
      return { type: 'refused', message: reason };
    const [first = { severity: 'error', code, message }] = failure.diagnostics;
    return { type: 'notSent', failure: first };
  }
}

/** The jobs of the members that may have started; null where the group run does not show one. */
async function lookFor(
  id: string,
  {
    before,
    sent,
    agents,
  }: { before: GroupRun; sent: ReadonlyMap<Agent, SentRetry>; agents: readonly Agent[] },
  session: Session,
): Promise<ReadonlyMap<Agent, string | null>> {
  const wanted = [...sent].flatMap(([agent, { type }]) =>
    type === 'accepted' || type === 'lost' ? [agent] : [],
  );
  if (wanted.length === 0) return new Map();
  const reader = session.client.reader();
  const known = new Set(before.jobs.map((job) => job.id));
  const look = async () => {
    const run = await readAgain(reader, id);
    return new Map(
      wanted.map((agent) => [agent, run === null ? null : newJob(agent, { run, known, agents })]),
    );
  };
  const isDone = (seen: ReadonlyMap<Agent, string | null>) => [...seen.values()].every((job) => job !== null);
  return pollUntil(look, isDone, (milliseconds) => session.clock.sleep(milliseconds));
}

/** What the starts came to is more important than a look that failed. */
async function readAgain(reader: Reader, id: string): Promise<GroupRun | null> {
  try {
    return await reader.read(getGroupRun(id));
  } catch (failure) {
    if (failure instanceof ServiceFailure) return null;
    throw failure;
  }
}

/** A job that was not there before, of a member that is no longer listed as not started. */
function newJob(
  agent: Agent,
  { run, known, agents }: { run: GroupRun; known: ReadonlySet<string>; agents: readonly Agent[] },
): string | null {
  const address = addressOfAgent(agent);
  const isMissing = run.notStarted.some((each) => memberNotStarted(each, agents).address === address);
  const job = run.jobs.find(({ id, agentName }) => agentName === agent.name && !known.has(id));
  return isMissing ? null : (job?.id ?? null);
}

function resultOf(agent: Agent, sent: SentRetry, found: string | null | undefined): RetriedMember {
  const address = addressOfAgent(agent);
  const jobId = found ?? null;
  if (jobId !== null) return { address, jobId, result: 'started', message: null };
  switch (sent.type) {
    case 'refused':
      return { address, jobId, result: 'refused', message: sent.message };
    case 'notSent':
      return { address, jobId, result: 'notSent', message: 'its start was not sent' };
    case 'lost':
      return { address, jobId, result: 'unknown', message: `${sent.message}; its job was not found` };
    case 'accepted':
      return {
        address,
        jobId,
        result: 'unknown',
        message: 'the service accepted the start, and does not show its job',
      };
  }
}

function diagnosticOf({ address, result, message }: RetriedMember, id: string): readonly Diagnostic[] {
  const because = message === null ? '' : `: ${message}`;
  if (result === 'refused')
    return [{ severity: 'error', code: 'not-started', message: `${address} was not started${because}` }];
  if (result !== 'unknown') return [];
  const known = problem(
    'start-unknown',
    `it is not known whether ${address} has started${because}`,
    `Check \`roster runs show ${id}\` before you retry it again.`,
  );
  return known.diagnostics;
}
