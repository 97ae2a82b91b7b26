import type { Clock } from '../../engine/clock.js';

/** Milliseconds that an interrupt may have to wait for. */
const SLICE_MS = 200;

/** Measures and waits. What was slept counts as passed, so that clocks of tests need not agree with their sleeps. */
export interface Timer {
  /** Milliseconds since the timer was made. */
  now(): number;
  /** Ends early with an interrupt. */
  sleep(milliseconds: number): Promise<void>;
}

export function timerOf({ monotonic, sleep }: Clock, interrupted: () => boolean): Timer {
  const start = monotonic();
  let ahead = 0;
  const now = () => monotonic() - start + ahead;
  return {
    now,
    async sleep(milliseconds) {
      const until = now() + milliseconds;
      while (now() < until && !interrupted()) {
        const slice = Math.min(SLICE_MS, until - now());
        const end = now() + slice;
        await sleep(slice);
        ahead += Math.max(0, end - now());
      }
    },
  };
}
