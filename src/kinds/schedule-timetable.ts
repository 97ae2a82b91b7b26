import type { Timetable } from '../model/kind.js';
import { isPending } from '../model/resource.js';
import { previewSchedule } from '../service/operations/schedules.js';
import { dstAnomalies } from '../timing/dst-anomalies.js';
import { recurrenceOf } from '../timing/recurrence.js';
import { nextRuns, type Timing } from '../timing/runs.js';
import { type StartLoad, startsPerMinute } from '../timing/start-counts.js';
import { startsPerHour } from '../timing/start-hours.js';
import { busyMinutes } from '../timing/start-rate.js';
import { writeWallClock } from '../timing/wall-clock.js';
import { offsetAt } from '../timing/zone.js';
import { roundedFrequency } from './frequency.js';
import { bodyOf, type ScheduleSpec, timesOf, timingFields, timingOf } from './schedule-spec.js';

/** When schedules run, asked of the service or computed here. */
export const timetable: Timetable<ScheduleSpec> = {
  fields: [...timingFields, 'enabled'],
  timeZone: (spec) => spec.timeZone,
  times: timesOf,
  runs: (spec, from, count) =>
    whereRead(spec, (timing) =>
      nextRuns(timing, spec.timeZone, from, count).map((instant) =>
        instant.toISOString().replace('.000Z', 'Z'),
      ),
    ),
  pace: (spec) =>
    whereRead(spec, (timing) => {
      if (!spec.enabled) return { runsPerWeek: 0, shortestGapSeconds: null };
      const { runsPerWeek, shortestGapSeconds } = recurrenceOf(timing);
      return { runsPerWeek: roundedFrequency(runsPerWeek), shortestGapSeconds };
    }),
  clockChanges: (spec, span) =>
    whereRead(spec, (timing) => (spec.enabled ? dstAnomalies(timing, spec.timeZone, span) : [])),
  preview(spec, standIn) {
    const asked = isPending(spec.target.id) ? instead(spec, standIn) : spec;
    return asked === null ? null : previewSchedule(bodyOf(asked, false));
  },
  wallClock(instant, timeZone) {
    const time = Date.parse(instant);
    return writeWallClock(time + offsetAt(timeZone, time));
  },
  busyMinutes: (starters, ...asked) => busyMinutes(starters.map(withTiming), ...asked),
  startsPerHour: (starters, span, timeZone) =>
    startsPerHour(startsPerMinute(starters.map(withTiming), span), timeZone),
};

/** Null for what the service holds in a way that this program does not read. */
function whereRead<T>(spec: ScheduleSpec, make: (timing: Timing) => T): T | null {
  const timing = timingOf(spec);
  if (timing === null) return null;
  try {
    return make(timing);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The times do not depend on the target, so that an agent can stand in for one that is yet to be created. */
function instead(spec: ScheduleSpec, agent: string | null): ScheduleSpec | null {
  return agent === null ? null : { ...spec, target: { kind: 'agent', id: agent }, inputs: {} };
}

function withTiming<T extends { readonly spec: ScheduleSpec; readonly starts: number }>(
  each: T,
): T & StartLoad {
  const timing = timingOf(each.spec);
  if (timing === null) throw new Error('a schedule without a whole timing was to be counted');
  return { ...each, timing, timeZone: each.spec.timeZone };
}
