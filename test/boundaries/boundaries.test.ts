import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Which rooms of src each room may import from. A room that is not here fails the test. */
const known: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['cli', 'model'],
  'index.ts': ['*'],
  cli: ['*'],
  model: [],
  kinds: ['model', 'service/operations', 'timing'],
  yaml: [],
  manifest: ['model', 'yaml', 'files'],
  service: ['model'],
  reconcile: ['model'],
  timing: ['model'],
  files: [],
  inventory: ['model', 'files'],
  snapshot: ['model'],
  apply: ['model', 'files'],
  view: ['model'],
  init: [],
  sandbox: [],
};

/** Besides src/index.ts: a list of kinds, and the front of a service that shares nothing with the rest. */
const barrels = ['kinds/index.ts', 'sandbox/index.ts'];

const source = join(dirname(fileURLToPath(import.meta.url)), '../../src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.includes('/generated/'))
  .sort();
const texts = new Map(files.map((path) => [path, withoutComments(readFileSync(join(source, path), 'utf8'))]));
const imports = [...texts].flatMap(([from, text]) => specifiers(text).map((to) => ({ from, to })));
const inner = imports
  .filter(({ to }) => to.startsWith('.'))
  .map(({ from, to }) => ({ from, to: normalize(join(dirname(from), to)).replace(/\.js$/, '.ts') }));
const outer = imports.filter(({ to }) => !to.startsWith('.') && !to.startsWith('node:'));

test('a room imports only from the rooms it may know', () => {
  expect(inner.filter(({ from, to }) => !mayImport(from, to)).map(arrow)).toEqual([]);
});

test('every room has its rule', () => {
  expect([...new Set(files.map(room))].filter((each) => !(each in known))).toEqual([]);
});

test('a package comes in by one door, and the sandbox has doors of its own', () => {
  const doors = new Map<string, Set<string>>();
  // A declaration file describes a package to the compiler and loads nothing.
  const counted = outer.filter(({ from }) => room(from) !== 'sandbox' && !from.endsWith('.d.ts'));
  for (const { from, to } of counted) {
    doors.set(packageName(to), (doors.get(packageName(to)) ?? new Set()).add(from));
  }
  expect([...doors].filter(([, each]) => each.size > 1).map(([name, each]) => [name, ...each])).toEqual([]);
});

test('src imports only what is installed with it', () => {
  const manifest = JSON.parse(readFileSync(join(source, '../package.json'), 'utf8'));
  const strange = outer.filter(({ to }) => !(packageName(to) in manifest.dependencies));
  expect(strange.map(arrow)).toEqual([]);
});

test('no file imports itself, directly or by way of others', () => {
  expect(files.flatMap((file) => cycleFrom(file) ?? [])).toEqual([]);
});

test('there are no utils and no barrels', () => {
  expect(files.filter((path) => /\b(utils?|helpers?|misc|common)\b/i.test(path))).toEqual([]);
  const indexes = files.filter((path) => path.endsWith('/index.ts'));
  expect(indexes.filter((path) => !barrels.includes(path))).toEqual([]);
});

test('only main.ts ends the process and listens to signals', () => {
  const ends = /\bprocess\s*\.\s*(exit\s*\(|exitCode\s*=|(on|once|addListener)\s*\(\s*['"]SIG)/;
  expect([...texts].filter(([, text]) => ends.test(text)).map(([path]) => path)).toEqual(['main.ts']);
});

/** The folder under src, or the file for those that lie in src itself. */
function room(path: string): string {
  return path.split('/')[0] ?? path;
}

function mayImport(from: string, to: string): boolean {
  if (room(from) === room(to)) return true;
  const allowed = known[room(from)] ?? [];
  return allowed.some((each) => each === '*' || to === each || to.startsWith(`${each}/`));
}

function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** What a file imports or re-exports, types and `import()` among it. */
function specifiers(text: string): string[] {
  const statement = /(?:^|[\n;])\s*(?:import|export)\s(?:[^'";]*?\sfrom\s*)?['"]([^'"]+)['"]/g;
  const expression = /\bimport\(\s*['"]([^'"]+)['"]/g;
  return [statement, expression].flatMap((each) =>
    [...text.matchAll(each)].flatMap((match) => match[1] ?? []),
  );
}

/** Comments only where they cannot be part of a string, which is enough to find imports in formatted code. */
function withoutComments(text: string): string {
  return text.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/(^|\s)\/\/.*$/gm, '');
}

/** A path that leads back to where it began. */
function cycleFrom(start: string): string | undefined {
  const came = new Map<string, string>();
  const queue = [start];
  for (const file of queue) {
    for (const { to } of inner.filter(({ from }) => from === file)) {
      if (to === start) return trail(came, start, file);
      if (came.has(to)) continue;
      came.set(to, file);
      queue.push(to);
    }
  }
  return undefined;
}

function trail(came: ReadonlyMap<string, string>, start: string, end: string): string {
  const path = [start];
  for (let file = end; file !== start; file = came.get(file) ?? start) path.unshift(file);
  return [start, ...path].join(' -> ');
}

function arrow({ from, to }: { from: string; to: string }): string {
  return `${from} -> ${to}`;
}
