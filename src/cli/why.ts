import { withReadSession } from '../engine/session.js';
import { why } from '../engine/why.js';
import { jsonText } from '../view/json/json-text.js';
import { whyJson } from '../view/json/plan-json.js';
import { whyText } from '../view/text/why-text.js';
import { declarations } from './command/declarations.js';
import { type CommonFlags, sessionOptions } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext } from './host/host.js';

/** `roster why ADDRESS`: which remote object it is matched with, by which rule, what differs, and what is ignored. */
export function whyCommand(address: string, flags: CommonFlags, context: CommandContext): Promise<number> {
  return runCommand(flags, declarations.why.formats, context, async () => {
    const found = await withReadSession(sessionOptions(flags, context), (session) => why(session, address));
    const shown = context.output.redactor.value(found);
    return {
      render: {
        text: (style) => whyText(shown.why, shown.plan, style),
        json: () => jsonText(whyJson(shown.why, shown.plan)),
      },
    };
  });
}
