import { type Problem, problem } from './diagnostic.js';
import { type ExactNumber, isInexact } from './exact-number.js';
import { type Json, parseJson } from './json.js';
import type { Suggest } from './resource.js';

/** One filter of a query (interface §4). Text comparisons ignore case. */
export interface DatasetCondition {
  readonly column: string;
  readonly operator?: QueryOperator;
  readonly value?: string | number | ExactNumber | boolean;
}

export const queryOperators = [
  'contains',
  'equals',
  'notequals',
  'startswith',
  'endswith',
  'isempty',
  'isnotempty',
  'gt',
  'gte',
  'lt',
  'lte',
] as const;
export type QueryOperator = (typeof queryOperators)[number];

const withoutValue: ReadonlySet<QueryOperator> = new Set<QueryOperator>(['isempty', 'isnotempty']);
const forNumbers: ReadonlySet<QueryOperator> = new Set<QueryOperator>(['gt', 'gte', 'lt', 'lte']);
const symbols: Readonly<Record<string, QueryOperator>> = {
  '=': 'equals',
  '==': 'equals',
  '!=': 'notequals',
  '<>': 'notequals',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
  '~': 'contains',
  eq: 'equals',
  ne: 'notequals',
  ge: 'gte',
  le: 'lte',
};

/**
 * A condition of `data query --where`, as it was typed. The first operator ends the column, which may have several words;
 * one in double quotes may contain operators. Throws a Problem, whose message begins with `name`.
 */
export function parseCondition(text: string, where: ConditionPlace): DatasetCondition {
  const typed = { text, ...where };
  const [, quoted, plain] = /^\s*(?:"([^"]+)"|(\S+))\s/.exec(`${text} `) ?? [];
  if (quoted !== undefined) {
    const rest = text.slice(text.indexOf(quoted) + quoted.length + 1).trim();
    return conditionOf(quoted, rest, typed);
  }
  const words = [...text.matchAll(/\S+/g)];
  const at = words.findIndex(([word], index) => index > 0 && operatorNamed(word) !== null);
  const start = words[at]?.index;
  if (start !== undefined) return conditionOf(text.slice(0, start).trim(), text.slice(start), typed);
  const [, second] = words;
  return conditionOf(plain ?? '', second === undefined ? '' : text.slice(second.index), typed);
}

/** Where a condition was written, for messages about it. */
export interface ConditionPlace {
  /** `--where` */
  readonly name: string;
  /** How a condition is written there. */
  readonly example: string;
  readonly suggest: Suggest;
}

interface Typed extends ConditionPlace {
  readonly text: string;
}

function wrong({ name, text }: Typed, what: string, help?: string): Problem {
  return problem('usage', `${name}: "${text}"${what}`, help);
}

function conditionOf(column: string, rest: string, typed: Typed): DatasetCondition {
  const [word = ''] = /^\S+/.exec(rest) ?? [];
  const operator = operatorNamed(word);
  if (column === '' || word === '')
    throw wrong(typed, ' is not a condition', `For example: \`${typed.example}\`.`);
  if (operator === null) throw unknownOperator(word, typed);
  const value = rest.slice(word.length).trim();
  if (withoutValue.has(operator)) {
    if (value === '') return { column, operator };
    throw wrong(typed, `: \`${operator}\` takes no value`);
  }
  if (value === '') throw wrong(typed, ': the value is missing', "Use `''` for an empty value.");
  if (forNumbers.has(operator) && !isComparable(value)) throw notANumber(value, operator, typed);
  const read = conditionValue(value, operator);
  if (forNumbers.has(operator) && read === value && isNumeric(value)) throw otherSpelling(value, typed);
  return { column, operator, value: read };
}

function operatorNamed(word: string): QueryOperator | null {
  const lower = word.toLowerCase();
  return queryOperators.find((each) => each === lower) ?? null;
}

function unknownOperator(word: string, typed: Typed): Problem {
  const near = Object.hasOwn(symbols, word) ? symbols[word] : typed.suggest(word, queryOperators);
  const hint = near == null ? `One of: ${queryOperators.join(', ')}.` : `Did you mean \`${near}\`?`;
  return wrong(typed, `: there is no operator "${word}"`, hint);
}

function notANumber(value: string, operator: QueryOperator, typed: Typed): Problem {
  const help = `To compare it as text, put it in quotes: \`${operator} "${value}"\`.`;
  return wrong(typed, `: "${value}" is neither a number nor a date`, help);
}

/** It would be sent with other digits than those that were typed. Another number is not proposed. */
function otherSpelling(value: string, { name, text }: Typed): Problem {
  const written = isInexact(value.toLowerCase()) ? 'Put' : `Write \`${Number(value)}\`, or put`;
  const message = `${name}: "${text}": "${value}" is not written as a decimal number`;
  return problem('inexact-number', message, `${written} it in quotes to compare it as text.`);
}

/** Quotes keep spaces at the ends, and are left out. Only a comparison needs a number as such. */
function conditionValue(text: string, operator: QueryOperator): string | number | ExactNumber {
  const [, , inner] = /^(["'])([\s\S]*)\1$/.exec(text) ?? [];
  if (inner !== undefined) return inner;
  const number = forNumbers.has(operator) && isNumeric(text) ? parseJson(text) : undefined;
  return number === undefined ? text : (number as number | ExactNumber);
}

/** Also in other spellings than those of JSON. */
function isNumeric(text: string): boolean {
  return text.trim() !== '' && !Number.isNaN(Number(text));
}

/** Numbers and dates. Any other word needs quotes to be compared as text: it is mostly a slip, such as `600,50`. */
function isComparable(text: string): boolean {
  return isNumeric(text) || isDate(text) || /^(["'])[\s\S]*\1$/.test(text);
}

/** ISO 8601: a year with a month, a day, or a time of day, also without seconds and with an offset. */
function isDate(text: string): boolean {
  return (
    /^\d{4}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?)?$/i.test(text) &&
    !Number.isNaN(Date.parse(text))
  );
}

/** The condition as it may be typed. */
export function conditionText({ column, operator = 'contains', value }: DatasetCondition): string {
  const name = /\s/.test(column) && !column.includes('"') ? `"${column}"` : column;
  return [name, operator, ...(value === undefined ? [] : [valueText(value, operator)])].join(' ');
}

function isSame(one: Json, other: Json): boolean {
  return typeof one === typeof other && String(one) === String(other);
}

/** In quotes where it would be read as another value without them. */
function valueText(value: NonNullable<DatasetCondition['value']>, operator: QueryOperator): string {
  const text = String(value);
  const isRead = text !== '' && text.trim() === text && isSame(conditionValue(text, operator), value);
  const isWord = forNumbers.has(operator) && !isComparable(text);
  return (isRead && !isWord) || typeof value !== 'string' ? text : `"${text}"`;
}
