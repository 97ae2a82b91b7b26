import type { Call } from './request.js';
import type { Address, ObjectRef } from './resource.js';
import { agree, count, spanText } from './words.js';

/** A spec, and how many agents each of its runs starts. */
export interface SpecLoad<S> {
  readonly spec: S;
  readonly starts: number;
  /** Nothing starts before. Default: no lower bound. */
  readonly from?: Date | undefined;
}

/** The two starts of a schedule that are closest together. */
export interface CloseStarts {
  readonly seconds: number;
  /** Null where none are soon enough to be found. */
  readonly example: readonly [Date, Date] | null;
  /** They are only that close when the clocks change. */
  readonly clockChange: boolean;
}

/** When the objects of a kind start runs. A null answer means that the spec cannot be understood, unless stated otherwise. */
export interface Timetable<S> {
  /** The fields that the times depend on. */
  readonly fields: readonly string[];
  timeZone(spec: S): string;
  /** The timing in a few words: `every 6 hours from 2026-12-01T06:00:00, Europe/Berlin`. */
  describe(spec: S): string;
  /** What each run starts: an agent, or an object that can be run. Null when paused. */
  target(spec: S): ObjectRef | null;
  /** Equal texts are equal times. Null when paused. */
  times(spec: S): string | null;
  /** Instants such as `2026-12-01T06:00:00Z`, computed here. */
  nextRuns(spec: S, from: Date, count: number): readonly string[] | null;
  /** How often it runs in the long term. */
  frequency(spec: S): Frequency | null;
  /** The starts from `now` on that are closest together, if they are closer than the limit; otherwise `none`. */
  closeStarts(spec: S, limit: IntervalLimit, now: Date): CloseStarts | 'none' | null;
  /** The most seconds between two runs, apart from clock changes; null for what does not run again and again. */
  longestGap(spec: S): number | null;
  /** How clock changes affect it in a span. */
  dstAnomalies(spec: S, span: TimeSpan): readonly DstAnomaly[] | null;
  /** Asks the service. `agent` is a GUID that replaces a reference to an object not created yet. Null if no agent is known. */
  preview(spec: S, agent: string | null): Call<readonly string[]> | null;
  /** An instant as a clock in that zone shows it: `2026-12-01T07:00:00`. */
  wallClock(instant: string, timeZone: string): string;
  /** The minutes in which all these together start more than `limit` agents. Details for the `shown` busiest only. */
  busyMinutes<T extends SpecLoad<S>>(
    loads: readonly T[],
    span: TimeSpan,
    limit: number,
    shown: number,
  ): BusyMinutes<T>;
  /** The same starts by day and hour of that zone's clocks. */
  startsPerHour(loads: readonly SpecLoad<S>[], span: TimeSpan, timeZone: string): readonly CalendarDay[];
}

export interface NextRuns {
  readonly before: readonly NextRun[] | null;
  readonly after: readonly NextRun[] | null;
  /** What roster computes for `after`, where the service's preview says something else; null otherwise. */
  readonly computed: readonly NextRun[] | null;
  /** Who computed `after`: the service's own preview, or this program. */
  readonly by: 'service' | 'roster';
  readonly timeZone: string;
  /** How often in the long term. Null before it exists, and where it is not known. */
  readonly pace: { readonly before: Frequency | null; readonly after: Frequency | null };
  /** In the next year, after the change. Null where it is not known. */
  readonly clockChanges: readonly DstAnomaly[] | null;
}

/** Times of a schedule's wall clock that a clock change skips or repeats. */
export interface DstAnomaly {
  readonly effect: 'skipped' | 'repeated';
  /** The first of them, in the schedule's time zone. */
  readonly local: string;
  /** Their number. */
  readonly times: number;
  /** When the clocks change, ISO 8601 with Z. */
  readonly utc: string;
}

/** `local` is the wall clock in the schedule's time zone, `utc` is ISO 8601 with Z. */
export interface NextRun {
  readonly local: string;
  readonly utc: string;
}

/** Asks the service when a resource runs before or after its change. */
export interface Ask {
  readonly address: Address;
  readonly side: 'before' | 'after';
  readonly call: Call<readonly string[]>;
}

/** The answer: instants in UTC, or why the service rejects the schedule. */
export type Preview = { readonly runs: readonly string[] } | { readonly rejected: string };

export interface Answered {
  readonly ask: Ask;
  readonly preview: Preview;
}

/** Rounded to two decimal places, so that it prints the same everywhere. */
export function roundedFrequency(perWeek: number): number {
  return Number(perWeek.toFixed(2));
}

/** Created on first use: it costs as much as formatting a thousand numbers. */
let numbers: Intl.NumberFormat | undefined;

/** `120,960`. */
export function numberText(number: number): string {
  numbers ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
  return numbers.format(number);
}

