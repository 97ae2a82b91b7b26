import { exitCode } from './cli/exit.js';
import { Output } from './cli/output.js';
import { buildProgram, usageMessage } from './cli/program.js';
import type { Surroundings } from './cli/settings.js';
import type { Diagnostic } from './model/diagnostic.js';

/** argv in, exit code out: the only place with signal handlers and with an end of the process. */
const output = new Output();
const around: Surroundings = {
  cwd: process.cwd(),
  env: process.env,
  stdinIsTerminal: process.stdin.isTTY === true,
  stdoutIsTerminal: process.stdout.isTTY === true,
  stderrIsTerminal: process.stderr.isTTY === true,
  columns: process.stdout.columns ?? process.stderr.columns ?? null,
};

let interrupted = false;
const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (interrupted) process.exit(exitCode.interrupted);
      interrupted = true;
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
    { around, output, interrupts: { requested: () => interrupted }, stopped },
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
    return message === null ? exitCode.fine : tellUsage(message);
  }
}

async function tellUsage(message: string): Promise<number> {
  const diagnostic: Diagnostic = { severity: 'error', code: 'usage', message, help: 'see roster --help' };
  if (argv.includes('--format=json') || argv[argv.indexOf('--format') + 1] === 'json') {
    const { failureJson } = await import('./view/plan-json.js');
    output.out(`${JSON.stringify(failureJson([diagnostic]), null, 2)}\n`);
  } else {
    const { diagnosticsText } = await import('./view/diagnostics-text.js');
    output.err(diagnosticsText([diagnostic], { color: false, width: 80 }));
  }
  return exitCode.error;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (bug: unknown) => {
    const text = bug instanceof Error ? (bug.stack ?? bug.message) : String(bug);
    output.err(`roster: internal error, please report it\n${text}\n`);
    process.exitCode = exitCode.error;
  },
);
