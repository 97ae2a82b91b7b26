import type { Diagnostic } from '../../model/diagnostic.js';
import type { ServiceRun } from '../../model/run.js';
import { ServiceFailure } from '../../service/failure.js';
import { type FollowedRun, type PollContext, pollRuns } from './poll.js';
import { type Retries, retryMembers } from './retries.js';
import { runIn } from './states.js';
import type { Timer } from './timer.js';

/** Between two polls (interface §1.9: 5 to 15 seconds are advised). */
const FIRST_POLL_MS = 5_000;
const SLOWEST_POLL_MS = 15_000;
const SLOWER_BY = 1.25;
/** A list may lag behind a start. */
const UNSEEN_MS = 60_000;
/** Polls in a row that fail before the runs are given up on. Each was sent several times. */
const MOST_FAILURES = 5;
/** Every so many polls, the service is made to look after runs that its engine may have lost. */
const REFRESH_EVERY = 10;

export interface FollowOptions extends PollContext {
  readonly timer: Timer;
  /** The deadline, in milliseconds of the timer; null for none. */
  readonly until: number | null;
  /** Whether to look at once, instead of after the first interval. */
  readonly atOnce: boolean;
  readonly retries: Retries;
  interrupted(): boolean;
  /** Called after each poll, with the runs in the order in which they are followed. */
  onPoll(runs: readonly ServiceRun[]): void;
}

/** What is known of the runs at the end. */
export interface FollowResult {
  readonly runs: readonly ServiceRun[];
  /** Why they could not be followed to their ends; null when they could, or when the patience ended. */
  readonly failure: Diagnostic | null;
}

/** Polls until all runs are finished, the deadline passes, or the command is interrupted. */
export async function follow(
  followed: readonly FollowedRun[],
  options: FollowOptions,
): Promise<FollowResult> {
  const { timer, until, interrupted } = options;
  const progress = new Progress(followed, options);
  let interval = FIRST_POLL_MS;
  if (!options.atOnce) await pause(interval, options);
  while (!interrupted()) {
    const failure = await progress.poll();
    options.onPoll(progress.runs);
    if (failure !== null || progress.open.length === 0) return { runs: progress.runs, failure };
    if (until !== null && timer.now() >= until) break;
    await pause(interval, options);
    interval = Math.min(SLOWEST_POLL_MS, interval * SLOWER_BY);
  }
  return { runs: progress.runs, failure: null };
}

/** Ends at the deadline, after one last poll. */
function pause(interval: number, { timer, until }: FollowOptions): Promise<void> {
  return timer.sleep(until === null ? interval : Math.max(0, Math.min(interval, until - timer.now())));
}

class Progress {
  readonly #runs: Map<string, ServiceRun>;
  readonly #unseenSince = new Map<string, number>();
  #failures = 0;
  #polls = 0;

  constructor(
    private readonly followed: readonly FollowedRun[],
    private readonly options: FollowOptions,
  ) {
    this.#runs = new Map(
      followed.map((each) => [each.id, runIn('running', each, { startedAt: each.startedAt ?? null })]),
    );
  }

  get runs(): readonly ServiceRun[] {
    return [...this.#runs.values()];
  }

  get open(): readonly FollowedRun[] {
    return this.followed.filter(({ id }) => this.#runs.get(id)?.state === 'running');
  }

  /** The failure for which polling ends; null to go on. */
  async poll(): Promise<Diagnostic | null> {
    this.#polls += 1;
    try {
      if (this.#polls % REFRESH_EVERY === 0) await this.#refresh();
      const seen = await pollRuns(this.open, this.options);
      this.#failures = 0;
      for (const each of this.open) this.#note(each, seen.get(each.id));
      await this.#retry();
      return null;
    } catch (failure) {
      if (!(failure instanceof ServiceFailure)) throw failure;
      this.#failures += 1;
      const isFinal = failure.status === 401 || failure.status === 403;
      return isFinal || this.#failures >= MOST_FAILURES ? (failure.diagnostics[0] ?? null) : null;
    }
  }

  #note({ id }: FollowedRun, seen: ServiceRun | undefined): void {
    const before = this.#runs.get(id);
    if (seen !== undefined) {
      this.#unseenSince.delete(id);
      this.#runs.set(id, { ...seen, startedAt: seen.startedAt ?? before?.startedAt ?? null });
      return;
    }
    const since = this.#unseenSince.get(id) ?? this.options.timer.now();
    this.#unseenSince.set(id, since);
    if (before === undefined || this.options.timer.now() - since < UNSEEN_MS) return;
    this.#runs.set(id, { ...before, state: 'unknown', message: 'the service does not show it' });
  }

  /** A group whose members are started again goes on. */
  async #retry(): Promise<void> {
    for (const [id, run] of this.#runs)
      if (run.idKind === 'groupRun') this.#runs.set(id, await retryMembers(run, this.options.retries));
  }

  async #refresh(): Promise<void> {
    const jobs = this.runs.flatMap((run) => (run.members.length > 0 ? run.members : [run]));
    const active = jobs.filter(({ state, idKind }) => state === 'running' && idKind === 'job');
    await Promise.all(active.map(({ id }) => (id === null ? [] : this.options.details.refresh(id))));
  }
}