/** `28 runs a week`; runs a year when there is less than one in two weeks, and `1 run in 4 years`. */
export function frequencyText(runsPerWeek: number): string {
  const perYear = (runsPerWeek / 7) * 365.25;
  if (perYear > 0 && perYear < 0.75) return `1 run in ${numberText(1 / perYear)} years`;
  const [number, span] = runsPerWeek >= 0.5 ? [runsPerWeek, 'week'] : [perYear, 'year'];
  const rounded = roundedFrequency(number);
  return `${numberText(rounded)} ${agree(rounded, 'run', 'runs')} a ${span}`;
}

const units = [
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** In the largest unit that has no remainder: `5 minutes`, `36 hours`. */
export function intervalText(seconds: number): string {
  const [unit, length] = units.find(([, each]) => seconds % each === 0) ?? (['second', 1] as const);
  return count(seconds / length, unit);
}

/** How often a schedule runs. 0 and null when it is paused or runs once. */
export interface Frequency {
  /** In an average week. Not rounded: a run in four years is not 0. */
  readonly runsPerWeek: number;
  /** Between the two runs closest to each other. Null as well where they are years apart. */
  readonly shortestGapSeconds: number | null;
  /** Missing unless it is paused. */
  readonly paused?: true;
}

/** `limits.shortestInterval`, such as `5 minutes`, or `none`. */
export interface IntervalLimit {
  /** The one spelling, in the largest unit: `1 hour` for `60 minutes`. A day is no 24 hours. */
  readonly text: string;
  readonly seconds: number;
  /** As in `every`: minutes and hours count real time, days and weeks follow the clock. */
  readonly countsRealTime: boolean;
}

const unitSeconds: Readonly<Record<string, number>> = { minute: 60, hour: 3600, day: 86_400, week: 604_800 };

const largerUnits: Readonly<Record<string, readonly [unit: string, times: number]>> = {
  minute: ['hour', 60],
  day: ['week', 7],
};

/** Null for `none`, and for what is not an interval. */
export function readIntervalLimit(text: string): IntervalLimit | null {
  const [, digits, unit = ''] = /^([1-9]\d{0,6}) (minute|hour|day|week)s?$/.exec(text) ?? [];
  const seconds = unitSeconds[unit];
  if (seconds === undefined) return null;
  const value = Number(digits);
  return {
    text: inLargestUnit(value, unit),
    seconds: value * seconds,
    countsRealTime: unit === 'minute' || unit === 'hour',
  };
}

function inLargestUnit(value: number, unit: string): string {
  const [larger = unit, times = 1] = largerUnits[unit] ?? [];
  return value % times === 0 ? spanText(value / times, larger) : spanText(value, unit);
}

/** A span of time. `until` is not part of it. */
export interface TimeSpan {
  readonly from: Date;
  readonly until: Date;
}

/** The minutes of a span in which more agents start than a limit allows. `T` is what starts them. */
export interface BusyMinutes<T> {
  readonly total: number;
  /** The busiest of them, in order of time; as many as were asked for. */
  readonly busiest: readonly BusyMinute<T>[];
}

export interface BusyMinute<T> {
  readonly minute: Date;
  readonly starts: number;
  /** What starts them, with its part of `starts`. */
  readonly by: readonly { readonly load: T; readonly starts: number }[];
}

/** How many agents the schedules of a plan start in an average week. Those that run once count as 0. */
export interface StartsPerWeek {
  /** What exists. Both are rounded to two decimal places. */
  readonly before: number;
  readonly after: number;
  /** The numbers of schedules not counted on each side, because their times or their agents are not known. */
  readonly unknown: { readonly before: number; readonly after: number };
}

/** How often the schedules of a plan start one agent in an average week. Both numbers are rounded to two decimal places. */
export interface AgentStarts {
  /** As manifests write it: `acme-shop`. */
  readonly agent: string;
  readonly before: number;
  readonly after: number;
}

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
  /** ISO 8601 in UTC: the first start on either side, or now if there is none. The first day begins here, not at midnight. */
  readonly from: string;
  /** A week later. Exclusive. */
  readonly until: string;
  /** `limits.startsPerMinute` of the manifest. */
  readonly limit: number;
  readonly before: CalendarSide;
  readonly after: CalendarSide;
  /** The zone of most of the schedules. Null if it is UTC. */
  readonly localZone: string | null;
}

export interface CalendarSide {
  /** In UTC. */
  readonly days: readonly CalendarDay[];
  /** The same starts by the clocks of `localZone`; null without one. */
  readonly localDays: readonly CalendarDay[] | null;
  readonly starts: number;
  readonly minutesOverLimit: number;
  /** The number of schedules whose times or agents are not known. */
  readonly uncounted: number;
}
