import type { ServiceRun } from '../../model/run.js';
import type { Client } from '../../service/client.js';
import { ServiceFailure } from '../../service/failure.js';
import { callOperation } from '../../service/operation.js';
import { stopRun } from '../../service/operations/agent-runs.js';
import { type FollowedRun, type PollContext, pollRuns } from './poll.js';

/** The members of a group start one after another, so that one look may miss some. */
const ROUNDS = 5;
const BETWEEN_ROUNDS_MS = 1_000;

export interface StopContext extends PollContext {
  readonly client: Pick<Client, 'read' | 'send'>;
  sleep(milliseconds: number): Promise<void>;
  /** True once no more runs should be asked to stop. Default: never. */
  interrupted?(): boolean;
  /** A part of a run was asked to stop, by the id of the run. */
  onAsked?(id: string): void;
  /** Why a part of a run was not stopped, by the id of the run. */
  onRefusal?(id: string, message: string): void;
  /** That it cannot be read what the runs are after they were asked to stop. */
  onUnseen?(failure: ServiceFailure): void;
}

/** Stops what is running, as far as the service allows it, and returns what the runs are then. */
export async function stopRuns(
  followed: readonly FollowedRun[],
  context: StopContext,
): Promise<ReadonlyMap<string, ServiceRun>> {
  let seen = await pollRuns(followed, context);
  for (let round = 0; round < ROUNDS; round += 1) {
    const running = [...seen.values()].filter(({ state }) => state === 'running');
    if (running.length === 0 || context.interrupted?.() === true) break;
    await Promise.all(running.flatMap((run) => jobsOf(run).map((jobId) => stopJob(jobId, run, context))));
    if (context.interrupted?.() !== true) await context.sleep(BETWEEN_ROUNDS_MS);
    seen = new Map([...seen, ...(await lookAgain(followed, context))]);
  }
  return seen;
}

/** What was asked to stop must be reported, also where this look fails and nobody else wants to know. */
async function lookAgain(
  followed: readonly FollowedRun[],
  context: StopContext,
): Promise<ReadonlyMap<string, ServiceRun>> {
  try {
    return await pollRuns(followed, context);
  } catch (failure) {
    if (!(failure instanceof ServiceFailure) || context.onUnseen === undefined) throw failure;
    context.onUnseen(failure);
    return new Map();
  }
}

function jobsOf(run: ServiceRun): readonly string[] {
  const jobs = run.idKind === 'job' ? [run] : run.members;
  return jobs.flatMap(({ id, state }) => (state === 'running' && id !== null ? [id] : []));
}

/** To stop a job, each of its runs is stopped (interface §4). */
async function stopJob(jobId: string, { id }: ServiceRun, context: StopContext): Promise<void> {
  const runs = await context.details.refresh(jobId);
  const active = runs.filter(({ isTerminal }) => !isTerminal);
  await Promise.all(active.map((run) => askToStop(run.id, id ?? jobId, context)));
}

/** `whole`: what is reported. A run may end by itself in between; the poll that follows shows what did not stop. */
export async function askToStop(runId: string, whole: string, context: StopContext): Promise<void> {
  try {
    await callOperation(context.client, stopRun(runId));
    context.onAsked?.(whole);
  } catch (failure) {
    if (!(failure instanceof ServiceFailure)) throw failure;
    if (failure.certainty !== 'not-sent') context.onAsked?.(whole);
    else if (context.interrupted?.() === true) return;
    context.onRefusal?.(whole, failure.facts.reason ?? failure.facts.message);
  }
}
