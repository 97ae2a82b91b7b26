import { DAY_OF_MONTH, DAY_OF_WEEK, valuesOf } from './cron-syntax.js';

/** What cron-parser says of each field. */
export interface Fields {
  readonly second: { readonly values: readonly number[] };
  readonly minute: { readonly values: readonly number[] };
  readonly hour: { readonly values: readonly number[] };
  readonly month: { readonly values: readonly number[] };
  readonly dayOfMonth: DayField & { readonly hasLastChar: boolean };
  readonly dayOfWeek: DayField & { readonly nthDay: number };
}

interface DayField {
  readonly values: readonly (number | string)[];
  readonly isWildcard: boolean;
}

/**
 * The fields of most expressions, without cron-parser, which takes a third as long to load and run as Node does to start.
 * Null for what only cron-parser can judge: days of the month, which some months do not have, and special letters.
 */
export function plainFields(fields: readonly string[]): Fields | null {
  if (!isWildcard(fields[DAY_OF_MONTH]) || /\//.test(fields[DAY_OF_WEEK] ?? '')) return null;
  const [second, minute, hour, days, month, weekdays] = fields.map(valuesOfField);
  if (!second || !minute || !hour || !days || !month || !weekdays) return null;
  return {
    second: { values: second },
    minute: { values: minute },
    hour: { values: hour },
    month: { values: month },
    dayOfMonth: { values: days, isWildcard: true, hasLastChar: false },
    dayOfWeek: { values: weekdays, isWildcard: isWildcard(fields[DAY_OF_WEEK]), nthDay: 0 },
  };
}

function isWildcard(field: string | undefined): boolean {
  return field === '*' || field === '?';
}

/** In ascending order. cron-syntax.ts has listed each value once, Sunday as 0. */
function valuesOfField(field: string, index: number): readonly number[] | null {
  const lists = field.split(',').map((item) => valuesOf(item, index));
  if (lists.includes(null)) return null;
  return [...new Set(lists.flatMap((list) => list ?? []))].sort((one, other) => one - other);
}
