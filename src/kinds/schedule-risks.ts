import type { Risk } from '../model/finding.js';
import type { RiskInputs } from '../model/kind.js';
import { frequencyText } from '../model/schedule.js';
import { minutesOfDay, recurrenceOf } from '../timing/runs.js';
import { offsetAt } from '../timing/zone.js';
import { type ScheduleSpec, timesOf, timingOf } from './schedule-spec.js';

/** How often and at what time of day a schedule runs. */
interface When {
  readonly runsPerWeek: number;
  /** Of the local day. */
  readonly minutes: readonly number[];
  readonly timeZone: string;
}

/** A change of a schedule is risky when it then runs more often, at other hours of the day, or no longer. */
export function scheduleRisks(inputs: RiskInputs<ScheduleSpec>): readonly Risk[] {
  return facts(inputs).map((fact) => ({ code: 'schedule', ...fact }));
}

type Fact = Omit<Risk, 'code'>;

function facts({ observed, after, now }: RiskInputs<ScheduleSpec>): Fact[] {
  const before = observed?.spec ?? null;
  if (before === null) return [];
  return after === null ? [{ message: ending(before) }] : retimed(before, after, now);
}

function ending(before: ScheduleSpec): string {
  const when = whenOf(before);
  if (when === 'paused') return 'it was paused';
  if (when === 'unknown') return 'ends an enabled schedule, whose times cannot be computed here';
  return before.once === null
    ? `ends ${frequencyText(when.runsPerWeek)}`
    : `was to run at \`${before.once} ${before.timeZone}\``;
}

function retimed(before: ScheduleSpec, after: ScheduleSpec, now: Date): Fact[] {
  const [was, is] = [whenOf(before), whenOf(after)];
  if (is === 'paused') return [];
  if (is === 'unknown' || was === 'unknown') return unknownTimes(before, after);
  if (was === 'paused') {
    const runs = after.once === null ? `has ${frequencyText(is.runsPerWeek)}` : 'runs once';
    return [{ message: `was paused, and now ${runs}`, besideCadence: 'was paused' }];
  }
  const more = moreOften(was, is);
  // A schedule that runs more often may well run at more hours: that needs no second message.
  return more.length > 0 && !movesFrom(is, was, now) ? more : [...more, ...otherHours(was, is, now)];
}

/** Nobody can say whether it then runs more often. */
function unknownTimes(before: ScheduleSpec, after: ScheduleSpec): Fact[] {
  if (!before.enabled) {
    const message = 'was paused, and is enabled: its times cannot be computed here';
    return [{ message, besideCadence: 'was paused' }];
  }
  return timesOf(before) === timesOf(after)
    ? []
    : [{ message: 'changes its times, which cannot be computed here: it may run more often' }];
}

function moreOften(was: When, is: When): Fact[] {
  if (is.runsPerWeek <= was.runsPerWeek * (1 + 1e-9)) return [];
  const [now, then] = [frequencyText(is.runsPerWeek), frequencyText(was.runsPerWeek)];
  const message = `runs more often: ${now} instead of ${then}`;
  return [
    {
      message: message.replace(/ runs a week(?= instead .* runs a week$)/, ''),
      besideCadence: 'runs more often',
    },
  ];
}

function otherHours(was: When, is: When, now: Date): Fact[] {
  return movesFrom(was, is, now)
    ? [{ message: `runs at another hour: ${timesText(is)} instead of ${timesText(was)}` }]
    : [];
}

/**
 * Whether one runs at an hour of the day at which the other does not. Hours are compared in UTC, now and half a year
 * later: two zones may differ in summer only.
 */
function movesFrom(other: When, one: When, now: Date): boolean {
  const later = now.getTime() + 182 * 86_400_000;
  return [now.getTime(), later].some((instant) => {
    const known = new Set(hoursOf(other, instant));
    return hoursOf(one, instant).some((hour) => !known.has(hour));
  });
}

function hoursOf({ minutes, timeZone }: When, instant: number): number[] {
  const offset = offsetAt(timeZone, instant) / 60_000;
  return minutes.map((minute) => Math.floor((((minute - offset) % 1440) + 1440) / 60) % 24);
}

/** Times that are listed. The rest are counted. */
const shownTimes = 4;

function timesText({ minutes, timeZone }: When): string {
  const times = minutes
    .slice(0, shownTimes)
    .map((minute) => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`);
  const more = minutes.length - times.length;
  return `\`${times.join(', ')} ${timeZone}\`${more > 0 ? ` and ${more} more times` : ''}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function whenOf(spec: ScheduleSpec): When | 'paused' | 'unknown' {
  if (!spec.enabled) return 'paused';
  const timing = timingOf(spec);
  if (timing === null) return 'unknown';
  try {
    offsetAt(spec.timeZone, 0);
    return {
      runsPerWeek: recurrenceOf(timing).runsPerWeek,
      minutes: minutesOfDay(timing),
      timeZone: spec.timeZone,
    };
  } catch (error) {
    // The service may hold a zone or an expression that this program cannot read.
    if (error instanceof RangeError) return 'unknown';
    throw error;
  }
}
