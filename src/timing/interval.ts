import { quoted, type TimingProblem } from './problem.js';

/** The units of a `Basic` schedule (interface §2, Schedule). */
export type IntervalUnit = 'Minutes' | 'Hours' | 'Days' | 'Weeks';

export interface Interval {
  /** 1 to 1,000,000. */
  readonly value: number;
  readonly unit: IntervalUnit;
}

const units: ReadonlyMap<string, IntervalUnit> = new Map([
  ['minute', 'Minutes'],
  ['hour', 'Hours'],
  ['day', 'Days'],
  ['week', 'Weeks'],
]);

const abbreviations: ReadonlyMap<string, IntervalUnit> = new Map([
  ['m', 'Minutes'],
  ['min', 'Minutes'],
  ['h', 'Hours'],
  ['hr', 'Hours'],
  ['d', 'Days'],
  ['w', 'Weeks'],
  ['wk', 'Weeks'],
]);

const largest = 1_000_000;

/** Reads `6 hours`, `1 hour` or `1 hours`, in any case and with any number of spaces between; null for all else. */
export function parseEvery(text: string): Interval | null {
  const [, digits, word] = /^([1-9]\d{0,6}) +([a-z]+)$/i.exec(text) ?? [];
  const unit = units.get((word ?? '').toLowerCase().replace(/s$/, ''));
  const value = Number(digits);
  return unit !== undefined && value <= largest ? { value, unit } : null;
}

/** The one spelling of an interval: `6 hours`, `1 hour`. */
export function showEvery(value: number, unit: IntervalUnit): string {
  const plural = unit.toLowerCase();
  return `${value} ${value === 1 ? plural.slice(0, -1) : plural}`;
}

/** Why `parseEvery` cannot read the text; null when it can. */
export function everyProblem(text: string): TimingProblem | null {
  if (parseEvery(text) !== null) return null;
  return {
    message: `${quoted(text)} is not an interval`,
    help: hint(text) ?? 'Write a whole number and minutes, hours, days or weeks, such as "6 hours".',
  };
}

function hint(text: string): string | null {
  const [, digits, word] = /^(-?[\d.,_]+)?\s*([a-z]+)$/i.exec(text.trim()) ?? [];
  if (word === undefined) return null;
  const stem = word.toLowerCase().replace(/s$/, '');
  if (/^(mon|month|mth|year|yr|y)$/.test(stem))
    return 'Use cron for months and years, such as "0 0 6 1 * *".';
  if (/^(s|sec|second)$/.test(stem)) return 'The shortest unit is minutes; use cron for seconds.';
  const unit = units.get(stem) ?? abbreviations.get(stem);
  if (unit === undefined) return null;
  const value = digits === undefined ? 1 : Number(digits);
  if (Number.isInteger(value) && value >= 1 && value <= largest) return `Write "${showEvery(value, unit)}".`;
  return `Write a whole number from 1 to ${largest}, such as "${showEvery(6, unit)}".`;
}
