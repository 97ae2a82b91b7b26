import { withSession } from '../engine/session.js';
import { problem } from '../model/diagnostic.js';
import { type RunCallbacks, type RunOptions, run } from '../operate/run/run.js';
import { declarations } from './command/declarations.js';
import { type CommonFlags, chooseDuration, runSessionOptions, wholeNumber } from './command/flags.js';
import { renderOptions, runCommand } from './command/run-command.js';
import { runInputs } from './command/run-inputs.js';
import { runPrinter } from './command/run-printer.js';
import { runResult } from './command/run-result.js';
import { checkSave, runSaver, savesToStdout } from './command/run-saver.js';
import type { CommandContext } from './host/host.js';

export interface RunFlags extends CommonFlags {
  readonly input?: readonly string[];
  readonly inputs?: string;
  readonly declared?: boolean;
  readonly detach?: boolean;
  readonly for?: string;
  readonly maxStarts?: string;
  readonly retryNotStarted?: string;
  readonly save?: string;
  readonly stopOnInterrupt?: boolean;
}

/** `roster run ADDRESS…`: starts what is declared, or an agent, and follows it to its end. */
export function runRunCommand(
  addresses: readonly string[],
  flags: RunFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations.run.formats, context, async (begin) => {
    checkSave(flags);
    const options = await runOptions(flags, context);
    const isStdout = savesToStdout(flags);
    const printer = runPrinter(flags, context, isStdout);
    try {
      const found = await withSession(runSessionOptions(addresses, flags, context), async (session) => {
        const saver = flags.save === undefined ? null : runSaver(session, flags.save, context, printer.note);
        const onRuns: RunCallbacks['onRuns'] = (runs) => {
          printer.onRuns(runs);
          saver?.onRuns(runs);
        };
        const ended = await run(session, addresses, options, { onBegin: begin, onRuns });
        return saver === null ? { ended } : { ended: await saver.finish(ended), saved: saver.saved };
      });
      const result = runResult(found.ended, context, found.saved);
      return isStdout ? await onStderr(result, flags, context) : result;
    } finally {
      printer.end();
    }
  });
}

/** stdout is for records. */
async function onStderr(
  result: ReturnType<typeof runResult>,
  flags: RunFlags,
  { host, output }: CommandContext,
): Promise<ReturnType<typeof runResult>> {
  output.err(await result.render.text(renderOptions(flags, host, 'stderr')));
  return { ...result, render: { ...result.render, text: () => '' } };
}

/** What only those need who follow the runs. */
const following = {
  for: '--for',
  save: '--save',
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
