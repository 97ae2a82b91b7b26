import type { Run } from '../../model/run.js';
import type { Client } from '../../service/client.js';
import type { ServiceFailure } from '../../service/failure.js';
import { attempt, orElse } from '../../service/operation.js';
import { stopRun } from '../../service/operations/agent-runs.js';
import type { Watch } from '../watch.js';
import { type FollowedRun, pollRuns } from './follow.js';
import { jobsOf } from './run-kinds.js';

/** The members of a group start one after another, so that one look may miss some. */
const ROUNDS = 5;
const BETWEEN_ROUNDS_MS = 1_000;

/** Stops what is running, as far as the service allows it, and remembers what was asked to stop. */
export class Stops {
  /** The ids of runs of which a part was asked to stop. */
  readonly asked = new Set<string>();
  /** Why a part of a run was not stopped, by the id of the run. */
  readonly refusals = new Map<string, string>();
  /** Looks that failed after something was asked to stop: what was asked must be reported all the same. */
  readonly unseen: ServiceFailure[] = [];

  constructor(
    private readonly client: Client,
    private readonly watch: Watch,
  ) {}

  /** Returns what the runs are then. Throws a ServiceFailure if nothing was sent. */
  async stop(followed: readonly FollowedRun[]): Promise<ReadonlyMap<string, Run>> {
    let seen = await pollRuns(followed, this.watch);
    for (let round = 0; round < ROUNDS; round += 1) {
      const running = [...seen.values()].filter(({ state }) => state === 'running');
      if (running.length === 0 || this.watch.interrupted) break;
      await Promise.all(running.map((run) => this.#stopJobs(run)));
      await this.watch.sleep(BETWEEN_ROUNDS_MS);
      seen = new Map([...seen, ...(await this.look(() => pollRuns(followed, this.watch), new Map()))]);
    }
    return seen;
  }

  /** To stop a job, each of its runs is stopped (interface §4). */
  async #stopJobs(run: Run): Promise<void> {
    const jobs = jobsOf(run).flatMap(({ id, state }) => (state === 'running' && id !== null ? [id] : []));
    const lists = await Promise.all(jobs.map((id) => this.watch.runsOf(id)));
    const active = lists.flat().filter(({ isTerminal }) => !isTerminal);
    await Promise.all(active.map(({ id }) => this.ask(id, run.id ?? id)));
  }

  /** `whole`: what is reported. A run may end by itself in between; the poll that follows shows what did not stop. */
  async ask(runId: string, whole: string): Promise<void> {
    // Stops that wait for their turn are not sent after an interrupt.
    const guard = () => (this.watch.interrupted ? 'the command was interrupted' : null);
    const sent = await attempt(this.client, stopRun(runId), guard);
    const isSent = sent.type === 'done' || sent.failure.certainty !== 'not-sent';
    if (isSent) this.asked.add(whole);
    if (sent.type !== 'done' && (isSent || !this.watch.interrupted))
      this.refusals.set(whole, sent.failure.reason);
  }

  /** A look that fails is remembered, and `otherwise` stands for what it would have shown. */
  look<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
    return orElse(read(), (failure) => {
      this.unseen.push(failure);
      return otherwise;
    });
  }
}
