import { withReadSession } from '../engine/session.js';
import { waitFor } from '../operate/run/wait.js';
import { declarations } from './command/declarations.js';
import { type CommonFlags, chooseDuration, runSessionOptions } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import { runPrinter } from './command/run-printer.js';
import { runResult } from './command/run-result.js';
import type { CommandContext } from './host/host.js';

export interface WaitFlags extends CommonFlags {
  readonly for?: string;
}

/** `roster wait ID|ADDRESS…`: follows runs that were started earlier. */
export function waitCommand(
  names: readonly string[],
  flags: WaitFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations.wait.formats, context, async () => {
    const forMilliseconds = chooseDuration(flags.for, '--for');
    const printer = runPrinter(flags, context);
    try {
      const found = await withReadSession(runSessionOptions(names, flags, context), (session) =>
        waitFor(session, names, { forMilliseconds }, printer),
      );
      return runResult(found, context);
    } finally {
      printer.end();
    }
  });
}
