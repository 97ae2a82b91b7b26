import { canonicalCron, formProblem, nextFireDay, parseCron } from './cron.js';
import {
  cronFields,
  DAY_OF_MONTH,
  DAY_OF_WEEK,
  fieldsOf,
  isExtended,
  shortNameOf,
  sizeOf,
  valuesOf,
} from './cron-fields.js';
import { oncePerText } from './once-per-text.js';
import { quoted, type TimingProblem } from './problem.js';

/**
 * Why an expression is not valid in a manifest; null when it is. A valid one that can be read always fires: cron-parser
 * refuses days that do not occur in the given months, and any other day comes within 40 years.
 */
export const cronProblem = oncePerText((text): TimingProblem | null => {
  const problem = formProblem(text);
  if (problem !== null) return problem;
  const cron = parseCron(canonicalCron(text));
  if (cron !== null) return nextFireDay(cron, new Date(0)) === null ? neverFires(text) : null;
  return isUnknown(text) ? null : fieldProblem(text);
});

/** Whether an expression without a problem cannot be computed here: only the service can say when it fires. */
export function isUnknownCron(text: string): boolean {
  return formProblem(text) === null && parseCron(canonicalCron(text)) === null && isUnknown(text);
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
  return parseCron(['0', '0', '0', '*', '*', '*'].with(index, field).join(' ')) !== null;
}

/** The six fields of an expression that can be read here, in upper case; null for any other. */
function readableFields(text: string): readonly string[] | null {
  const isReadable = formProblem(text) === null && parseCron(canonicalCron(text)) !== null;
  return isReadable ? fieldsOf(canonicalCron(text)) : null;
}

export interface CronWarning extends TimingProblem {
  readonly code: 'unknown-cron' | 'ambiguous-cron' | 'large-step';
}

/** What only the service can read, what services read differently, and what is probably not meant. */
export const cronWarnings = oncePerText((text): readonly CronWarning[] => {
  const fields = readableFields(text);
  if (fields === null) return isUnknownCron(text) ? [unknown(text)] : [];
  const [dayOfMonth = '', dayOfWeek = ''] = [fields[DAY_OF_MONTH], fields[DAY_OF_WEEK]];
  return [
    ...(isRestricted(dayOfMonth) && isRestricted(dayOfWeek) ? [bothDays(text)] : []),
    ...(isNumbered(dayOfWeek) ? [numberedWeekday(text)] : []),
    ...longNames(fields, text),
    ...fields.flatMap((field, index) => largeSteps(field, index, text)),
  ];
});

function unknown(text: string): CronWarning {
  return {
    code: 'unknown-cron',
    message: `cannot compute when ${quoted(text)} runs: it uses syntax that only some services support`,
    help: "The service's preview decides whether it is valid. Check the next runs that `roster plan` shows.",
  };
}

function isRestricted(field: string): boolean {
  return !/^[*?]$/.test(field);
}

function bothDays(text: string): CronWarning {
  return {
    code: 'ambiguous-cron',
    message: `${quoted(text)} restricts both the day of month and the day of week: some services run it when either matches, others only when both do`,
    help: 'Set one of the two to `*`, or compare the next runs that `roster plan` shows.',
  };
}

/** A range of all seven days is the same however they are numbered. */
function isNumbered(field: string): boolean {
  return !/^(\*|0-6|1-7|0-7)/.test(field) && /(^|[,-])\d/.test(field);
}

function numberedWeekday(text: string): CronWarning {
  return {
    code: 'ambiguous-cron',
    message: `${quoted(text)} numbers a day of the week: 1 is Monday for some services and Sunday for others`,
    help: 'Write SUN, MON, TUE, WED, THU, FRI or SAT.',
  };
}

/** Names that roster knows and not every service: the plan and its preview would say so only after the review. */
function longNames(fields: readonly string[], text: string): CronWarning[] {
  const words = [...new Set(fields.flatMap((field) => field.match(/[A-Z]{4,}/g) ?? []))];
  const known = words.filter((word) => shortNameOf(word) !== null);
  if (known.length === 0) return [];
  const short = fields.join(' ').replace(/[A-Z]{4,}/g, (word) => shortNameOf(word) ?? word);
  const message = `${quoted(text)} contains the full name of a day or month, which only some services know: ${known.join(', ')}`;
  return [{ code: 'unknown-cron', message, help: `Write the short name: "${short}".` }];
}

/** A step begins anew with each cycle of its field. */
function largeSteps(field: string, index: number, text: string): CronWarning[] {
  return field.split(',').flatMap((item) => {
    const { name = '', cycle = '' } = cronFields[index] ?? {};
    const step = Number(/\/(\d+)$/.exec(item)?.[1] ?? 0);
    const values = step > 1 ? (valuesOf(item, index) ?? []) : [];
    const [first, last] = [values[0], values.at(-1)];
    if (first === last) return values.length === 0 ? [] : [singleValue(text, item, `${name} field`, first)];
    const isWhole = !item.includes('-') && (index === DAY_OF_MONTH || sizeOf(index) % step !== 0);
    if (!isWhole) return [];
    const unit = name.replaceAll('-', ' ');
    const message = `${quoted(text)}: the step of ${item} starts again with each ${cycle}, so the ${unit} after ${last} is ${first}`;
    const help = 'For equal intervals, use `every` instead of `cron`.';
    return [{ code: 'large-step', message, help }];
  });
}

function singleValue(text: string, item: string, field: string, value: number | undefined): CronWarning {
  const message = `${quoted(text)}: the step of ${item} is larger than the ${field}, so it has the single value ${value}`;
  const help = 'A step counts within its field. Write the value alone, or a smaller step.';
  return { code: 'large-step', message, help };
}
