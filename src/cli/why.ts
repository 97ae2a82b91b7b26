import { withReadSession } from '../engine/session.js';
import { why } from '../engine/why.js';
import { jsonText, whyJson, whysJson } from '../view/json/plan-json.js';
import { whyText } from '../view/text/why-text.js';
import type { Implementation } from './command/command.js';
import { sessionOptions } from './command/flags.js';
import type { whyCommand } from './commands/inspect.js';

/** `roster why ADDRESS…`: which remote object each is matched with, by which rule, what differs, and what is ignored. */
export const runWhy: Implementation<typeof whyCommand> = async (addresses, flags, context) => {
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
};
