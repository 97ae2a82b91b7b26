import { apiRequest, callApi } from '../engine/api.js';
import { withAnySession } from '../engine/session.js';
import { problem } from '../model/diagnostic.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import type { CommonFlags, FlagsOf, Implementation } from './command/command.js';
import { needsNoProject, sessionOptions } from './command/flags.js';
import type { apiCommand } from './commands/tools.js';

type ApiFlags = FlagsOf<typeof apiCommand>;

/** `roster api [METHOD] PATH`: one request for what has no command. */
export const runApi: Implementation<typeof apiCommand> = async (words, given, context) => {
  const flags = sharedFlags(given);
  const [path = '', method, ...others] = [...words].reverse();
  if (others.length > 0)
    throw problem(
      'usage',
      'there are too many arguments',
      'For example: `roster api GET /api/search-groups`.',
    );
  const { data, all = false, write } = given;
  const request = apiRequest({ method, path, data, all, write }, context.host.cwd);
  const options = { ...sessionOptions(flags, context), orNone: needsNoProject(flags) };
  const answer = await withAnySession(options, (session) => callApi(session, request, all, context.begin));
  const text = () => jsonText(context.output.redactor.value(answer));
  return { render: { text, json: text } };
};

/** With other commands, `write` is a list of files. No copy: a test watches that each flag is read. */
function sharedFlags(given: ApiFlags): CommonFlags {
  return Object.create(given, { write: { value: undefined } });
}
