import type { Suggest } from '../model/resource.js';
import { spanText, wordList } from '../model/words.js';
import { quoted, type TimingProblem } from './problem.js';

/** The units of a `Basic` schedule (interface §2, Schedule). */
export type TimingUnit = 'Minutes' | 'Hours' | 'Days' | 'Weeks';

export interface Interval {
  /** 1 to 1,000,000. */
  readonly value: number;
  readonly unit: TimingUnit;
}

/** Which intervals a property accepts. */
interface AcceptedIntervals {
  readonly units: readonly TimingUnit[];
  readonly largest: number;
  readonly example: string;
  readonly hints: { readonly longer: string; readonly shorter: string };
}

export const everyRange: AcceptedIntervals = {
  units: ['Minutes', 'Hours', 'Days', 'Weeks'],
  largest: 1_000_000,
  example: '6 hours',
  hints: {
    longer: 'Use cron for months and years, such as "0 0 6 1 * *".',
    shorter: 'The shortest unit is minutes; use cron for seconds.',
  },
};

/** The maximum age of a key. */
export const ageRange: AcceptedIntervals = {
  units: ['Hours', 'Days', 'Weeks'],
  largest: 99_999,
  example: '90 days',
  hints: {
    longer: 'Write months and years in days, such as "365 days".',
    shorter: 'The shortest unit is hours.',
  },
};

export const unitMilliseconds = {
  Minutes: 60_000,
  Hours: 3_600_000,
  Days: 86_400_000,
  Weeks: 604_800_000,
} as const;

/** Units in the singular, and others that people try, with their abbreviations. */
const units: readonly (readonly [TimingUnit | 'longer' | 'shorter', ...words: string[]])[] = [
  ['Minutes', 'minute', 'm', 'min'],
  ['Hours', 'hour', 'h', 'hr'],
  ['Days', 'day', 'd'],
  ['Weeks', 'week', 'w', 'wk'],
  ['longer', 'month', 'mon', 'mth'],
  ['longer', 'year', 'y', 'yr'],
  ['shorter', 'second', 's', 'sec'],
];

/** The one spelling of an interval: `6 hours`, `1 hour`. */
export function showEvery(value: number, unit: string): string {
  return spanText(value, unit.toLowerCase().slice(0, -1));
}

/** Reads `6 hours`, `1 hour` or `1 hours`. Null for anything else. */
export function parseInterval(text: string, range: AcceptedIntervals): Interval | null {
  const [, digits, word = ''] = /^([1-9]\d{0,6}) ([a-z]+?)s?$/.exec(text) ?? [];
  const unit = units.find(([, singular]) => singular === word)?.[0];
  const value = Number(digits);
  return isUnitOf(range, unit) && value <= range.largest ? { value, unit } : null;
}

function isUnitOf(range: AcceptedIntervals, unit: string | undefined): unit is TimingUnit {
  return range.units.some((each) => each === unit);
}

/** Why a text is not an interval; null when it is. */
export function intervalProblem(
  text: string,
  range: AcceptedIntervals,
  suggest: Suggest = () => null,
): TimingProblem | null {
  if (parseInterval(text, range) !== null) return null;
  const names = range.units.map((unit) => unit.toLowerCase());
  const example = `Write a whole number and ${wordList(names, 'or')}, such as "${range.example}".`;
  return { message: `${quoted(text)} is not an interval`, help: hint(text, range, suggest) ?? example };
}

function hint(text: string, range: AcceptedIntervals, suggest: Suggest): string | null {
  const [, digits, word] = /^(-?[\d.,_]+)?\s*([a-z]+)$/i.exec(text.trim()) ?? [];
  const unit = word === undefined ? undefined : unitMeant(word.toLowerCase(), suggest);
  if (unit === undefined) return null;
  if (unit === 'longer') return range.hints.longer;
  if (!isUnitOf(range, unit)) return range.hints.shorter;
  const value = digits === undefined ? 1 : Number(digits);
  if (Number.isInteger(value) && value >= 1 && value <= range.largest)
    return `Write "${showEvery(value, unit)}".`;
  return `Write a whole number from 1 to ${range.largest}, such as "${showEvery(6, unit)}".`;
}

function unitMeant(word: string, suggest: Suggest) {
  const singular = word.replace(/(?<=.)s$/, '');
  const known = units.find(([, ...words]) => words.includes(singular));
  if (known !== undefined) return known[0];
  const near = suggest(
    singular,
    units.flatMap(([, name = '']) => name),
  );
  return units.find(([, name]) => name === near)?.[0];
}
