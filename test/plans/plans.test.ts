import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Sandbox } from '../../src/sandbox/index.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { Screen } from '../support/screen.js';
import { steady } from '../support/steady.js';
import { pageText } from './page-text.js';

/**
 * Ten plans that a reviewer has to read, in each format. The first screen of each answers: what changes, what is risky, what
 * starts more or less often, whose it is, what to do, and what is new. UPDATE_GOLDEN=1 writes them: read them as a reviewer.
 */
interface Case {
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
  /** Somebody changes objects in the dashboard: those whose values are as in `where`. */
  readonly meanwhile?: readonly {
    readonly section: 'groups' | 'schedules';
    readonly where: Readonly<Record<string, unknown>>;
    readonly values: Readonly<Record<string, unknown>>;
  }[];
}

const folder = import.meta.dirname;
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();
/** The time of all plans, which show the next runs. */
const now = new Date('2026-12-01T06:00:00Z');

const formats = [
  { file: 'golden-80.txt', width: 80 },
  { file: 'golden-120.txt', width: 120 },
  { file: 'golden.md', format: 'markdown' },
  { file: 'golden-page.txt', format: 'html' },
] as const;

test.each(names)('the plan %s', async (name) => {
  const { workspace, sandbox } = await staged(name);
  for (const { file, ...how } of formats) {
    const text =
      'format' in how ? await printed(workspace, how.format) : await inTerminal(workspace, how.width);
    const seen = steady(sandbox.url, true)(text);
    const golden = join(folder, name, file);
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden, seen);
    expect(seen, file).toBe(readFileSync(golden, 'utf8'));
  }
});

async function staged(name: string): Promise<{ workspace: Workspace; sandbox: Sandbox }> {
  const text = readFileSync(join(folder, name, 'case.yaml'), 'utf8').replaceAll('THOUSAND', thousand());
  const { before, after, meanwhile = [] } = parse(text) as Case;
  const sandbox = await startSandbox({ now, speed: 0 });
  // CODEOWNERS needs a repository. Git reports that this folder is not one, because each command in a real one would start git
  // ten times.
  const workspace = new Workspace({ '.git/HEAD': '', ...before }, sandbox);
  workspace.now = () => now;
  const applied = await workspace.apply({ allowSelfRevoke: true });
  expect(applied, applied.stderr).toMatchObject({ exit: 0 });
  const key = join(workspace.root, '.secrets/reports.key');
  // It has taken the place of the first one.
  if (existsSync(key)) workspace.env['ROSTER_API_KEY'] = readFileSync(key, 'utf8').trim();
  for (const { section, where, values } of meanwhile) {
    for (const each of sandbox.world[section].values())
      if (Object.entries(where).every(([key, value]) => Reflect.get(each, key) === value))
        Object.assign(each, values);
  }
  for (const [file, content] of Object.entries(after)) workspace.write(file, content);
  return { workspace, sandbox };
}

/** `{ n1: { … }, … }`: countries, hours and minutes for a thousand items of a repeated entry. */
function thousand(): string {
  const countries = ['AT', 'DE', 'FR', 'NL'];
  const items = Array.from({ length: 1_000 }, (_, index) => {
    const [hour, minute] = [index % 24, index % 60];
    return `n${index + 1}: { country: ${countries[index % 4]}, hour: ${hour}, minute: ${minute} }`;
  });
  return `{ ${items.join(', ')} }`;
}

async function printed(workspace: Workspace, format: 'markdown' | 'html'): Promise<string> {
  const { stdout, stderr } = await workspace.plan({ format });
  expect(stdout, stderr).not.toBe('');
  return format === 'html' ? pageText(stdout) : stdout;
}

async function inTerminal(workspace: Workspace, width: number): Promise<string> {
  const screen = new Screen(width, 1_000);
  workspace.terminal = { screen, shows: ['stdout', 'stderr'] };
  await workspace.plan();
  workspace.terminal = null;
  return screen.text;
}
