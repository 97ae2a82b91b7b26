import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** What each module of src may import: other modules, or single folders and files of them. A module that is missing here fails the test. */
const known: Readonly<Record<string, readonly string[]>> = {
  'entry.ts': ['cli/help', 'cli/host', 'main.ts'],
  'main.ts': ['cli'],
  'index.ts': [
    'engine',
    'operate',
    'model',
    'view',
    'redact',
    'service/operations',
    'service/client.ts',
    'service/downloads.ts',
    'service/operation.ts',
    'service/failure.ts',
    'service/url.ts',
    'inventory/file-store.ts',
    'inventory/git-store.ts',
    'manifest/load.ts',
    'snapshot/snapshot-json.ts',
    'sandbox/index.ts',
  ],
  cli: [
    'engine',
    'operate',
    'ci',
    'model',
    'view',
    'redact',
    'files',
    'manifest/suggest.ts',
    'sandbox/index.ts',
  ],
  ci: [
    'model',
    'service/http.ts',
    'service/proxy.ts',
    'view/ci/workflow-command.ts',
    'view/markdown/markdown-escape.ts',
    'init',
  ],
  engine: [
    'model',
    'kinds',
    'manifest',
    'policy',
    'yaml',
    'service',
    'reconcile',
    'timing',
    'inventory',
    'files',
    'snapshot',
    'pull',
    'apply',
    'init',
    'redact',
    'view/json',
    'view/escape.ts',
    'view/labels.ts',
  ],
  operate: [
    'model',
    'kinds',
    'engine',
    'service',
    'files',
    'reconcile/drift.ts',
    'reconcile/references.ts',
    'reconcile/rules/holds.ts',
    'reconcile/starts.ts',
    'reconcile/world.ts',
    'inventory/run-history.ts',
    'manifest/limits.ts',
    'manifest/suggest.ts',
    'sandbox/index.ts',
  ],
  model: [],
  kinds: ['model', 'service/operations', 'timing'],
  yaml: [],
  manifest: ['model', 'yaml', 'files', 'redact'],
  policy: ['model'],
  service: ['model', 'redact'],
  reconcile: ['model'],
  timing: ['model'],
  files: ['model'],
  inventory: ['model', 'files'],
  snapshot: ['model'],
  pull: ['model', 'yaml'],
  apply: ['model', 'files'],
  view: ['model'],
  redact: ['model'],
  init: ['model/words.ts'],
  sandbox: [],
};

/** Modules that work on values alone: they touch no file and read no clock. */
const pure = ['reconcile', 'view', 'pull'];

/** Besides src/index.ts: a list of kinds, one of rules, and the front of a service that shares nothing with the rest. */
const barrels = ['kinds/index.ts', 'reconcile/rules/index.ts', 'sandbox/index.ts'];

