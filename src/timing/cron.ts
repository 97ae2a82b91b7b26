import { type Cron, fieldsOf, parse } from './cron-parse.js';
import { cronFields, isExtended } from './cron-syntax.js';
import { quoted, type TimingProblem } from './problem.js';

const example = 'Write six fields, seconds first, such as "0 30 2 * * *" for 02:30 every day.';

/** The limit of cron-parser. */
const LONGEST_CHARACTERS = 1024;

/** The macros of other cron dialects, as six fields. */
const macros: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 0 1 1 *'],
  ['@annually', '0 0 0 1 1 *'],
  ['@monthly', '0 0 0 1 * *'],
  ['@weekly', '0 0 0 * * 0'],
  ['@daily', '0 0 0 * * *'],
  ['@midnight', '0 0 0 * * *'],
  ['@hourly', '0 0 * * * *'],
  ['@minutely', '0 * * * * *'],
]);

/**
 * Why an expression is not valid in a manifest; null when it is. A valid one that can be read always fires: cron-parser
 * refuses days that do not occur in the given months, and any other day comes within 40 years.
 */
export function cronProblem(text: string): TimingProblem | null {
  const problem = formProblem(text);
  if (problem !== null) return problem;
  const cron = parse(canonicalCron(text));
  if (cron !== null) return nextFireDay(cron, new Date(0)) === null ? neverFires(text) : null;
  return isUnknown(text) ? null : fieldProblem(text);
}

/** Whether an expression without a problem cannot be computed here: only the service can say when it fires. */
export function isUnknownCron(text: string): boolean {
  return formProblem(text) === null && parse(canonicalCron(text)) === null && isUnknown(text);
}

function isUnknown(text: string): boolean {
  const fields = fieldsOf(canonicalCron(text)).map((field, index) => ({ field, index }));
  const unread = fields.filter(({ field, index }) => !parsesAlone(field, index));
  return unread.length > 0 && unread.every(({ field, index }) => isExtended(field, index));
}

function neverFires(text: string): TimingProblem {
  const help = 'Each field is valid, but the combination never occurs: check that the month has that day.';
  return { message: `${quoted(text)} never runs`, help };
}

/** The one spelling of an expression: upper case, single spaces. Never fails; equal texts fire alike. */
export function canonicalCron(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toUpperCase();
}

/** By the text as written: a project repeats its expressions, and reads each several times. */
const knownCrons = new Map<string, Cron>();
const MOST_KNOWN = 1000;

/** Throws RangeError for an expression that `cronProblem` refuses because of its form. */
export function readCron(text: string): Cron {
  const known = knownCrons.get(text);
  if (known !== undefined) return known;
  const cron = readAnew(text);
  if (knownCrons.size >= MOST_KNOWN) knownCrons.clear();
  knownCrons.set(text, cron);
  return cron;
}

function readAnew(text: string): Cron {
  const cron = formProblem(text) === null ? parse(canonicalCron(text)) : null;
  if (cron === null) throw new RangeError(`not a cron expression: ${quoted(text)}`);
  return cron;
}

/** The calendar repeats after 400 years: an expression that has not fired by then never will. */
const CALENDAR_CYCLE_MILLISECONDS = 146_097 * 86_400_000;

/** The first day on or after `from` (midnight in UTC, for a day of the wall clock) that the expression fires on. */
export function nextFireDay(cron: Cron, from: Date): Date | null {
  const day = new Date(from);
  while (day.getTime() - from.getTime() <= CALENDAR_CYCLE_MILLISECONDS) {
    if (cron.firesOn(day)) return day;
    if (cron.months.has(day.getUTCMonth() + 1)) day.setUTCDate(day.getUTCDate() + 1);
    else day.setUTCMonth(day.getUTCMonth() + 1, 1);
  }
  return null;
}

/** On how many days of a cycle of the calendar it fires. */
export function fireDaysInCycle(cron: Cron): number {
  let days = 0;
  let from = new Date(0);
  for (;;) {
    const day = nextFireDay(cron, from);
    if (day === null || day.getTime() >= CALENDAR_CYCLE_MILLISECONDS) return days;
    days += 1;
    from = new Date(day.getTime() + 86_400_000);
  }
}

/** What cron-parser accepts and roster does not: missing fields, macros, `H` (random), line breaks. */
function formProblem(text: string): TimingProblem | null {
  const message = `${quoted(text)} is not a cron expression with six fields`;
  if (text.length > LONGEST_CHARACTERS) return { message, help: example };
  if (/[^\x20-\x7e]/.test(text))
    return { message, help: 'Write it on one line, in ASCII, with spaces between the fields.' };
  const fields = fieldsOf(text);
  const macro = macros.get(text.trim().toLowerCase());
  if (macro !== undefined) return { message, help: `Write "${macro}".` };
  if (fields.length === 5) return { message, help: `Put the seconds first: "0 ${fields.join(' ')}".` };
  if (fields.length === 7) return { message, help: `Omit the year. ${example}` };
  if (fields.length !== 6) return { message, help: example };
  if (fields.some((field) => /(^|[,/-])H/i.test(field))) {
    return { message: `${quoted(text)} fires at random times`, help: 'Replace `H` with a number.' };
  }
  return null;
}

/** Which field is wrong. cron-parser does not say, so each field is tried alone. */
function fieldProblem(text: string): TimingProblem {
  const bad = fieldsOf(canonicalCron(text)).findIndex((field, index) => !parsesAlone(field, index));
  const field = cronFields[bad];
  if (field === undefined) return neverFires(text);
  const special = field.special === undefined ? '' : `, ${field.special}`;
  return {
    message: `${quoted(text)} is not a cron expression: its ${field.name} field is not valid`,
    help: `Valid values are ${field.range}, *, lists (1,2), ranges (1-5), steps (*/5)${special}.`,
  };
}

function parsesAlone(field: string, index: number): boolean {
  return parse(['0', '0', '0', '*', '*', '*'].with(index, field).join(' ')) !== null;
}

/** The six fields of an expression that can be read here, in upper case; null for any other. */
export function readableFields(text: string): readonly string[] | null {
  const isReadable = formProblem(text) === null && parse(canonicalCron(text)) !== null;
  return isReadable ? fieldsOf(canonicalCron(text)) : null;
}
