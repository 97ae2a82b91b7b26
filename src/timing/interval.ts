import type { Suggest } from '../model/suggest.js';
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

const every: AcceptedIntervals = {
  units: ['Minutes', 'Hours', 'Days', 'Weeks'],
  largest: 1_000_000,
  example: '6 hours',
  hints: {
    longer: 'Use cron for months and years, such as "0 0 6 1 * *".',
    shorter: 'The shortest unit is minutes; use cron for seconds.',
  },
};

const age: AcceptedIntervals = {
  units: ['Hours', 'Days', 'Weeks'],
  largest: 99_999,
  example: '90 days',
  hints: {
    longer: 'Write months and years in days, such as "365 days".',
    shorter: 'The shortest unit is hours.',
  },
};

/** Units in the singular, and others that people try. */
const units: ReadonlyMap<string, TimingUnit | 'longer' | 'shorter'> = new Map([
  ['minute', 'Minutes'],
  ['hour', 'Hours'],
  ['day', 'Days'],
  ['week', 'Weeks'],
  ['month', 'longer'],
  ['year', 'longer'],
  ['second', 'shorter'],
]);

const abbreviations: ReadonlyMap<string, string> = new Map([
  ['m', 'minute'],
  ['min', 'minute'],
  ['h', 'hour'],
  ['hr', 'hour'],
  ['d', 'day'],
  ['w', 'week'],
  ['wk', 'week'],
  ['mon', 'month'],
  ['mth', 'month'],
  ['y', 'year'],
  ['yr', 'year'],
  ['s', 'second'],
  ['sec', 'second'],
]);

/** Reads `6 hours`, `1 hour` or `1 hours`. Null for anything else. */
export function parseEvery(text: string): Interval | null {
  return parse(text, every);
}

/** Why a text is not an interval; null when it is. */
export function everyProblem(text: string, suggest?: Suggest): TimingProblem | null {
  return problem(text, every, suggest);
}

/** Reads a maximum age: `90 days`. */
export function parseAge(text: string): Interval | null {
  return parse(text, age);
}

/** Why a text is not an age; null when it is. */
export function ageProblem(text: string, suggest?: Suggest): TimingProblem | null {
  return problem(text, age, suggest);
}

/** The one spelling of an interval: `6 hours`, `1 hour`. */
export function showEvery(value: number, unit: string): string {
  const plural = unit.toLowerCase();
  return `${value} ${value === 1 ? plural.slice(0, -1) : plural}`;
}

function parse(text: string, range: AcceptedIntervals): Interval | null {
  const [, digits, word = ''] = /^([1-9]\d{0,6}) ([a-z]+?)s?$/.exec(text) ?? [];
  const unit = units.get(word);
  const value = Number(digits);
  return isUnitOf(range, unit) && value <= range.largest ? { value, unit } : null;
}

function isUnitOf(range: AcceptedIntervals, unit: string | undefined): unit is TimingUnit {
  return range.units.some((each) => each === unit);
}

function problem(
  text: string,
  range: AcceptedIntervals,
  suggest: Suggest = () => null,
): TimingProblem | null {
  if (parse(text, range) !== null) return null;
  const names = range.units.map((unit) => unit.toLowerCase());
  const example = `Write a whole number and ${names.slice(0, -1).join(', ')} or ${names.at(-1)}, such as "${range.example}".`;
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
  const known = abbreviations.get(singular) ?? singular;
  return units.get(known) ?? units.get(suggest(known, [...units.keys()]) ?? '');
}
