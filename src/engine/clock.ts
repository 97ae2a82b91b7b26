import { setTimeout as wait } from 'node:timers/promises';

/** The clock of the use cases and of the leases of locks, which tests replace. The client has timeouts of its own. */
export interface Clock {
  now(): Date;
  /** Milliseconds since any moment, by a clock that nobody sets: for how long something took. */
  monotonic(): number;
  /** Ends early, without an error, when the signal fires. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The system clock: the default. */
export function clockOf({ now, monotonic, sleep }: ClockOptions): Clock {
  return {
    now: now ?? (() => new Date()),
    monotonic: monotonic ?? (() => performance.now()),
    sleep: sleep ?? pause,
  };
}

async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}

/** `Date` counts whole seconds, and takes time to arrive. */
const AGREEMENT_MS = 120_000;

/** What time it is by the service's clock, if it differs from this machine's. */
export function serviceNow(clock: Clock, client: { serviceTime(): number | null }): Date {
  const own = clock.now();
  const time = client.serviceTime();
  return time === null || Math.abs(time - own.getTime()) < AGREEMENT_MS ? own : new Date(time);
}

/** The time by the service's clock, ISO 8601; null where this machine's agrees with it. */
export function differingServiceTime({
  clock,
  serviceNow: now,
}: {
  readonly clock: Clock;
  serviceNow(): Date;
}): string | null {
  const time = now();
  return Math.abs(time.getTime() - clock.now().getTime()) < AGREEMENT_MS ? null : time.toISOString();
}

export interface ClockOptions {
  readonly now?: (() => Date) | undefined;
  /** Milliseconds since any moment. */
  readonly monotonic?: (() => number) | undefined;
  readonly sleep?: Clock['sleep'] | undefined;
}
