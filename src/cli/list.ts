import { list } from '../engine/list.js';
import { AGENTS, listable, listableKind } from '../engine/listable.js';
import { withReadSession } from '../engine/session.js';
import { suggest } from '../manifest/suggest.js';
import { problem } from '../model/diagnostic.js';
import { jsonText, listJson } from '../view/json/plan-json.js';
import { listText } from '../view/text/list-text.js';
import type { FlagsOf, Implementation } from './command/command.js';
import { needsNoProject, sessionOptions } from './command/flags.js';
import type { listCommand } from './commands/inspect.js';

type ListFlags = FlagsOf<typeof listCommand>;

/** `roster list [KIND]`: what exists on the service, with the addresses of what is declared. */
export const runList: Implementation<typeof listCommand> = async (kind, flags, context) => {
  const { unmanaged = false, inputs = false } = flags;
  const section = kind === undefined ? undefined : sectionNamed(kind);
  checkFlags(section, { unmanaged, inputs });
  const options = { ...sessionOptions(flags, context), orNone: !unmanaged && needsNoProject(flags) };
  const found = await withReadSession(options, (session) => list(session, { section, unmanaged }));
  const shown = context.output.redactor.value(found);
  return {
    diagnostics: found.diagnostics,
    render: {
      text: (style) => listText(shown, { ...style, unmanaged, inputs }),
      json: () => jsonText(listJson(shown, inputs)),
    },
  };
};

function sectionNamed(kind: string): string {
  const found = listableKind(kind);
  if (found !== null) return found;
  const near = suggest(kind, listable);
  const hint = near === null ? `One of: ${listable.join(', ')}.` : `Did you mean ${near}?`;
  throw problem('usage', `there is no kind "${kind}"`, hint);
}

function checkFlags(
  section: string | undefined,
  { unmanaged, inputs }: Required<Pick<ListFlags, 'unmanaged' | 'inputs'>>,
) {
  if (inputs && section !== AGENTS)
    throw problem('usage', '`--inputs` is for agents only', 'Use `roster list agents --inputs`.');
  if (unmanaged && section === AGENTS)
    throw problem('usage', '`--unmanaged` has no effect on agents: roster never manages them', 'Omit it.');
}
