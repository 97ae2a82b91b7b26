import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type DiagnosticCode, diagnosticCodes } from '../../src/model/diagnostic.js';
import { parseSeed, type Sandbox } from '../../src/sandbox/index.js';
import { jsonOf } from '../support/json.js';
import { type Fault, startProxy } from '../support/proxy.js';
import { git, initRepository } from '../support/repository.js';
import { type Ran, Workspace } from '../support/roster.js';
import { startSandbox, type Variant } from '../support/sandbox.js';
import { sampleOf } from '../support/size.js';
import { gap } from '../support/steady.js';

/** A mistake, and the diagnostics that it gets. `UPDATE_GOLDEN=1` rewrites `text` and `json`. */
interface Case {
  /** What is wrong, in a sentence. The diagnostic code is the file name up to its first dot. */
  about: string;
  files: Record<string, string>;
  /** A file that holds a text many times. */
  longFile?: { name: string; text: string; times: number };
  /** The command line; `validate` unless given. */
  run?: string;
  /** A command line that ran before, and succeeded. */
  ran?: string;
  /** Environment variables; null unsets one. `$URL` is that of the service. */
  env?: Record<string, string | null>;
  /** The `roster.yaml` that is applied first. */
  before?: string;
  /** The files are in a git repository, with one commit for `before` and one for all files after it is applied. */
  repository?: boolean;
  /** Why everything is put on hold after that. */
  hold?: string;
  seed?: object;
  variants?: Variant[];
  /** What goes wrong with the first write. */
  fault?: Fault;
  /** Somebody pauses all schedules as soon as the plan has read its five lists. */
  pausedMeanwhile?: boolean;
  /** A server takes the place of the service, and answers every request like this. */
  answer?: { status: number; body: string };
  /** Ctrl-C is pressed before the plan is applied. */
  interrupted?: boolean;
  exit: number;
  /** The output on stderr, then on stdout. */
  text: string;
  /** The `diagnostics` of the same command with `--format json`. */
  json: string;
}

const folder = join(import.meta.dirname, 'diagnostics');
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .sort();
const codeOf = (name: string) => name.split('.')[0] as DiagnosticCode;

/** Codes that no single project with a service as it is here causes, and what does. */
const elsewhere: Partial<Record<DiagnosticCode, string>> = {
  'rehearsal-failed': 'a service that changes texts: test/unit/rehearse/rehearse.test.ts',
  'owned-elsewhere': 'two projects: test/attacks/siblings.test.ts',
  'unreadable-sibling': 'two projects: test/attacks/siblings.test.ts',
  'not-movable': 'two projects: test/unit/cli/move.test.ts',
  'unmet-expectation': 'data of past runs: test/unit/cli/data-check.test.ts',
  'unknown-expectation': 'data of past runs: test/unit/cli/data-check.test.ts',
  internal: 'a bug: test/unit/cli/bug.test.ts causes one',
};

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test('every diagnostic code has a case in test/cases/diagnostics', () => {
  const covered = new Set(names.map(codeOf));
  expect(diagnosticCodes.filter((code) => !covered.has(code) && !(code in elsewhere))).toEqual([]);
  expect([...covered].filter((code) => !diagnosticCodes.includes(code))).toEqual([]);
});

/** The JSON has the same values: that it has them all is seen on some. */
const inJson = new Set(sampleOf(names, 10));

describe.each(names)('%s', (name) => {
  const given = parse(readFileSync(join(folder, name), 'utf8')) as Case;

  test('the diagnostic is printed as text', async () => {
    const { ran, shown } = await runCase(given, []);
    const text = shown(ran.stderr + ran.stdout);
    update(name, 'text', text);
    expect([ran.exit, text]).toEqual([given.exit, golden(name, given).text]);
    expect(text).toContain(codeOf(name));
  });

  test.runIf(inJson.has(name))('the diagnostic is printed as JSON', async () => {
    const { ran, shown } = await runCase(given, ['--format', 'json']);
    const { diagnostics } = jsonOf<{ diagnostics: { code: string }[] }>(ran);
    const json = shown(`${JSON.stringify(diagnostics, null, 2)}\n`);
    update(name, 'json', json);
    expect([ran.exit, json]).toEqual([given.exit, golden(name, given).json]);
    expect(diagnostics.map((each) => each.code)).toContain(codeOf(name));
  });
});

