import { drift } from '../engine/drift.js';
import { withReadSession } from '../engine/session.js';
import { driftJson, jsonText } from '../view/json/plan-json.js';
import { driftMarkdown } from '../view/markdown/drift-markdown.js';
import { driftText } from '../view/text/drift-text.js';
import type { Implementation } from './command/command.js';
import { exitCode } from './command/exit.js';
import { sessionOptions } from './command/flags.js';
import type { driftCommand } from './commands/inspect.js';
import { sourceLinks } from './host/repository.js';

/** `roster drift`: what was changed outside roster since the last apply. Exit code 2 if anything was. */
export const runDrift: Implementation<typeof driftCommand> = async (addresses, flags, context) => {
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
};
