import { isUnknownCron, readableFields } from './cron.js';
import { cronFields, DAY_OF_MONTH, DAY_OF_WEEK, valuesOf } from './cron-syntax.js';
import { quoted, type TimingProblem } from './problem.js';

export interface CronWarning extends TimingProblem {
  readonly code: 'unknown-cron' | 'ambiguous-cron' | 'large-step';
}

/** What only the service can read, what services read differently, and what is probably not meant. */
export function cronWarnings(text: string): readonly CronWarning[] {
  const fields = readableFields(text);
  if (fields === null) return isUnknownCron(text) ? [unknown(text)] : [];
  const [dayOfMonth = '', dayOfWeek = ''] = [fields[DAY_OF_MONTH], fields[DAY_OF_WEEK]];
  return [
    ...(isRestricted(dayOfMonth) && isRestricted(dayOfWeek) ? [bothDays(text)] : []),
    ...(isNumbered(dayOfWeek) ? [numberedWeekday(text)] : []),
    ...fields.flatMap((field, index) => largeSteps(field, index, text)),
  ];
}

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

function largeSteps(field: string, index: number, text: string): CronWarning[] {
  return field.split(',').flatMap((item) => {
    const step = Number(/\/(\d+)$/.exec(item)?.[1] ?? 0);
    const values = step > 1 ? valuesOf(item, index) : null;
    if (values === null || values.length > 1) return [];
    const name = cronFields[index]?.name;
    const message = `${quoted(text)}: the step of ${item} is larger than the ${name} field, so it has the single value ${values[0]}`;
    const help = 'A step counts within its field. Write the value alone, or a smaller step.';
    return [{ code: 'large-step', message, help }];
  });
}
