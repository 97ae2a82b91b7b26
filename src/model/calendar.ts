import type { Address } from './resource.js';

/** When the declared schedules start agents, and how many. */
export interface Calendar {
  readonly project: string;
  readonly environment: string | null;
  readonly timeZone: string;
  readonly from: Date;
  /** Not part of the calendar. */
  readonly until: Date;
  readonly limit: number;
  readonly days: readonly CalendarDay[];
  readonly schedules: number;
  readonly starts: number;
  /** In order of time. */
  readonly busiest: readonly CalendarMinute[];
  /** The number of minutes in which more start than `limits.startsPerMinute`. */
  readonly minutesOverLimit: number;
  /** Schedules that could not be counted offline, with the reason. */
  readonly uncounted: readonly { readonly address: Address; readonly reason: string }[];
}

/** A day of the wall clock. An hour that a clock change repeats counts the starts of both passes. */
export interface CalendarDay {
  /** `2026-12-01`. */
  readonly date: string;
  /** 24 numbers: agents that start in each hour. */
  readonly hours: readonly number[];
}

export interface CalendarMinute {
  /** `2026-12-01T06:00:00` as a clock in the calendar's zone shows it. */
  readonly wallClock: string;
  readonly minute: Date;
  readonly starts: number;
  readonly by: readonly { readonly address: Address; readonly starts: number }[];
}
