import { withSession } from '../../engine/session.js';
import { refreshRun } from '../../operate/runs/change.js';
import { jsonText } from '../../view/json/json-text.js';
import { refreshedRunJson } from '../../view/json/runs-json.js';
import { refreshedRunText } from '../../view/text/runs-text.js';
import { declarations } from '../command/declarations.js';
import { type CommonFlags, runSessionOptions } from '../command/flags.js';
import { runCommand } from '../command/run-command.js';
import type { CommandContext } from '../host/host.js';

/** `roster runs refresh ID`: makes the service read it again, and prints its state. */
export function refreshRunCommand(id: string, flags: CommonFlags, context: CommandContext): Promise<number> {
  return runCommand(flags, declarations['runs refresh'].formats, context, async () => {
    const found = await withSession(runSessionOptions([], flags, context), (session) =>
      refreshRun(session, id),
    );
    const shown = context.output.redactor.value(found);
    return {
      render: {
        text: (style) => refreshedRunText(shown, style),
        json: () => jsonText(refreshedRunJson(shown)),
      },
    };
  });
}
