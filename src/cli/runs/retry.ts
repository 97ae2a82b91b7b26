import { withSession } from '../../engine/session.js';
import type { RetriedMember } from '../../model/run-history.js';
import { type RetryResult, retryNotStarted } from '../../operate/runs/change.js';
import { jsonText } from '../../view/json/json-text.js';
import { retriedMembersJson } from '../../view/json/runs-json.js';
import { retriedMembersText } from '../../view/text/runs-text.js';
import { declarations } from '../command/declarations.js';
import { exitCode } from '../command/exit.js';
import { type CommonFlags, runSessionOptions } from '../command/flags.js';
import { runCommand } from '../command/run-command.js';
import type { CommandContext } from '../host/host.js';

/** `roster runs retry GROUPRUN AGENT…`: starts members that never started. */
export function retryRunCommand(
  run: string,
  names: readonly string[],
  flags: CommonFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations['runs retry'].formats, context, async (begin) => {
    const found = await withSession(runSessionOptions([], flags, context), (session) =>
      retryNotStarted(session, { run, names }, begin),
    );
    const shown = context.output.redactor.value(found);
    return {
      exit: context.signal.aborted ? exitCode.interrupted : exitOf(found),
      diagnostics: shown.diagnostics,
      diagnosticsLast: true,
      render: {
        text: () => retriedMembersText(shown.groupRunId, shown.members),
        json: () => jsonText(retriedMembersJson(shown.groupRunId, shown.members, shown.diagnostics)),
      },
    };
  });
}

/** What is unknown comes before what the service refused. */
function exitOf({ members }: RetryResult): number {
  const has = (result: RetriedMember['result']) => members.some((each) => each.result === result);
  if (has('unknown') || has('notSent')) return exitCode.incomplete;
  return has('refused') ? exitCode.failed : exitCode.fine;
}
