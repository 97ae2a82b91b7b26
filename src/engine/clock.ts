import { setTimeout as wait } from 'node:timers/promises';

/** The clock of the use cases, which tests replace. The stores and the client below have timeouts and leases of their own. */
export interface Clock {
  now(): Date;
  sleep(milliseconds: number): Promise<void>;
}

/** The system clock: the default. */
export function clockOf({ now, sleep }: ClockOptions): Clock {
  return {
    now: now ?? (() => new Date()),
    sleep: sleep ?? ((milliseconds) => wait(milliseconds)),
  };
}

export interface ClockOptions {
  /** What time it is. */
  readonly now?: (() => Date) | undefined;
  /** How to wait. */
  readonly sleep?: ((milliseconds: number) => Promise<void>) | undefined;
}