const source = join(dirname(fileURLToPath(import.meta.url)), '../../src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.includes('/generated/'))
  .sort();
const texts = new Map(files.map((path) => [path, withoutComments(readFileSync(join(source, path), 'utf8'))]));
const imports = [...texts].flatMap(([from, text]) => specifiers(text).map((to) => ({ from, to })));
const inner = imports
  .filter(({ to }) => to.startsWith('.'))
  .map(({ from, to }) => ({ from, to: normalize(join(dirname(from), to)).replace(/\.js$/, '.ts') }))
  // Schemas and package.json.
  .filter(({ to }) => !to.startsWith('..'));
const outer = imports.filter(({ to }) => !to.startsWith('.') && !to.startsWith('node:'));

test('a module imports only the modules that it may know', () => {
  expect(inner.filter(({ from, to }) => !mayImport(from, to)).map(arrow)).toEqual([]);
});

test('every module has a rule, and every rule is used', () => {
  expect([...new Set(files.map(moduleOf))].filter((each) => !(each in known))).toEqual([]);
  const unused = Object.entries(known).flatMap(([module, allowed]) =>
    allowed
      .filter((each) => !inner.some(({ from, to }) => moduleOf(from) === module && isIn(to, each)))
      .map((each) => `${module} -> ${each}`),
  );
  expect(unused).toEqual([]);
});

test('the table in CONTRIBUTING.md names the same modules, and the modules that each may import', () => {
  const page = readFileSync(join(source, '../CONTRIBUTING.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([\w.]+?)\/?` \| .* \| (.*) \|$/gm)];
  expect(rows.map(([, module]) => module).sort()).toEqual(Object.keys(known).sort());
  const namesAlone = /^(nothing|`[\w/]+`(, `[\w/]+`)*)$/;
  // The other cells explain what they list.
  const listed = rows.filter(([, , cell = '']) => namesAlone.test(cell));
  const namesIn = (cell = '') => cell.match(/[\w/]+(?=`)/g) ?? [];
  expect(listed.map(([, module, cell]) => [module, namesIn(cell)])).toEqual(
    listed.map(([, module = '']) => [module, known[module]]),
  );
});

test('every file of src that CONTRIBUTING.md names exists', () => {
  const page = readFileSync(join(source, '../CONTRIBUTING.md'), 'utf8');
  const modules = Object.keys(known).filter((each) => !each.endsWith('.ts'));
  const named = [...page.matchAll(/`(?:src\/)?((\w+)\/[\w/-]+\.ts)`/g)]
    .filter(([, , module = '']) => modules.includes(module))
    .map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !files.includes(path))).toEqual([]);
});

test('each package belongs to a single module, and the sandbox has its own', () => {
  const importers = new Map<string, Set<string>>();
  // A declaration file loads nothing.
  const counted = outer.filter(({ from }) => moduleOf(from) !== 'sandbox' && !from.endsWith('.d.ts'));
  for (const { from, to } of counted) {
    importers.set(packageName(to), (importers.get(packageName(to)) ?? new Set()).add(moduleOf(from)));
  }
  expect([...importers].filter(([, each]) => each.size > 1).map(([name, each]) => [name, ...each])).toEqual(
    [],
  );
});

test('src imports only the packages that CONTRIBUTING.md gives a reason for', () => {
  const page = readFileSync(join(source, '../CONTRIBUTING.md'), 'utf8');
  const [, table = ''] = page.split('\n## Packages\n');
  const listed = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(
    ([, cell = '']) => cell.match(/[^`, ]+/g) ?? [],
  );
  const strange = outer.filter(({ to }) => !listed.includes(packageName(to)));
  expect(listed.length).toBeGreaterThan(0);
  expect(strange.map(arrow)).toEqual([]);
});

test('installing the package installs nothing else', () => {
  const manifest = JSON.parse(readFileSync(join(source, '../package.json'), 'utf8'));
  const fields = Object.keys(manifest).filter((each) =>
    /^(bundled?|optional|peer)?dependencies$/i.test(each),
  );
  expect(fields).toEqual([]);
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

test('planning and views touch no file and read no clock', () => {
  const impure = /'node:fs|\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b/;
  const found = [...texts].filter(([path, text]) => pure.includes(moduleOf(path)) && impure.test(text));
  expect(found.map(([path]) => path)).toEqual([]);
});

test('in the use cases, only clock.ts reads the time', () => {
  const clocks = /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bsetTimeout\b/;
  const found = [...texts].filter(
    ([path, text]) => ['engine', 'operate'].includes(moduleOf(path)) && clocks.test(text),
  );
  expect(found.map(([path]) => path)).toEqual(['engine/clock.ts']);
});

/** The folder below src, or the file for those in src itself. */
function moduleOf(path: string): string {
  return path.split('/')[0] ?? path;
}

function mayImport(from: string, to: string): boolean {
  if (moduleOf(from) === moduleOf(to)) return true;
  const allowed = known[moduleOf(from)] ?? [];
  return allowed.some((each) => isIn(to, each));
}

function isIn(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
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

/** A path of imports that leads back to its start. */
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
