import type { Calendar } from '../../model/calendar.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { diagnosticJson } from '../json/plan-json.js';

/** The shape of `calendar --format json`. Fields may be added under one `formatVersion`, never changed. */
export function calendarJson(calendar: Calendar, diagnostics: readonly Diagnostic[]) {
  const { project, environment, timeZone, timeZoneData, from, until, limit, days, schedules, starts } =
    calendar;
  return {
    formatVersion: 1,
    project,
    environment,
    timeZone,
    timeZoneData,
    from: from.toISOString(),
    until: until.toISOString(),
    startsPerMinuteLimit: limit,
    minutesOverLimit: calendar.minutesOverLimit,
    schedules,
    starts,
    days,
    busiest: calendar.busiest.map(({ minute, wallClock, starts: all, by }) => ({
      minute: minute.toISOString(),
      wallClock,
      starts: all,
      by,
    })),
    uncounted: calendar.uncounted,
    diagnostics: diagnostics.map(diagnosticJson),
  };
}
