import type { Timer } from './timer.js';

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

/** Keeps the starts of a run under the limit. */
export class Pacer {
  readonly #sent: SentStarts[] = [];

  constructor(private readonly timer: Timer) {}

  /** Waits until so many starts may be sent, and counts them as sent. */
  async take(starts: number): Promise<void> {
    const wait = waitBefore(this.#sent, starts, this.timer.now());
    if (wait > 0) await this.timer.sleep(wait);
    this.#sent.push({ at: this.timer.now(), starts });
  }
}
