import { type Calendar, numberText } from '../../model/schedule.js';
import { agree } from '../../model/words.js';

/** What the calendars of all formats have in common: the steps of load, their colors, and numbers in words. */

/** A step of a scale: hours in which from `low` to `high` agents start. */
export interface LoadStep {
  readonly low: number;
  readonly high: number;
}

/**
 * The steps of a scale for these hours, the quietest first. Each step has about as many different numbers as the others:
 * equal distances would put all busy hours into one step as soon as one hour is much busier than the rest.
 */
export function loadSteps(hours: readonly number[], most: number): readonly LoadStep[] {
  const values = [...new Set(hours.filter((starts) => starts > 0))].sort((a, b) => a - b);
  const steps = Math.min(most, values.length);
  return Array.from({ length: steps }, (_, index) => {
    const from = Math.floor((values.length * index) / steps);
    const until = Math.floor((values.length * (index + 1)) / steps);
    return { low: values[from] ?? 0, high: values[until - 1] ?? 0 };
  });
}

/** The index of the step; -1 for an hour in which nothing starts. */
export function stepOf(starts: number, steps: readonly LoadStep[]): number {
  return starts === 0 ? -1 : steps.findIndex(({ high }) => starts <= high);
}

interface Shade {
  readonly fill: string;
  /** The color of a number on it. */
  readonly text: string;
}

/** On light and dark pages, from few starts to many. */
export const heatShades: readonly { readonly light: Shade; readonly dark: Shade }[] = [
  { light: { fill: '#fde4cf', text: '#1f2328' }, dark: { fill: '#4a2c17', text: '#f0f6fc' } },
  { light: { fill: '#fbc08d', text: '#1f2328' }, dark: { fill: '#7a4419', text: '#f0f6fc' } },
  { light: { fill: '#f0883e', text: '#1f2328' }, dark: { fill: '#b5651d', text: '#000000' } },
  { light: { fill: '#bd4b00', text: '#ffffff' }, dark: { fill: '#f0883e', text: '#000000' } },
  { light: { fill: '#762d00', text: '#ffffff' }, dark: { fill: '#ffc680', text: '#000000' } },
];

/** `30`, or `31–1,200`. */
export function rangeText({ low, high }: LoadStep): string {
  return low === high ? numberText(low) : `${numberText(low)}–${numberText(high)}`;
}

/** At most five characters, which fit into a cell: `9,950`, `12k`, `3M`. */
export function shortNumber(value: number): string {
  if (value < 10_000) return numberText(value);
  return value < 999_500 ? `${Math.round(value / 1_000)}k` : `${Math.round(value / 1_000_000)}M`;
}

/** `4 schedules: 210 agent starts in 7 days. 2 minutes above limits.startsPerMinute (60).` */
export function calendarTotals({ schedules, starts, days, minutesOverLimit, limit }: Calendar): string {
  const over =
    minutesOverLimit === 0
      ? ''
      : ` ${amount(minutesOverLimit, 'minute')} above limits.startsPerMinute (${numberText(limit)}).`;
  return `${amount(schedules, 'schedule')}: ${amount(starts, 'agent start')} in ${amount(days.length, 'day')}.${over}`;
}

/** `1,262 agent starts`: as all numbers of a calendar. */
export function amount(number: number, noun: string): string {
  return `${numberText(number)} ${agree(number, noun, `${noun}s`)}`;
}

export function weekday(date: string): string {
  return ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][new Date(`${date}T00:00:00Z`).getUTCDay()] ?? '';
}
