import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseSeed, startSandbox } from '../../src/sandbox/index.js';
import { Workspace } from '../support/roster.js';
import { filesBelow, mustHide } from '../support/secrets.js';

/**
 * In every case, one text after the other comes from the environment: no command shows it, whether the value can stand
 * there or not, and no file holds it. (`Workspace` looks at what is printed, here the files are looked at.)
 */
const canaries: readonly string[] = [
  // Changes in every form of escaping.
  'canary 7431/"ü+=\\',
  // May stand where names may.
  'canary-7431',
  // Too short to be found and replaced in an output: only what never puts it there keeps it out.
  'Zq7',
];

interface Case {
  readonly seed?: object;
  readonly manifest: string;
}

const sections = ['groups', 'pipelines', 'schedules', 'keys'];
const cases = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml') && !name.startsWith('diagnostics'))
  .map((name) => [name, parse(readFileSync(join(import.meta.dirname, name), 'utf8')) as Case] as const);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

describe.each(cases)('%s', (_, given) => {
  test.each(canaries)('hides %s', { timeout: 60_000 }, async (canary) => {
    const manifest = { project: 'canary', ...(parse(given.manifest) as object) };
    const paths = leaves(manifest).filter(([section]) => sections.includes(String(section)));
    // One field of each sort is enough: they are told apart by their last name.
    const distinct = new Map(
      paths.map((path) => [
        path
          .filter((each) => typeof each === 'string')
          .slice(2)
          .join('.'),
        path,
      ]),
    );
    for (const path of distinct.values()) await sweep(given, replaced(manifest, path), canary);
  });
});

async function sweep(given: Case, manifest: unknown, canary: string): Promise<void> {
  const sandbox = await startSandbox({ seed: parseSeed(JSON.stringify(given.seed ?? {})) });
  const workspace = new Workspace({ 'roster.yaml': JSON.stringify(manifest) }, sandbox);
  cleanups.push(
    () => workspace.remove(),
    () => sandbox.close(),
  );
  const run = async (line: string) => {
    workspace.env = { ...workspace.env, ROSTER_API_KEY: sandbox.world.apiKey, CANARY: canary };
    return workspace.command(line.split(' '));
  };
  const allow = '--allow-deletes 99 --allow-self-revoke --allow-empty --allow-account-change';
  for (const format of ['text', 'json', 'github', 'sarif']) await run(`validate --format ${format}`);
  for (const format of ['text', 'json', 'markdown', 'gitlab']) await run(`plan --format ${format} -v`);
  await run(`plan --out plan.json --write markdown=plan.md ${allow}`);
  const applied = await run(`apply --yes --report report.json -v ${allow}`);
  await run(`plan ${allow}`);
  await run('snapshot --out snapshot.json');
  await run('snapshot');
  for (const format of ['text', 'json', 'markdown', 'github'])
    await run(`plan --snapshot snapshot.json --format ${format} ${allow}`);
  await run(`apply --yes --format json --prune all ${allow}`);
  const written = filesBelow(workspace.root, ['roster.yaml', '.secrets']);
  for (const [file, text] of written) mustHide(file, text, [canary]);
  expect([0, 1, 3, 4]).toContain(applied.exit);
}

/** Paths of all texts. */
function leaves(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value === 'string') return [path];
  if (Array.isArray(value)) return value.flatMap((each, index) => leaves(each, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => leaves(each, [...path, key]));
}

function replaced(value: unknown, [first, ...rest]: readonly (string | number)[]): unknown {
  if (first === undefined) return '${env.CANARY}';
  if (Array.isArray(value))
    return value.map((each, index) => (index === first ? replaced(each, rest) : each));
  const map = value as Record<string, unknown>;
  return { ...map, [first]: replaced(map[first], rest) };
}
