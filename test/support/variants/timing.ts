import { badRequest } from '../../../src/sandbox/api.js';
import { isFields } from '../../../src/sandbox/body.js';
import type { Exchange, Reply } from '../../../src/sandbox/index.js';
import { readSettings } from '../../../src/sandbox/schedules/settings.js';
import { fireTimes, offsetAt } from '../../../src/sandbox/schedules/timetable.js';
import type { ScheduleSettings } from '../../../src/sandbox/world.js';

/** The variants that read cron expressions and clock changes otherwise. They show in previews. */

export type Rule = (reply: () => Reply, exchange: Exchange, operation: { readonly action: string }) => Reply;

const DAY_MS = 86_400_000;

/** `?`, `L`, `W` and `#` are extensions of cron, which not every implementation has. */
export const cronPlain: Rule = (reply, { call, route }) => {
  const { cronExpression } = isFields(call.body) ? call.body : {};
  const isSchedule = route.path.startsWith('/api/schedules');
  if (
    isSchedule &&
    typeof cronExpression === 'string' &&
    /\?|#|(^|[\s,\d])(LW|L|W)(?![a-z])/i.test(cronExpression)
  )
    throw badRequest(`The cron expression '${cronExpression}' has an unknown character.`);
  return reply();
};

/** As Quartz counts: 1 is Sunday. */
export const cronDaysFromOne = onPreview(({ settings, now, count }) => {
  const { cronExpression } = settings;
  if (cronExpression === null) return null;
  const fields = cronExpression.trim().split(/\s+/);
  const days = fields[5]?.replace(/(?<![#/\d])[1-7](?!\d)/g, (day) => String(Number(day) - 1));
  const shifted = [...fields.slice(0, 5), days].join(' ');
  return fireTimes({ ...settings, cronExpression: shifted }, now, count);
});

/** A wall-clock time that clocks skip does not fire that day. */
export const skippedDropped = onPreview(({ settings, now, count }) => {
  if (!isByWallClock(settings)) return null;
  const wanted = wallClockTimes(settings, now, 2 * count + 20);
  const times = fireTimes(settings, now, count + 10).filter((time) =>
    wanted.has(time.getTime() + offsetAt(settings.timeZoneId, time.getTime())),
  );
  return times.slice(0, count);
});

/** A wall-clock time that clocks repeat fires both times. */
export const repeatedTwice = onPreview(({ settings, now, count }) => {
  if (!isByWallClock(settings)) return null;
  const all = fireTimes(settings, now, count).flatMap((time) => [
    time.getTime(),
    ...repeats(settings.timeZoneId, time.getTime()),
  ]);
  const times = [...new Set(all)].sort((a, b) => a - b);
  return times.slice(0, count).map((time) => new Date(time));
});

/** A day is 24 hours, also when clocks change. */
export const daysElapsed = onPreview(({ settings, now, count }) => {
  const { intervalUnit, intervalValue } = settings;
  if (intervalUnit !== 'Days' && intervalUnit !== 'Weeks') return null;
  const hours = (intervalValue ?? 1) * (intervalUnit === 'Days' ? 24 : 168);
  return fireTimes({ ...settings, intervalUnit: 'Hours', intervalValue: hours }, now, count);
});

interface Preview {
  readonly settings: ScheduleSettings;
  readonly now: Date;
  readonly count: number;
}

/** Replaces the times of a preview; null leaves them. */
function onPreview(read: (preview: Preview) => Date[] | null): Rule {
  return (reply, { core, call }, { action }) => {
    const result = reply();
    const { body } = result;
    if (action !== 'preview' || !isFields(body) || !Array.isArray(body.data)) return result;
    const settings = readSettings(core.world, isFields(call.body) ? { ...call.body } : {});
    const times = read({ settings, now: core.clock(), count: body.data.length });
    return times === null
      ? result
      : { ...result, body: { ...body, data: times.map((time) => time.toISOString()) } };
  };
}

function isByWallClock({ scheduleType, intervalUnit }: ScheduleSettings): boolean {
  return scheduleType === 'Cron' || intervalUnit === 'Days' || intervalUnit === 'Weeks';
}

/** What the wall clock shows when a schedule is due, whether or not clocks skip it. */
function wallClockTimes(settings: ScheduleSettings, now: Date, count: number): ReadonlySet<number> {
  const before = new Date(now.getTime() - DAY_MS);
  return new Set(fireTimes({ ...settings, timeZoneId: 'UTC' }, before, count).map((time) => time.getTime()));
}

/** The instant at which the wall clock shows the same time again, if there is one. */
function repeats(zone: string, time: number): number[] {
  const local = time + offsetAt(zone, time);
  const lost = offsetAt(zone, time) - offsetAt(zone, time + DAY_MS / 8);
  const again = time + lost;
  return lost > 0 && again + offsetAt(zone, again) === local ? [again] : [];
}
