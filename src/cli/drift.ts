import { drift } from '../engine/drift.js';
import { withReadSession } from '../engine/session.js';
import { jsonText } from '../view/json/json-text.js';
import { driftJson } from '../view/json/plan-json.js';
import { driftMarkdown } from '../view/markdown/drift-markdown.js';
import { driftText } from '../view/text/drift-text.js';
import { declarations } from './command/declarations.js';
import { exitCode } from './command/exit.js';
import { type CommonFlags, sessionOptions } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext } from './host/host.js';
import { sourceLinks } from './host/source-links.js';

export interface DriftFlags extends CommonFlags {
  readonly allowAccountChange?: boolean;
  readonly linkBase?: string;
}

/** `roster drift`: what was changed outside roster since the last apply. Exit code 2 if anything was. */
export function driftCommand(
  addresses: readonly string[],
  flags: DriftFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations.drift.formats, { ...context, page: 'drift' }, async () => {
    const { host, output } = context;
    const urlOf = sourceLinks(flags, host);
    const found = await withReadSession(sessionOptions(flags, context), (session) =>
      drift(session, { addresses, allowAccountChange: flags.allowAccountChange }),
    );
    const shown = output.redactor.value(found);
    return {
      exit: found.changes.length > 0 ? exitCode.changes : exitCode.fine,
      diagnostics: found.diagnostics,
      render: {
        text: (style) => driftText(shown, style),
        json: () => jsonText(driftJson(shown)),
        markdown: () => driftMarkdown(shown, { urlOf, measure: (text) => output.redactor.text(text).length }),
      },
    };
  });
}
