import type { Address } from './resource.js';

/** When the declared schedules start agents, and how many of them. */
export interface Calendar {
  readonly project: string;
  readonly environment: string | null;
  readonly timeZone: string;
  /** The version of the time-zone data that the times were computed with, such as `2025c`: it differs between versions of Node. */
  readonly timeZoneData: string;
  readonly from: Date;
  /** Exclusive. */
  readonly until: Date;
  readonly limit: number;
  readonly days: readonly CalendarDay[];
  readonly schedules: number;
  readonly starts: number;
  /** In order of time. */
  readonly busiest: readonly CalendarMinute[];
  /** The number of minutes in which more start than `limits.startsPerMinute`. */
  readonly minutesOverLimit: number;
  /** Schedules that cannot be counted offline, with the reason. */
  readonly uncounted: readonly { readonly address: Address; readonly reason: string }[];
}

/** A day in the calendar's zone. An hour that a clock change repeats counts both. */
export interface CalendarDay {
  /** `2026-12-01`. */
  readonly date: string;
  /** 24 numbers: the agents that start in each hour. */
  readonly hours: readonly number[];
  /** For each hour, the agents that start in its busiest minute. */
  readonly peaks: readonly number[];
}

export interface CalendarMinute {
  /** Local time in the calendar's zone: `2026-12-01T06:00:00`. */
  readonly wallClock: string;
  readonly minute: Date;
  readonly starts: number;
  readonly by: readonly { readonly address: Address; readonly starts: number }[];
}

/** The starts of a project's schedules before and after a plan, over the same days. Only data, as all of a plan. */
export interface CalendarComparison {
  readonly timeZone: string;
  /** ISO 8601 in UTC. The first day begins here, not at midnight. */
  readonly from: string;
  /** Exclusive. */
  readonly until: string;
  /** `limits.startsPerMinute` of the manifest. */
  readonly limit: number;
  readonly before: CalendarSide;
  readonly after: CalendarSide;
}

export interface CalendarSide {
  readonly days: readonly CalendarDay[];
  readonly starts: number;
  readonly minutesOverLimit: number;
  /** The number of schedules whose times or agents are not known. */
  readonly uncounted: number;
}
