/** The time of the sandbox: it can start anywhere, run faster than real time, and be set or advanced at once. */
export interface SandboxClock {
  now(): Date;
  /** Negative milliseconds are refused: what has happened stays. */
  advance(ms: number): void;
  /** Milliseconds of real time in which that much time of the sandbox passes. */
  realMs(ms: number): number;
}

export interface ClockOptions {
  /** The time at the start. Default: the real time. */
  readonly now?: Date;
  /** Seconds of the sandbox in a second of real time. Default 1; 0 stops the clock. */
  readonly speed?: number;
  /** Where real time comes from, for tests. */
  readonly real?: () => Date;
}

export function sandboxClock({ now, speed = 1, real = () => new Date() }: ClockOptions = {}): SandboxClock {
  if (!(speed >= 0) || speed > MAX_SPEED)
    throw new RangeError(`the speed is not a number from 0 to ${MAX_SPEED}`);
  const began = real().getTime();
  let ahead = now === undefined ? 0 : now.getTime() - began;
  return {
    now: () => new Date(began + ahead + (real().getTime() - began) * speed),
    advance: (ms) => {
      if (!(ms >= 0) || ms > MAX_ADVANCE_MS)
        throw new RangeError('the clock can go forward by up to 10 years');
      ahead += ms;
    },
    realMs: (ms) => (speed === 0 ? ms : ms / speed),
  };
}

const MAX_SPEED = 100_000;
const MAX_ADVANCE_MS = 10 * 366 * 86_400_000;

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export const DURATION_EXAMPLES = '90s, 30m, 8h, 1d or 2w';

/** Of a duration such as `90s`, in milliseconds; null for any other text. */
export function durationMs(text: string): number | null {
  const [, count, unit] = /^(\d{1,9})([smhdw])$/.exec(text.trim()) ?? [];
  return unit === undefined ? null : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
