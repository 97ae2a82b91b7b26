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
  const [count, shown] = value % times === 0 ? [value / times, larger] : [value, unit];
  return `${count} ${shown}${count === 1 ? '' : 's'}`;
}
