import type { Clock } from '../engine/clock.js';
import type { ReadSession } from '../engine/session.js';
import { pollUntil, type Reader } from '../model/request.js';
import type { Agent } from '../model/resource.js';
import { orElse } from '../service/operation.js';
import { type AgentRun, listRunsOfJob } from '../service/operations/agent-runs.js';
import { detailsOf, type JobDetails } from './run/states.js';

/**
 * How a command looks after runs: it reads, remembers the details of finished jobs, waits, keeps the pace of starts, and
 * notices an interrupt. Made once for a command.
 */
export class Watch {
  readonly reader: Reader;
  readonly #start: number;
  /** What was slept counts as passed, so that clocks of tests need not agree with their sleeps. */
  #ahead = 0;
  readonly #details = new Map<string, Promise<JobDetails | null>>();
  readonly #sent: SentStarts[] = [];

  readonly #clock: Clock;
  #signal: AbortSignal | undefined;

  /** @param agents those of the account. */
  constructor(
    session: ReadSession,
    readonly agents: readonly Agent[],
  ) {
    this.reader = session.client.reader();
    this.#clock = session.clock;
    this.#signal = session.signal;
    this.#start = session.clock.monotonic();
  }

  get interrupted(): boolean {
    return this.#signal?.aborted === true;
  }

  /** From now on, it waits as if there had been no interrupt. */
  ignoreInterrupt(): void {
    this.#signal = undefined;
  }

  /** Milliseconds since it was made. */
  get now(): number {
    return this.#clock.monotonic() - this.#start + this.#ahead;
  }

  /** Ends early with an interrupt. */
  async sleep(milliseconds: number): Promise<void> {
    const until = this.now + milliseconds;
    await this.#clock.sleep(milliseconds, this.#signal);
    if (!this.interrupted) this.#ahead += Math.max(0, until - this.now);
  }

  /** Looks again while a list may lag behind a write. */
  lookUntil<T>(look: () => Promise<T>, isDone: (seen: T) => boolean): Promise<T> {
    return pollUntil(
      look,
      (seen) => isDone(seen) || this.interrupted,
      (milliseconds) => this.sleep(milliseconds),
    );
  }

  /** Waits until so many starts may be sent, and counts them as sent. */
  async pace(starts: number): Promise<void> {
    const wait = waitBefore(this.#sent, starts, this.now);
    if (wait > 0) await this.sleep(wait);
    this.#sent.push({ at: this.now, starts });
  }

  /** What the runs of a finished job show, read once. Null where the service does not answer: its state does not depend on them. */
  detailsOf(jobId: string): Promise<JobDetails | null> {
    const known = this.#details.get(jobId) ?? this.runsOf(jobId).then(detailsOf);
    this.#details.set(jobId, known);
    return known;
  }

  /** Makes the service look after the runs of a job that it does not report as finished (interface §4, jobs/{jobId}/runs). */
  runsOf(jobId: string): Promise<readonly AgentRun[]> {
    return orElse(this.reader.readAll(listRunsOfJob(jobId)), () => []);
  }
}

const WINDOW_MS = 60_000;
/** Under the service's limit of 60 (interface §8): others may start something, too. */
const STARTS_PER_WINDOW = 55;

export interface SentStarts {
  readonly at: number;
  readonly starts: number;
}

/**
 * Milliseconds until so many further starts fit into the minute before them. What is larger than a minute allows is sent
 * when nothing else was: the service starts the members of a group one after another.
 */
export function waitBefore(sent: readonly SentStarts[], starts: number, now: number): number {
  const recent = sent.filter(({ at }) => at > now - WINDOW_MS);
  let total = recent.reduce((sum, each) => sum + each.starts, 0);
  if (total === 0 || total + starts <= STARTS_PER_WINDOW) return 0;
  for (const { at, starts: ended } of recent) {
    total -= ended;
    if (total === 0 || total + starts <= STARTS_PER_WINDOW) return at + WINDOW_MS - now;
  }
  return 0;
}
