import type { CalendarDay } from '../model/calendar.js';
import { dayLength, offsetPeriods } from './offset-period.js';
import type { StartCounts } from './start-counts.js';
import { writeWallClock } from './wall-clock.js';

const minute = 60_000;
const hour = 60 * minute;

/** The starts in each hour of a zone's clocks, including days without any. */
export function startsPerHour({ first, minutes }: StartCounts, zone: string): CalendarDay[] {
  const days = new Map<string, number[]>();
  for (const { from, until, offset } of offsetPeriods(zone, first, first + minutes.length * minute)) {
    for (let at = from; at < until; at += minute) {
      const local = at + offset;
      const date = writeWallClock(local).slice(0, 10);
      const hours = days.get(date) ?? new Array<number>(24).fill(0);
      days.set(date, hours);
      const index = Math.floor((local % dayLength) / hour);
      hours[index] = (hours[index] ?? 0) + (minutes[Math.floor((at - first) / minute)] ?? 0);
    }
  }
  return [...days].map(([date, hours]) => ({ date, hours }));
}
