import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Problem, problem } from '../model/diagnostic.js';
import {
  DataFileError,
  FaultError,
  isVariant,
  parseFaults,
  parseSeed,
  type Sandbox,
  type Seed,
  SeedError,
  startSandbox,
  VARIANTS,
  type Variant,
} from '../sandbox/index.js';
import { jsonText } from '../view/json/json-text.js';
import { type CommonFlags, usage, wholeNumber } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext, Host } from './host/host.js';

export interface SandboxFlags extends CommonFlags {
  readonly port?: string;
  readonly seed?: string;
  readonly data?: string;
  readonly variant?: readonly string[];
  readonly faults?: string;
}

/** `roster sandbox`: serves until it is told to stop. Its key is no secret: it opens nothing but the sandbox. */
export function sandboxCommand(flags: SandboxFlags, context: CommandContext): Promise<number> {
  return runCommand({ flags, formats: ['text', 'json'], context }, async () => {
    const server = await start(flags, context.host);
    context.output.out(
      flags.format === 'json'
        ? jsonText({ formatVersion: 1, url: server.url, apiKey: server.apiKey })
        : greeting(server),
    );
    try {
      await context.stopped;
    } finally {
      await server.close();
    }
    return { render: { text: () => '', json: () => '' } };
  });
}

async function start(flags: SandboxFlags, host: Host): Promise<Sandbox> {
  const port = flags.port === undefined ? 4010 : wholeNumber(flags.port, '--port', 0, 65_535);
  const variants = (flags.variant ?? []).flatMap((each) => each.split(',')).map(variantNamed);
  const seed = flags.seed === undefined ? undefined : readSeed(resolve(host.cwd, flags.seed));
  const faults = flags.faults === undefined ? undefined : readFaults(resolve(host.cwd, flags.faults));
  const dataFile = flags.data === undefined ? undefined : resolve(host.cwd, flags.data);
  try {
    return await startSandbox({
      port,
      variants,
      ...(seed === undefined ? {} : { seed }),
      ...(dataFile === undefined ? {} : { dataFile }),
      ...(faults === undefined ? {} : { faults }),
    });
  } catch (failure) {
    if (failure instanceof DataFileError) throw problem('unreadable-file', failure.message);
    const cause = failure instanceof Error ? (failure.cause ?? failure) : failure;
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === undefined) throw failure;
    throw problem(
      'service-error',
      `the sandbox cannot listen on port ${port}: ${code}`,
      'Take another with --port, or any free one with --port 0.',
    );
  }
}

function variantNamed(name: string): Variant {
  if (isVariant(name)) return name;
  throw new Problem(
    usage(`--variant: "${name}" is not known`, `One of: ${Object.keys(VARIANTS).join(', ')}.`),
  );
}

function readFaults(path: string): ReturnType<typeof parseFaults> {
  return readWith(path, 'faults', parseFaults);
}

function readSeed(path: string): Seed {
  return readWith(path, 'seed', parseSeed);
}

function readWith<T>(path: string, what: string, parse: (text: string) => T): T {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (failure) {
    if (failure instanceof SeedError || failure instanceof FaultError)
      throw problem('schema', `${path}: ${failure.message}`);
    throw problem(
      'unreadable-file',
      `cannot read the ${what} ${path}: ${(failure as NodeJS.ErrnoException).code ?? 'unknown'}`,
    );
  }
}

function greeting({ url, apiKey }: Sandbox): string {
  return `Sandbox listening on ${url}

In another terminal:

  export ROSTER_URL=${url}
  export ROSTER_API_KEY=${apiKey}

Stop it with Ctrl-C.
`;
}
