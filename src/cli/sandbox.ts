import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { problem } from '../model/diagnostic.js';
import {
  DataFileError,
  FaultError,
  parseFaults,
  parseSeed,
  type Sandbox,
  SeedError,
  startSandbox,
} from '../sandbox/index.js';
import { jsonText } from '../view/json/json-text.js';
import { type CommonFlags, wholeNumber } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext, Host } from './host/host.js';

export interface SandboxFlags extends CommonFlags {
  readonly port?: string;
  readonly seed?: string;
  readonly data?: string;
  readonly faults?: string;
}

/** `roster sandbox`: runs until it is stopped. Its key is not a secret: only the sandbox accepts it. */
export function sandboxCommand(flags: SandboxFlags, context: CommandContext): Promise<number> {
  return runCommand(flags, ['text', 'json'], context, async () => {
    const server = await start(flags, context.host);
    context.output.redactor.show(server.apiKey);
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

async function start({ port: portFlag, seed, faults, data }: SandboxFlags, { cwd }: Host): Promise<Sandbox> {
  const port = portFlag === undefined ? 4010 : wholeNumber(portFlag, '--port', 0, 65_535);
  const options = {
    port,
    ...(seed === undefined ? {} : { seed: readWith(resolve(cwd, seed), 'seed', parseSeed) }),
    ...(faults === undefined ? {} : { faults: readWith(resolve(cwd, faults), 'faults', parseFaults) }),
    ...(data === undefined ? {} : { dataFile: resolve(cwd, data) }),
  };
  try {
    return await startSandbox(options);
  } catch (failure) {
    if (failure instanceof DataFileError) throw problem('unreadable-file', failure.message);
    const cause = failure instanceof Error ? (failure.cause ?? failure) : failure;
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === undefined) throw failure;
    const help = 'Use another port with `--port`, or any free port with `--port 0`.';
    throw problem('service-error', `the sandbox cannot listen on port ${port}: ${code}`, help);
  }
}

function readWith<T>(path: string, what: string, parse: (text: string) => T): T {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (failure) {
    if (failure instanceof SeedError || failure instanceof FaultError)
      throw problem('schema', `${path}: ${failure.message}`);
    const code = (failure as NodeJS.ErrnoException).code ?? 'unknown error';
    throw problem('unreadable-file', `cannot read the ${what} file ${path}: ${code}`);
  }
}

function greeting({ url, apiKey }: Sandbox): string {
  return `Sandbox listening on ${url}

In another terminal, run:

  export ROSTER_URL=${url}
  export ROSTER_API_KEY=${apiKey}

Press Ctrl-C to stop it.
`;
}
