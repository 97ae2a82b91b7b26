import { withSession } from '../../engine/session.js';
import { stopRuns } from '../../operate/runs/change.js';
import { jsonText } from '../../view/json/json-text.js';
import { stoppedRunsJson } from '../../view/json/runs-json.js';
import { stoppedRunsText } from '../../view/text/runs-text.js';
import { declarations } from '../command/declarations.js';
import { exitCode } from '../command/exit.js';
import { type CommonFlags, runSessionOptions } from '../command/flags.js';
import { runCommand } from '../command/run-command.js';
import type { CommandContext } from '../host/host.js';

/** `roster runs stop ID…`: stops what runs, and looks whether it has stopped. */
export function stopRunsCommand(
  ids: readonly string[],
  flags: CommonFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations['runs stop'].formats, context, async (begin) => {
    const found = await withSession(runSessionOptions([], flags, context), (session) =>
      stopRuns(session, ids, begin),
    );
    const { runs, diagnostics } = context.output.redactor.value(found);
    const isInterrupted = diagnostics.some(({ code }) => code === 'interrupted');
    const isOpen = runs.some(({ result }) => result === 'running');
    return {
      exit: isInterrupted ? exitCode.interrupted : isOpen ? exitCode.incomplete : exitCode.fine,
      diagnostics,
      diagnosticsLast: true,
      render: {
        text: (style) => stoppedRunsText(runs, style),
        json: () => jsonText(stoppedRunsJson(runs, diagnostics)),
      },
    };
  });
}
