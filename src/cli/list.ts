import { list } from '../engine/list.js';
import { AGENTS, listable, listableKind } from '../engine/listable.js';
import { type SessionOptions, withReadSession } from '../engine/session.js';
import { problem } from '../model/diagnostic.js';
import { jsonText } from '../view/json/json-text.js';
import { listJson } from '../view/json/list-json.js';
import { listText } from '../view/text/list-text.js';
import { declarations } from './command/declarations.js';
import { type CommonFlags, sessionOptions } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext } from './host/host.js';

export interface ListFlags extends CommonFlags {
  readonly unmanaged?: boolean;
  readonly inputs?: boolean;
}

/** `roster list [KIND]`: what exists on the service, with the addresses of what is declared. */
export function listCommand(
  kind: string | undefined,
  flags: ListFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations.list.formats, context, async () => {
    const { unmanaged = false, inputs = false } = flags;
    const section = kind === undefined ? undefined : sectionNamed(kind);
    checkFlags(section, { unmanaged, inputs });
    const options = { ...sessionOptions(flags, context), orNone: needsNoProject(flags) };
    const found = await withReadSession(options, (session) => list(session, { section, unmanaged }));
    const shown = context.output.redactor.value(found);
    return {
      diagnostics: found.diagnostics,
      render: {
        text: (style) => listText(shown, { ...style, unmanaged, inputs }),
        json: () => jsonText(listJson(shown, inputs)),
      },
    };
  });
}

function sectionNamed(kind: string): string {
  const found = listableKind(kind);
  if (found !== null) return found;
  throw problem('usage', `there is no kind "${kind}"`, `One of: ${listable.join(', ')}.`);
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

/** Flags about a project, and what only a project can answer, need one. */
export function needsNoProject(flags: ListFlags): NonNullable<SessionOptions['orNone']> {
  const { file, env, inventory, var: vars, unmanaged } = flags;
  return [file, env, inventory, vars, unmanaged].every((each) => each === undefined);
}
