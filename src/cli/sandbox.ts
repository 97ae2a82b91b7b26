import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { urlFault } from '../model/connection.js';
import { type Diagnostic, Problem, problem } from '../model/diagnostic.js';
import {
  agentsOfCaller,
  DataFileError,
  type FileFault,
  isLoopback,
  JsonFileError,
  MOST_ERRORS,
  OtherSeedError,
  parseFaults,
  parseSeed,
  type RecordedRequest,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../sandbox/index.js';
import { escapeControls, quoted, word } from '../view/escape.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import type { FlagsOf, Implementation } from './command/command.js';
import { wholeNumber } from './command/flags.js';
import type { sandboxCommand } from './commands/tools.js';
import { pageAddress } from './help/page-address.js';
import type { CommandContext } from './host/host.js';

type SandboxFlags = FlagsOf<typeof sandboxCommand>;

/** Agents that the greeting names. */
const MOST_LISTED = 20;

/** `roster sandbox`: runs until it is stopped. Its key is not a secret: only the sandbox accepts it. */
export const runSandbox: Implementation<typeof sandboxCommand> = async (flags, context) => {
  const server = await start(flags, context);
  context.output.redactor.show(server.apiKey);
  context.output.out(
    flags.format === 'json'
      ? jsonText({ formatVersion: 1, url: server.url, apiKey: server.apiKey, agents: agentsOf(server) })
      : greeting(server, flags.host),
  );
  try {
    await context.stopped;
  } finally {
    await server.close();
  }
  return { render: { text: () => '', json: () => '' } };
};

async function start(flags: SandboxFlags, { host: { cwd }, output }: CommandContext): Promise<Sandbox> {
  const { port: portFlag, seed, faults, data, host, verbose } = flags;
  const port = portFlag === undefined ? 4010 : wholeNumber(portFlag, '--port', 0, 65_535);
  const time = clockOptions(flags);
  const parse = (text: string) => parseSeed(text, time.now);
  const logged = (request: RecordedRequest) => output.err(lineOf(request));
  const options: SandboxOptions = {
    port,
    keepRequests: 0,
    now: time.now,
    speed: time.speed,
    host,
    onRequest: verbose === true ? logged : undefined,
    seed: seed === undefined ? undefined : readWith(seed, { cwd, what: 'seed' }, parse),
    faults: faults === undefined ? undefined : readWith(faults, { cwd, what: 'faults' }, parseFaults),
    otherSeed: 'refuse',
    dataFile: data === undefined ? undefined : resolve(cwd, data),
  };
  try {
    return await startSandbox(options);
  } catch (failure) {
    if (failure instanceof OtherSeedError) throw otherSeed(flags);
    if (failure instanceof DataFileError) throw problem('unreadable-file', failure.message);
    const cause = failure instanceof Error ? (failure.cause ?? failure) : failure;
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === undefined) throw failure;
    throw cannotListen(code, port, host);
  }
}

function otherSeed({ data = '', seed = '' }: SandboxFlags): Problem {
  const message = `\`--data\` ${word(data)} was not made from \`--seed\` ${word(seed)}`;
  const help = `Leave out \`--seed\` to continue with what ${word(data)} holds, or delete that file to start from the seed.`;
  return problem('usage', message, help);
}

/** Codes about the address, among them all that begin with `EAI_`. */
const ADDRESS_ERROR = /^(ENOTFOUND|EAI_\w+|EADDRNOTAVAIL|EAFNOSUPPORT|EINVAL)$/;

function cannotListen(code: string, port: number, host = '127.0.0.1'): Problem {
  if (ADDRESS_ERROR.test(code)) {
    const help =
      'Use an address of this machine with `--host`: 127.0.0.1, or 0.0.0.0 for all of its addresses.';
    return problem('service-error', `the sandbox cannot listen on ${quoted(host)}: ${code}`, help);
  }
  const help = 'Use another port with `--port`, or any free port with `--port 0`.';
  return problem('service-error', `the sandbox cannot listen on port ${port}: ${code}`, help);
}

function clockOptions({ now, speed }: SandboxFlags): Pick<SandboxOptions, 'now' | 'speed'> {
  const start = now === undefined ? undefined : new Date(now);
  if (start !== undefined && (Number.isNaN(start.getTime()) || !/(Z|[+-]\d{2}:\d{2})$/i.test(now ?? '')))
    throw problem('usage', `\`--now\` is not a time with an offset: "${now}"`, 'Write 2026-12-01T06:00:00Z.');
  const factor = speed === undefined ? undefined : Number(speed);
  if (factor !== undefined && !(speed?.trim() !== '' && factor >= 0 && factor <= 100_000))
    throw problem('usage', `\`--speed\` is not a number from 0 to 100000: "${speed}"`);
  return { now: start, speed: factor };
}

/** Neither headers nor bodies. */
function lineOf({ method, path, status }: RecordedRequest): string {
  return `${method} ${path} ${status}\n`;
}

function agentsOf({ world }: Sandbox): { id: string; externalAgentId: string; name: string }[] {
  return agentsOfCaller(world).map(({ id, externalAgentId, name }) => ({ id, externalAgentId, name }));
}

function readWith<T>(
  file: string,
  { cwd, what }: { cwd: string; what: string },
  parse: (text: string) => T,
): T {
  const text = readText(file, cwd, what);
  try {
    return parse(text);
  } catch (failure) {
    if (!(failure instanceof JsonFileError)) throw failure;
    const lines = text.split(/\r?\n/);
    const found = failure.faults.map((each) => diagnosticOf(each, file, lines));
    throw new Problem(found.length < MOST_ERRORS ? found : [...found, MORE]);
  }
}

const MORE: Diagnostic = {
  severity: 'error',
  code: 'limit-exceeded',
  message: `only the first ${MOST_ERRORS} problems of the file are shown; there may be more`,
  help: 'Fix the problems above, then run the command again.',
};

function diagnosticOf({ where, what, help, position }: FileFault, file: string, lines: string[]): Diagnostic {
  const lineText = lines[(position?.line ?? 1) - 1] ?? '';
  const place = { file, line: 1, column: 1, length: 1, ...position, lineText };
  return { severity: 'error', code: 'schema', message: `${where} ${what}`, help, place };
}

function readText(file: string, cwd: string, what: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8');
  } catch (failure) {
    const code = (failure as NodeJS.ErrnoException).code ?? 'unknown error';
    throw problem('unreadable-file', `cannot read the ${what} file ${file}: ${code}`);
  }
}

function greeting(server: Sandbox, host?: string): string {
  const { url, apiKey } = server;
  const agents = agentsOf(server).map(({ externalAgentId, name }) =>
    escapeControls(`  ${externalAgentId} (${name})`).concat('\n'),
  );
  const variable = urlFault(url) === null ? `  export ROSTER_URL=${url}\n` : '';
  return `Sandbox listening on ${url}

In another terminal, run:

${variable}  export ROSTER_API_KEY=${apiKey}
${host === undefined || isLoopback(host) ? '' : fromElsewhere(url)}
Agents:

${agents.slice(0, MOST_LISTED).join('')}${agents.length > MOST_LISTED ? `  and ${agents.length - MOST_LISTED} more\n` : ''}
Press Ctrl-C to stop it.
`;
}

/** How other machines use it: roster sends a key over http only within one machine. */
function fromElsewhere(url: string): string {
  const other = urlFault(url) === null ? `http://HOST:${new URL(url).port}` : url;
  return `
Other machines can call ${other}. roster itself needs https or a loopback address: see ${pageAddress('docs/sandbox.md')}
`;
}
