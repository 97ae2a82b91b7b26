import { exitCode } from './cli/exit.js';
import { Output } from './cli/output.js';
import { buildProgram, usageMessage } from './cli/program.js';
import type { Host } from './cli/settings.js';

/** argv in, exit code out: the only place with signal handlers and with an end of the process. */
const output = new Output();
/** Read when it is asked for: to look at a stream is to make it, which takes longer than `--help` does. */
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
    return process.stdout.columns ?? process.stderr.columns ?? null;
  },
};

let interrupted = false;
const interrupt = new AbortController();
const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (interrupted) process.exit(exitCode.interrupted);
      interrupted = true;
      interrupt.abort();
      resolve();
      if (running !== 'sandbox')
        output.err('\nInterrupted: ending the requests in flight. Once more ends at once.\n');
      if (running !== 'sandbox' && running !== 'apply') process.exit(exitCode.interrupted);
    });
  }
});

const argv = process.argv.slice(2);
const running = argv.find((word) => !word.startsWith('-'));

async function main(): Promise<number> {
  let code: number = exitCode.fine;
  const program = buildProgram(
    { host, output, interrupts: { requested: () => interrupted, signal: interrupt.signal }, stopped },
    (each) => {
      code = each;
    },
  );
  try {
    if (argv.length === 0) {
      output.err(program.helpInformation());
      return exitCode.error;
    }
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (failure) {
    const message = usageMessage(failure);
    return message === null
      ? exitCode.fine
      : await (await import('./cli/usage.js')).reportUsage(message, argv, output);
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  async (bug: unknown) => {
    process.exitCode = exitCode.error;
    const { reportBug } = await import('./cli/usage.js');
    reportBug(bug, argv, output);
  },
);
