import { kinds } from '../kinds/index.js';
import { suggest } from '../manifest/suggest.js';
import type { Calendar } from '../model/calendar.js';
import { type Diagnostic, problem } from '../model/diagnostic.js';
import { calendarOf } from '../reconcile/starts/calendar.js';
import { toInstant } from '../timing/offset-period.js';
import { canonicalZone, zoneProblem } from '../timing/zone.js';
import { timeZoneData } from '../timing/zone-data.js';
import { clockOf } from './clock.js';
import { openProject, type ProjectOptions } from './project.js';

export interface CalendarOptions {
  /** From 1 to 366. */
  readonly days: number;
  /** The first day, such as `2026-12-01`. Default: from now on. */
  readonly from?: string | undefined;
  /** IANA name of the time zone of all days and hours. */
  readonly zone: string;
}

/** When the declared schedules start agents, from the manifests alone, and the warnings about these. Throws a Problem. */
export function calendar(
  options: ProjectOptions,
  { days, from, zone }: CalendarOptions,
): { readonly calendar: Calendar; readonly warnings: readonly Diagnostic[] } {
  const timeZone = checkedZone(zone);
  const now = clockOf(options).now();
  const start = from === undefined ? now : midnight(from, timeZone);
  const until = addDays(from ?? localDate(now, timeZone), days);
  const span = { from: start, until: toInstant(`${until}T00:00:00`, timeZone) };
  const { project, warnings } = openProject(options);
  return {
    calendar: calendarOf({ kinds, project, now: start, span, timeZone, timeZoneData: timeZoneData() }),
    warnings,
  };
}

function checkedZone(zone: string): string {
  const wrong = zoneProblem(zone, suggest);
  if (wrong !== null) throw problem('usage', `--zone: ${wrong.message}`, wrong.help);
  return canonicalZone(zone);
}

function midnight(date: string, timeZone: string): Date {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(date) && addDays(date, 0) === date;
  if (isDate) return toInstant(`${date}T00:00:00`, timeZone);
  throw problem('usage', `--from: "${date}" is not a date`, 'Write a date such as 2026-12-01.');
}

function localDate(now: Date, timeZone: string): string {
  return now.toLocaleDateString('sv-SE', { timeZone });
}

/** Dates without time zones. Empty when the first one does not exist. */
function addDays(date: string, days: number): string {
  const day = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(day.getTime())) return '';
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}
