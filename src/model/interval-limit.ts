/** `limits.shortestInterval`, such as `5 minutes`, or `none`. */
export interface IntervalLimit {
  /** The one spelling: `1 hour`, `5 minutes`. */
  readonly text: string;
  readonly seconds: number;
  /** As in `every`: minutes and hours count real time, days and weeks follow the clock. */
  readonly countsRealTime: boolean;
}

const unitSeconds: Readonly<Record<string, number>> = { minute: 60, hour: 3600, day: 86_400, week: 604_800 };

/** Null for `none`, and for what is not an interval. */
export function readIntervalLimit(text: string): IntervalLimit | null {
  const [, digits, unit = ''] = /^([1-9]\d{0,6}) (minute|hour|day|week)s?$/.exec(text) ?? [];
  const seconds = unitSeconds[unit];
  if (seconds === undefined) return null;
  const value = Number(digits);
  return {
    text: `${value} ${unit}${value === 1 ? '' : 's'}`,
    seconds: value * seconds,
    countsRealTime: unit === 'minute' || unit === 'hour',
  };
}
