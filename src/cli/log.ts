import { log, logEntry } from '../engine/log.js';
import { Problem } from '../model/diagnostic.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import { logEntryJson, logJson } from '../view/json/plan-json.js';
import { logEntryText, logText } from '../view/text/log-text.js';
import type { Implementation } from './command/command.js';
import { projectOptions, usage, wholeNumber } from './command/flags.js';
import type { logCommand } from './commands/inspect.js';

const DEFAULT_LIMIT = 20;

/** `roster log`: the runs that changed what the project owns. Needs neither the service nor an API key. */
export const runLog: Implementation<typeof logCommand> = async (number, flags, context) => {
  const { redactor } = context.output;
  const options = projectOptions(flags, context);
  const limit = flags.limit === undefined ? DEFAULT_LIMIT : wholeNumber(flags.limit, '--limit', 1, 100_000);
  if (number !== undefined) {
    if (flags.limit !== undefined) throw new Problem(usage('--limit: `roster log NUMBER` shows one entry'));
    const shown = redactor.value(await logEntry(options, number));
    return {
      render: { text: (style) => logEntryText(shown, style), json: () => jsonText(logEntryJson(shown)) },
    };
  }
  const shown = redactor.value(await log({ ...options, limit }));
  return { render: { text: (style) => logText(shown, style), json: () => jsonText(logJson(shown)) } };
};
