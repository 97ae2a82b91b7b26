import { calendarWithHolds } from '../engine/calendar.js';
import { problem } from '../model/diagnostic.js';
import { calendarText } from '../view/calendar/calendar-text.js';
import { calendarHtml } from '../view/html/calendar-html.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import { calendarJson } from '../view/json/plan-json.js';
import type { FlagsOf, Implementation } from './command/command.js';
import { chosenSelection, projectOptions } from './command/flags.js';
import type { calendarCommand } from './commands/inspect.js';

type CalendarFlags = FlagsOf<typeof calendarCommand>;

const mostDays = 366;

/** `roster calendar`: what starts when over the coming days, from the manifests alone. */
export const runCalendar: Implementation<typeof calendarCommand> = async (addresses, flags, context) => {
  const { redactor } = context.output;
  const { from, zone = 'UTC' } = flags;
  const wanted = { ...chosenSelection(addresses, flags), days: chooseDays(flags), from, zone };
  const made = await calendarWithHolds(projectOptions(flags, context), wanted);
  const shown = redactor.value(made.calendar);
  return {
    diagnostics: made.warnings,
    render: {
      text: (style) => calendarText(shown, style),
      json: () => jsonText(calendarJson(shown, redactor.value(made.warnings))),
      html: () => calendarHtml(shown, redactor.value(made.warnings)),
    },
  };
};

function chooseDays({ days = '7' }: CalendarFlags): number {
  const count = /^\d{1,4}$/.test(days) ? Number(days) : 0;
  if (count >= 1 && count <= mostDays) return count;
  throw problem('usage', `--days: "${days}" is not a number of days`, `Use a number from 1 to ${mostDays}.`);
}
