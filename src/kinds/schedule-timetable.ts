import { isPending } from '../model/resource.js';
import type { SpecLoad, Timetable } from '../model/schedule.js';
import { previewSchedule } from '../service/operations/schedules.js';
import { closeStarts } from '../timing/close-starts.js';
import { writeWallClock } from '../timing/local-time.js';
import { dstAnomalies, nextRuns, recurrenceOf, type Timing } from '../timing/runs.js';
import { busyMinutes, startsPerHour, startsPerMinute, type TimedLoad } from '../timing/start-counts.js';
import { offsetAt } from '../timing/zone.js';
import { bodyOf, type ScheduleSpec, timesOf, timingFields, timingOf, timingText } from './schedule-spec.js';

/** When schedules run, as the service answers or as computed here. */
export const timetable: Timetable<ScheduleSpec> = {
  fields: [...timingFields, 'enabled'],
  timeZone: (spec) => spec.timeZone,
  describe: timingText,
  starts({ enabled, target }, startedBy) {
    if (!enabled) return 0;
    return target.kind === 'agent' ? 1 : startedBy(target);
  },
  times: timesOf,
  nextRuns: (spec, from, count) =>
    ifReadable(spec, (timing) =>
      nextRuns(timing, spec.timeZone, from, count).map((instant) =>
        instant.toISOString().replace('.000Z', 'Z'),
      ),
    ),
  frequency: (spec) =>
    ifReadable(spec, (timing) => {
      if (!spec.enabled) return { runsPerWeek: 0, shortestGapSeconds: null, paused: true };
      const { runsPerWeek, shortestGapSeconds } = recurrenceOf(timing);
      return { runsPerWeek, shortestGapSeconds };
    }),
  closeStarts: (spec, limit, now) =>
    ifReadable(
      spec,
      (timing) =>
        (spec.enabled ? closeStarts({ timing, timeZone: spec.timeZone }, limit, now) : null) ?? 'none',
    ),
  dstAnomalies: (spec, span) =>
    ifReadable(spec, (timing) => (spec.enabled ? dstAnomalies(timing, spec.timeZone, span) : [])),
  preview(spec, agent) {
    const askable = isPending(spec.target.id) ? withAgent(spec, agent) : spec;
    // The times do not depend on the inputs, and a rejection could quote them.
    return askable && previewSchedule(bodyOf({ ...askable, inputs: {} }, false));
  },
  wallClock(instant, timeZone) {
    const time = Date.parse(instant);
    return writeWallClock(time + offsetAt(timeZone, time));
  },
  busyMinutes: (loads, ...rest) => busyMinutes(loads.map(withTiming), ...rest),
  startsPerHour: (loads, span, timeZone) =>
    startsPerHour(startsPerMinute(loads.map(withTiming), span), timeZone),
};

/** Null for a schedule of the service that this program cannot read. */
function ifReadable<T>(spec: ScheduleSpec, make: (timing: Timing) => T): T | null {
  const timing = timingOf(spec);
  if (timing === null) return null;
  try {
    return make(timing);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The times do not depend on the target, so an agent can take the place of an object not created yet. */
function withAgent(spec: ScheduleSpec, agent: string | null): ScheduleSpec | null {
  return agent === null ? null : { ...spec, target: { kind: 'agent', id: agent } };
}

function withTiming<T extends SpecLoad<ScheduleSpec>>(load: T): T & TimedLoad {
  const timing = timingOf(load.spec);
  if (timing === null) throw new Error('a schedule without a complete timing cannot be counted');
  return { timing, timeZone: load.spec.timeZone, ...load };
}
