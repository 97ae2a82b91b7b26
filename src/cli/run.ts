import { type RunOptions, run } from '../engine/run/run.js';
import { withSession } from '../engine/session.js';
import { problem } from '../model/diagnostic.js';
import { declarations } from './command/declarations.js';
import { type CommonFlags, chooseDuration, runSessionOptions, wholeNumber } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import { runInputs } from './command/run-inputs.js';
import { runPrinter } from './command/run-printer.js';
import { runResult } from './command/run-result.js';
import type { CommandContext } from './host/host.js';

export interface RunFlags extends CommonFlags {
  readonly input?: readonly string[];
  readonly inputs?: string;
  readonly declared?: boolean;
  readonly detach?: boolean;
  readonly for?: string;
  readonly maxStarts?: string;
  readonly retryNotStarted?: string;
  readonly stopOnInterrupt?: boolean;
}

/** `roster run ADDRESS…`: starts what is declared, or an agent, and follows it to its end. */
export function runRunCommand(
  addresses: readonly string[],
  flags: RunFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations.run.formats, context, async (begin) => {
    const options = await runOptions(flags, context);
    const printer = runPrinter(flags, context);
    const callbacks = { onBegin: begin, onRuns: printer.onRuns };
    try {
      const found = await withSession(runSessionOptions(addresses, flags, context), (session) =>
        run(session, addresses, options, callbacks),
      );
      return runResult(found, context);
    } finally {
      printer.end();
    }
  });
}

/** What only those need who follow the runs. */
const following = {
  for: '--for',
  retryNotStarted: '--retry-not-started',
  stopOnInterrupt: '--stop-on-interrupt',
} as const;

function refuseIdle(flags: RunFlags): void {
  if (flags.detach !== true) return;
  for (const [name, flag] of Object.entries(following))
    if (flags[name as keyof typeof following] !== undefined)
      throw problem('usage', `\`${flag}\` has no effect with \`--detach\``, 'Omit one of them.');
}

async function runOptions(flags: RunFlags, { host }: CommandContext): Promise<RunOptions> {
  refuseIdle(flags);
  const { declared, detach, stopOnInterrupt, maxStarts, retryNotStarted } = flags;
  return {
    inputs: await runInputs(flags, host.cwd),
    forMilliseconds: chooseDuration(flags.for, '--for'),
    ...(declared === undefined ? {} : { declared }),
    ...(detach === undefined ? {} : { detach }),
    ...(stopOnInterrupt === undefined ? {} : { stopOnInterrupt }),
    ...(maxStarts === undefined ? {} : { maxStarts: wholeNumber(maxStarts, '--max-starts', 1, 10_000) }),
    ...(retryNotStarted === undefined
      ? {}
      : { retryNotStarted: wholeNumber(retryNotStarted, '--retry-not-started', 0, 100) }),
  };
}
