import { withReadSession } from '../../engine/session.js';
import { showRun } from '../../operate/runs/show.js';
import { jsonText } from '../../view/json/json-text.js';
import { shownRunJson } from '../../view/json/runs-json.js';
import { runDetailsText } from '../../view/text/runs-text.js';
import { declarations } from '../command/declarations.js';
import { type CommonFlags, runSessionOptions } from '../command/flags.js';
import { runCommand } from '../command/run-command.js';
import type { CommandContext } from '../host/host.js';

/** `roster runs show ID`: one run with its members, reasons and datasets. */
export function showRunCommand(id: string, flags: CommonFlags, context: CommandContext): Promise<number> {
  return runCommand(flags, declarations['runs show'].formats, context, async () => {
    const found = await withReadSession(runSessionOptions([], flags, context), (session) =>
      showRun(session, id),
    );
    const shown = context.output.redactor.value(found);
    return {
      render: {
        text: (style) => runDetailsText(shown, style),
        json: () => jsonText(shownRunJson(shown)),
      },
    };
  });
}
