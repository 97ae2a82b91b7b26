import { withReadSession } from '../engine/session.js';
import { why } from '../engine/why.js';
import { jsonText } from '../view/json/json-text.js';
import { whyJson, whysJson } from '../view/json/plan-json.js';
import { whyText } from '../view/text/why-text.js';
import { declarations } from './command/declarations.js';
import { type CommonFlags, sessionOptions } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext } from './host/host.js';

/** `roster why ADDRESS…`: which remote object each is matched with, by which rule, what differs, and what is ignored. */
export function whyCommand(
  addresses: readonly string[],
  flags: CommonFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations.why.formats, context, async () => {
    const options = sessionOptions(flags, context);
    const found = await withReadSession(options, (session) => why(session, addresses));
    const { whys, plan } = context.output.redactor.value(found);
    const [only] = whys;
    // The JSON of one address is that of a resource, and that of anything else a list, however many a glob matches.
    const isOne = only !== undefined && addresses.length === 1 && addresses[0] === only.address;
    return {
      render: {
        text: (style) => whyText(whys, plan, style),
        json: () => jsonText(isOne ? whyJson(only, plan) : whysJson(whys, plan)),
      },
    };
  });
}
