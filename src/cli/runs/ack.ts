import { withSession } from '../../engine/session.js';
import { acknowledge } from '../../operate/runs/change.js';
import { jsonText } from '../../view/json/json-text.js';
import { acknowledgedJson } from '../../view/json/runs-json.js';
import { acknowledgedText } from '../../view/text/runs-text.js';
import { declarations } from '../command/declarations.js';
import { exitCode } from '../command/exit.js';
import { type CommonFlags, runSessionOptions } from '../command/flags.js';
import { runCommand } from '../command/run-command.js';
import type { CommandContext } from '../host/host.js';

export interface AckFlags extends CommonFlags {
  readonly undo?: boolean;
}

/** `roster runs ack ID…`: failures that need no attention any more. */
export function ackRunsCommand(
  ids: readonly string[],
  flags: AckFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations['runs ack'].formats, context, async (begin) => {
    const { undo = false } = flags;
    const found = await withSession(runSessionOptions([], flags, context), (session) =>
      acknowledge(session, { ids, undo }, begin),
    );
    const { runs, diagnostics } = context.output.redactor.value(found);
    const isDone = diagnostics.every(({ severity }) => severity !== 'error');
    const isInterrupted = diagnostics.some(({ code }) => code === 'interrupted');
    return {
      exit: isInterrupted ? exitCode.interrupted : isDone ? exitCode.fine : exitCode.incomplete,
      diagnostics,
      diagnosticsLast: true,
      render: {
        text: () => acknowledgedText(runs, undo),
        json: () => jsonText(acknowledgedJson(runs, diagnostics)),
      },
    };
  });
}
