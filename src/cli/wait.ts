import { withReadSession } from '../engine/session.js';
import { waitFor } from '../operate/run/wait.js';
import type { Implementation } from './command/command.js';
import { chooseDuration, runSessionOptions } from './command/flags.js';
import { runPrinter, runResult } from './command/run-output.js';
import type { waitCommand } from './commands/watch.js';

/** `roster wait ID|ADDRESS…`: follows runs that were started earlier. */
export const runWait: Implementation<typeof waitCommand> = async (names, flags, context) => {
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
};
