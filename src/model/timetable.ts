import type { CalendarDay } from './calendar.js';
import type { IntervalLimit } from './interval-limit.js';
import type { DstAnomaly, Frequency } from './plan.js';
import type { Call } from './request.js';
import type { ObjectRef } from './resource.js';
import type { BusyMinutes, TimeSpan } from './start-rate.js';

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
  /** How many agents each run starts; `startedBy` answers for the objects that the spec refers to. */
  starts(spec: S, startedBy: (reference: ObjectRef) => number): number;
  /** Equal texts are equal times. Null when paused. */
  times(spec: S): string | null;
  /** Instants such as `2026-12-01T06:00:00Z`, computed here. */
  nextRuns(spec: S, from: Date, count: number): readonly string[] | null;
  /** How often it runs in the long term. */
  frequency(spec: S): Frequency | null;
  /** The starts from `now` on that are closest together, if they are closer than the limit; otherwise `none`. */
  closeStarts(spec: S, limit: IntervalLimit, now: Date): CloseStarts | 'none' | null;
  /** How clock changes affect it in a span. */
  dstAnomalies(spec: S, span: TimeSpan): readonly DstAnomaly[] | null;
  /** Asks the service. `agent` is a GUID that replaces a reference to an object not created yet; null when there is none. */
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
