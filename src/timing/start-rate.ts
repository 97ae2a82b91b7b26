import type { BusyMinute, BusyMinutes, TimeSpan } from '../model/start-rate.js';
import { startsPerMinute, type TimedLoad } from './start-counts.js';

const minute = 60_000;

/** The minutes in which more than `limit` agents start. What starts them is only determined for the `shown` busiest. */
export function busyMinutes<T extends TimedLoad>(
  loads: readonly T[],
  span: TimeSpan,
  limit: number,
  shown: number,
): BusyMinutes<T> {
  const { first, minutes } = startsPerMinute(loads, span);
  const over: { minute: Date; starts: number }[] = [];
  minutes.forEach((starts, index) => {
    if (starts > limit) over.push({ minute: new Date(first + index * minute), starts });
  });
  // Sorting is stable: equal minutes stay in order of time.
  const busiest = over.toSorted((a, b) => b.starts - a.starts).slice(0, shown);
  const inOrder = busiest.sort((a, b) => a.minute.getTime() - b.minute.getTime());
  return { total: over.length, busiest: inOrder.map((each) => withStarters(each, loads, span)) };
}

function withStarters<T extends TimedLoad>(
  busy: Omit<BusyMinute<T>, 'by'>,
  loads: readonly T[],
  { from, until }: TimeSpan,
): BusyMinute<T> {
  const begin = busy.minute.getTime();
  const within = {
    from: new Date(Math.max(begin, from.getTime())),
    until: new Date(Math.min(begin + minute, until.getTime())),
  };
  const by = loads.flatMap((load) => {
    const starts = startsPerMinute([load], within).minutes[0] ?? 0;
    return starts > 0 ? [{ load, starts }] : [];
  });
  return { ...busy, by };
}
