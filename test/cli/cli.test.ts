import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseSeed, type Sandbox } from '../../src/sandbox/index.js';
import { roster } from '../support/program.js';
import { type Ran, Workspace } from '../support/roster.js';
import { startSandbox, type Variant } from '../support/sandbox.js';
import { sampleOf } from '../support/size.js';
import { steady } from '../support/steady.js';

/** What a person types, one command after the other; golden.txt is what they then see. UPDATE_GOLDEN=1 writes it. */
interface Case {
  readonly files?: Readonly<Record<string, string>>;
  readonly seed?: object;
  readonly variants?: Variant[];
  readonly env?: Readonly<Record<string, string>>;
  /** A command's words, files that are written in between, or what somebody does to the service meanwhile. */
  readonly steps: readonly (string | { readonly write: Readonly<Record<string, string>> } | Meanwhile)[];
}

/** Objects of a section are changed, or deleted where there are no values. */
interface Meanwhile {
  readonly meanwhile: {
    readonly section: 'groups' | 'pipelines' | 'schedules';
    readonly name?: string;
    readonly values?: object;
  };
}

const folder = new URL('.', import.meta.url).pathname;
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'case.yaml')))
  .map((entry) => entry.name)
  .sort();

/** These run the built command; the others run it in this process, which is much faster. Each night, all do. */
const processes: ReadonlySet<string> = new Set(sampleOf(names, 1, 5));

test.each(names)('%s', async (name) => {
  const given = parse(readFileSync(join(folder, name, 'case.yaml'), 'utf8')) as Case;
  const golden = join(folder, name, 'golden.txt');
  const seen = await transcript(given, processes.has(name));
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden, seen);
  expect(seen).toBe(readFileSync(golden, 'utf8'));
});

async function transcript(given: Case, asProcess: boolean): Promise<string> {
  const sandbox = await startSandbox({
    seed: parseSeed(JSON.stringify(given.seed ?? {})),
    variants: given.variants ?? [],
  });
  const workspace = new Workspace(given.files ?? {}, sandbox);
  const { root: cwd } = workspace;
  workspace.env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey, ...given.env };
  const hideIds = steady(sandbox.url);
  const hide = (text: string) => hideIds(text.replaceAll(cwd, '/project'));
  let text = '';
  for (const step of given.steps) {
    if (typeof step === 'string') text += shown(step, await run(workspace, words(step), asProcess), hide);
    else if ('write' in step) writeAll(workspace, step.write);
    else interfere(sandbox, step);
  }
  return text;
}

function interfere({ world }: Sandbox, { meanwhile: { section, name, values } }: Meanwhile): void {
  for (const [id, each] of world[section]) {
    if (name !== undefined && !('name' in each && each.name === name)) continue;
    if (values === undefined) world[section].delete(id);
    else Object.assign(each, values);
  }
}

function run(workspace: Workspace, line: readonly string[], asProcess: boolean): Promise<Shown> {
  const { root: cwd, env } = workspace;
  return asProcess ? roster(line, { cwd, env }) : workspace.command(line);
}

function writeAll(workspace: Workspace, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) workspace.write(name, content);
}

type Shown = Pick<Ran, 'stdout' | 'stderr'> & { readonly exit: number | null };

function words(line: string): string[] {
  return (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'(.*)'$/, '$1'));
}

function shown(line: string, { stdout, stderr, exit }: Shown, hide: (text: string) => string): string {
  const part = (name: string, text: string) => (text === '' ? '' : `--- ${name}\n${hide(text)}`);
  // What `-v` logs is sent concurrently, in any order.
  const quiet = stderr.replace(/^[A-Z]+ \/api\/\S+ \d{3} \d+ ms \(attempt \d+\)\n/gm, '');
  return `$ roster ${line}\n${part('stderr', quiet)}${part('stdout', stdout)}--- exit ${exit}\n\n`;
}
