import { calendarWithHolds } from '../engine/calendar.js';
import { problem } from '../model/diagnostic.js';
import { calendarSvg } from '../view/calendar/calendar-svg.js';
import { calendarText } from '../view/calendar/calendar-text.js';
import { calendarHtml } from '../view/html/calendar-html.js';
import { jsonText } from '../view/json/json-text.js';
import { calendarJson } from '../view/json/plan-json.js';
import { declarations } from './command/declarations.js';
import { type CommonFlags, projectOptions } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext } from './host/host.js';

export interface CalendarFlags extends CommonFlags {
  readonly days?: string;
  readonly zone?: string;
  readonly from?: string;
}

const mostDays = 366;

/** `roster calendar`: what starts when over the coming days, from the manifests alone. */
export function calendarCommand(flags: CalendarFlags, context: CommandContext): Promise<number> {
  return runCommand(flags, declarations.calendar.formats, { ...context, page: 'calendar' }, async () => {
    const { redactor } = context.output;
    const { from, zone = 'UTC' } = flags;
    const wanted = { days: chooseDays(flags), from, zone };
    const made = await calendarWithHolds(projectOptions(flags, context), wanted);
    const shown = redactor.value(made.calendar);
    return {
      diagnostics: made.warnings,
      render: {
        text: (style) => calendarText(shown, style),
        json: () => jsonText(calendarJson(shown, redactor.value(made.warnings))),
        html: () => calendarHtml(shown, redactor.value(made.warnings)),
        svg: () => calendarSvg(shown),
      },
    };
  });
}

function chooseDays({ days = '7' }: CalendarFlags): number {
  const count = /^\d{1,4}$/.test(days) ? Number(days) : 0;
  if (count >= 1 && count <= mostDays) return count;
  throw problem('usage', `--days: "${days}" is not a number of days`, `Use a number from 1 to ${mostDays}.`);
}