async function runCase(given: Case, more: string[]): Promise<{ ran: Ran; shown: (text: string) => string }> {
  const { url, apiKey, reset } = await serve(given);
  const workspace = new Workspace(given.files, { url, apiKey });
  workspace.sleep = () => new Promise((done) => setImmediate(done));
  const { longFile } = given;
  if (longFile !== undefined) workspace.write(longFile.name, longFile.text.repeat(longFile.times));
  const commit = () => {
    if (given.repository !== true) return;
    initRepository(workspace.root);
    git(workspace.root, 'add', '.');
    git(workspace.root, 'commit', '--quiet', '-m', 'change');
  };
  if (given.before !== undefined) {
    workspace.write('roster.yaml', given.before);
    commit();
    const first = await workspace.apply({ allowSelfRevoke: true });
    if (first.exit !== 0) throw new Error(`the manifest in "before" does not apply: ${first.stderr}`);
    if (given.hold !== undefined) {
      workspace.env['GITHUB_ACTOR'] = 'anna';
      await workspace.command(['hold', '--all', '--yes', '--reason', given.hold]);
    }
    workspace.write('roster.yaml', given.files['roster.yaml'] ?? '');
  }
  commit();
  if (given.ran !== undefined) {
    const first = await workspace.command(given.ran.split(' '));
    if (first.exit !== 0) throw new Error(`"ran" did not succeed: ${first.stderr}`);
  }
  reset();
  for (const [variable, value] of Object.entries(given.env ?? {})) {
    if (value === null) delete workspace.env[variable];
    else workspace.env[variable] = value.replace('$URL', url);
  }
  const words = [...(given.run ?? 'validate').split(' '), ...more];
  const ran = await workspace.command(words, given.interrupted === true);
  return { ran, shown: steady(url, workspace.root) };
}

async function serve({ seed, variants, fault, answer, pausedMeanwhile }: Case) {
  if (answer !== undefined) {
    const url = await startStub(answer);
    return { url, apiKey: 'svc_live_stub', reset: () => undefined };
  }
  const sandbox = await startSandbox({
    seed: parseSeed(JSON.stringify(seed ?? {})),
    variants: variants ?? [],
  });
  const { url, apiKey } = sandbox;
  if (pausedMeanwhile === true) return { url, apiKey, reset: () => pauseMeanwhile(sandbox) };
  if (fault === undefined) return { url, apiKey, reset: () => undefined };
  const proxy = await startProxy(url);
  cleanups.push(() => proxy.close());
  return { url: proxy.url, apiKey, reset: () => proxy.arm(1, fault) };
}

function pauseMeanwhile({ faults, world }: Sandbox): void {
  let reads = 0;
  faults.intercept = async ({ method }, next) => {
    await next();
    reads += method === 'GET' ? 1 : 0;
    if (reads === 5) for (const schedule of world.schedules.values()) schedule.isEnabled = false;
  };
}

async function startStub({ status, body }: NonNullable<Case['answer']>): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(body));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanups.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Replaces values that differ from run to run. */
function steady(url: string, root: string): (text: string) => string {
  return (text) =>
    text
      .replaceAll(new URL(url).host, '127.0.0.1:4010')
      .replaceAll(root, '/project')
      .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, '00000000-0000-4000-8000-000000000000')
      .replace(/sha256:[0-9a-f]{64}/g, `sha256:${'0'.repeat(64)}`)
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC, \d+ \w+ old/g, '2026-11-01 12:00 UTC, 2 hours old')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-01T12:00:00.000Z')
      .replace(/(last used\s+\d{4}-\d\d-\d\d\s+)\d\d:\d\d/g, (_, before: string) => `${before}12:00`)
      .replace(gap, '$126,696$22026-11-01')
      .replace(/\d{4}-\d\d-\d\d(?=\s+\d\d:\d\d)/g, (date) => (isSoon(date) ? '2026-11-01' : date));
}

const isSoon = (date: string) => Math.abs(Date.parse(date) - Date.now()) < 400 * 86_400_000;

/** Both are literal blocks at the end of the file, so that they read like the output. */
function update(name: string, field: 'text' | 'json', seen: string): void {
  if (process.env['UPDATE_GOLDEN'] !== '1') return;
  const path = join(folder, name);
  const written = readFileSync(path, 'utf8');
  const { text, json } = parse(written) as Case;
  const tail = stringify({ text, json, [field]: seen }, { lineWidth: 0, blockQuote: 'literal' });
  writeFileSync(
    path,
    written.replace(/^text: [\s\S]*/m, () => tail),
  );
}

function golden(name: string, given: Case): Case {
  if (process.env['UPDATE_GOLDEN'] !== '1') return given;
  return parse(readFileSync(join(folder, name), 'utf8')) as Case;
}
