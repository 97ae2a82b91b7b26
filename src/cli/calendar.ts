import { kinds } from '../kinds/index.js';
import { suggest } from '../manifest/suggest.js';
import { hasErrors, Problem, problem } from '../model/diagnostic.js';
import { calendarOf } from '../reconcile/calendar.js';
import { toInstant } from '../timing/offset-period.js';
import { canonicalZone, zoneProblem } from '../timing/zone.js';
import { calendarJson } from '../view/calendar/calendar-json.js';
import { calendarSvg } from '../view/calendar/calendar-svg.js';
import { calendarText } from '../view/calendar/calendar-text.js';
import { jsonText } from '../view/json/json-text.js';
import { exitCode } from './exit.js';
import { load } from './load.js';
import type { Output } from './output.js';
import { runCommand } from './run-command.js';
import type { CommonFlags, Host } from './settings.js';

export interface CalendarFlags extends CommonFlags {
  readonly days?: string;
  readonly zone?: string;
  readonly from?: string;
}

const defaultDays = 7;
const mostDays = 366;

/** `roster calendar`: what starts when over the coming days, from the manifests alone. */
export function calendar(flags: CalendarFlags, host: Host, output: Output): Promise<number> {
  const formats = ['text', 'json', 'svg'] as const;
  return runCommand({ flags, formats, host, output }, async () => {
    const timeZone = chooseZone(flags);
    const span = chooseSpan(flags, timeZone, new Date());
    const { project, diagnostics } = load(flags, host, output);
    if (project === null || hasErrors(diagnostics)) throw new Problem(diagnostics);
    const found = output.hidden(calendarOf({ kinds, project, now: span.from, span, timeZone }));
    return {
      exit: exitCode.fine,
      diagnostics,
      began: false,
      render(format, look) {
        switch (format) {
          case 'text':
            return calendarText(found, look);
          case 'json':
            return jsonText(calendarJson(found, output.hidden(diagnostics)));
          case 'svg':
            return calendarSvg(found);
          default:
            return format satisfies never;
        }
      },
    };
  });
}

function chooseZone({ zone = 'UTC' }: CalendarFlags): string {
  const wrong = zoneProblem(zone, suggest);
  if (wrong !== null) throw problem('usage', `--zone: ${wrong.message}`, wrong.help);
  return canonicalZone(zone);
}

/** From now, or from midnight of a day, for so many days of the zone's clocks. */
function chooseSpan(flags: CalendarFlags, timeZone: string, now: Date): { from: Date; until: Date } {
  const days = chooseDays(flags);
  const from = flags.from === undefined ? now : midnight(flags.from, timeZone);
  const first = flags.from ?? localDate(now, timeZone);
  return { from, until: toInstant(`${addDays(first, days)}T00:00:00`, timeZone) };
}

function chooseDays({ days }: CalendarFlags): number {
  if (days === undefined) return defaultDays;
  const count = /^\d{1,4}$/.test(days) ? Number(days) : 0;
  if (count >= 1 && count <= mostDays) return count;
  throw problem('usage', `--days: "${days}" is no number of days`, `Write a number from 1 to ${mostDays}.`);
}

function midnight(date: string, timeZone: string): Date {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(date) && addDays(date, 0) === date;
  if (isDate) return toInstant(`${date}T00:00:00`, timeZone);
  throw problem('usage', `--from: "${date}" is no date`, 'Write a date such as 2026-12-01.');
}

function localDate(now: Date, timeZone: string): string {
  return now.toLocaleDateString('sv-SE', { timeZone });
}

/** Dates of the calendar, without zones. */
function addDays(date: string, days: number): string {
  const day = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(day.getTime())) return '';
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}
