/**
 * How long a lock lasts. Two machines never agree on the time, so each side measures with its own clock only: the holder
 * stops before its lease can end for anyone, and another run takes over what it has itself seen unchanged for a lease.
 */

export interface LeaseClock {
  now(): Date;
  /** Milliseconds since any moment: a clock that nobody sets. */
  monotonic(): number;
}

export interface LeaseOptions {
  /** Default: the clocks of the system. */
  readonly clock?: LeaseClock;
  /** The longest time from asking `lost` to the end of the request that follows. Default: 30,000. */
  readonly longestRequestMs?: number;
}

export const systemClock: LeaseClock = { now: () => new Date(), monotonic: () => performance.now() };

/** How often a run renews its lock. */
export const RENEWAL_MS = 60_000;
/** A run starts no request this long after the last renewal that succeeded: two may fail. */
const HOLD_MS = 150_000;
/** A margin for the time that a request takes to reach the service, and for clocks that run slightly fast. */
const MARGIN_MS = 20_000;
/** The lease of roster 0.1, which does not write it down, and of a lock that cannot be read. */
const FORMER_LEASE_MS = 600_000;

/** A lock that was not renewed for this long belongs to a run that has ended, or that sends nothing more. */
export function leaseOf({ longestRequestMs = 30_000 }: LeaseOptions): number {
  return HOLD_MS + longestRequestMs + MARGIN_MS;
}

/** No `--timeout` is longer than an hour: a longer lease in a lock is not believed. */
export const LONGEST_LEASE_MS = leaseOf({ longestRequestMs: 3_600_000 });

export function readLease(value: unknown): number {
  return typeof value === 'number' && value >= HOLD_MS ? Math.min(value, LONGEST_LEASE_MS) : FORMER_LEASE_MS;
}

export interface Reading {
  readonly monotonic: number;
  readonly wall: number;
}

/** The larger of both: one clock may stand still while the machine sleeps, the other may be set back. */
export function passed(from: Reading, to: Reading): number {
  return Math.max(to.monotonic - from.monotonic, to.wall - from.wall);
}

/** The holder's side. */
export class Lease {
  private renewed: Reading;

  /** Create it before the request that takes the lock. */
  constructor(private readonly clock: LeaseClock) {
    this.renewed = this.read();
  }

  read(): Reading {
    return { monotonic: this.clock.monotonic(), wall: this.clock.now().getTime() };
  }

  /** @param before a reading from before the renewal was sent: others may have seen it since. */
  renewedAt(before: Reading): void {
    this.renewed = before;
  }

  isOver(now = this.read()): boolean {
    return passed(this.renewed, now) >= HOLD_MS;
  }
}

/** The side of a run that finds the lock held. */
export class LockWatch {
  private seen: { readonly version: string; readonly since: number } | null = null;

  constructor(private readonly clock: LeaseClock) {}

  /**
   * For how many milliseconds the lock must still be seen unchanged before it may be taken over; 0 for now.
   * @param version differs after each renewal; it was read just before.
   */
  left(version: string, leaseMs: number): number {
    const now = this.clock.monotonic();
    if (this.seen?.version !== version) this.seen = { version, since: now };
    return Math.max(0, this.seen.since + leaseMs - now);
  }
}
