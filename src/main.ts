import { exitCode, reportInterrupt } from './cli/command/exit.js';
import { commandIn, commands, commandsFor, ordered } from './cli/commands.js';
import { pageAddress } from './cli/help/page-address.js';
import type { Host } from './cli/host/host.js';
import { Output } from './cli/host/output.js';
import { buildProgram } from './cli/program.js';

/** argv in, exit code out: the only file that handles signals and ends the process. */
const output = new Output();
/** Read only when needed: reading a stream creates it, which takes longer than `--help` does. */
const host: Host = {
  cwd: process.cwd(),
  env: process.env,
  get stdinIsTerminal() {
    return process.stdin.isTTY === true;
  },
  get stdoutIsTerminal() {
    return process.stdout.isTTY === true;
  },
  get stderrIsTerminal() {
    return process.stderr.isTTY === true;
  },
  get columns() {
    // Some pseudo-terminals say 0.
    return process.stdout.columns || process.stderr.columns || null;
  },
  get rows() {
    return process.stdout.rows || process.stderr.rows || null;
  },
};

const interrupt = new AbortController();
const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const { interruptEnds: ends, afterStop } = commandIn(argv) ?? {};
      if (interrupt.signal.aborted) {
        if (afterStop !== undefined) output.err(`\n${afterStop}\n`);
        process.exit(exitCode.interrupted);
      }
      interrupt.abort();
      resolve();
      if (ends === undefined) {
        output.err('\nInterrupted.\n');
        reportInterrupt(argv, output);
        process.exit(exitCode.interrupted);
      }
      if (ends !== 'service')
        output.err('\nInterrupted: waiting for requests in flight. Interrupt again to stop immediately.\n');
    });
  }
});

const argv = ordered(process.argv.slice(2));

async function main(): Promise<number> {
  let code: number = exitCode.fine;
  const done = (each: number) => {
    code = each;
  };
  const context = { host, output, signal: interrupt.signal, stopped };
  const build = (some = commands) => buildProgram(some, context, done, pageAddress);
  try {
    if (argv.length === 0) {
      output.err(build().helpInformation());
      return exitCode.error;
    }
    await build(commandsFor(argv[0])).parseAsync([...argv], { from: 'user' });
    return code;
  } catch (failure) {
    const { reportUsage, usageProblem } = await import('./cli/command/usage.js');
    const problem = usageProblem(failure, build, argv);
    return problem === null ? exitCode.fine : reportUsage(problem, argv, output);
  }
}

// All output has been written. An idle connection, or anything else still open, does not delay the exit.
main().then(
  (code) => process.exit(code),
  async (bug: unknown) => {
    const { reportBug } = await import('./cli/command/usage.js');
    reportBug(bug, argv, output);
    process.exit(exitCode.error);
  },
);
