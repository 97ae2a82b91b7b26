import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { parseSeed } from '../../src/sandbox/index.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { filesBelow, mustHide } from '../support/secrets.js';
import { sampleOf } from '../support/size.js';

/**
 * In every case, each text that may come from the environment does so in turn. No command may show it, whether the value
 * is valid there or not, and no file may contain it. (`Workspace` checks the output, this file checks the written files.)
 */
const canaries: readonly string[] = [
  // Looks different in every form of escaping.
  'canary 7431/"ü+=\\',
  // Is valid wherever a name is.
  'canary-7431',
  // Too short to be found and redacted in output: it stays hidden only if no code prints it. No random text contains it.
  'Zq~',
];

interface Case {
  readonly seed?: object;
  readonly manifest: string;
}

const sections = ['groups', 'pipelines', 'schedules', 'keys'];
const cases = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml') && !name.startsWith('diagnostics'))
  .map((name) => [name, parse(readFileSync(join(import.meta.dirname, name), 'utf8')) as Case] as const);

const swept = cases.flatMap(([name, given]) => canaries.map((canary) => [name, canary, given] as const));

test.each(sampleOf(swept, 3, 4))(
  '%s: no command shows, and no file contains, the environment value %s',
  async (_, canary, given) => {
    const manifest = withTexts({ project: 'canary', ...(parse(given.manifest) as object) });
    const paths = leaves(manifest).filter(
      ([section, , field]) =>
        sections.includes(String(section)) && ['description', 'inputs'].includes(String(field)),
    );
    // One field of each kind is enough: the last name identifies the kind.
    const distinct = new Map(
      paths.map((path) => [
        path
          .filter((each) => typeof each === 'string')
          .slice(2)
          .join('.'),
        path,
      ]),
    );
    for (const path of sampleOf([...distinct.values()], 1))
      await sweep(given, replaced(manifest, path), canary);
  },
);

const mistakes = readdirSync(join(import.meta.dirname, 'diagnostics'))
  // These have no value, or expand to more than can be written.
  .filter((name) => !/^(?:limit-exceeded|yaml-syntax)/.test(name))
  .map((name) => [name, mapIn(readFileSync(join(import.meta.dirname, 'diagnostics', name), 'utf8'))] as const)
  .filter((each): each is [string, object] => each[1] !== null);

/** The `roster.yaml` of a case; null if it is not a map. */
function mapIn(text: string): object | null {
  const { files = {} } = parse(text) as { files?: Record<string, string> };
  const document = parseDocument(files['roster.yaml'] ?? '');
  const isMap = document.errors.length === 0 && document.warnings.length === 0 && document.contents !== null;
  const value: unknown = isMap ? document.toJS() : null;
  return typeof value === 'object' && !Array.isArray(value) ? value : null;
}

test('there are more than 60 invalid manifests to hide values in', () => {
  expect(mistakes.length).toBeGreaterThan(60);
});

const mistaken = mistakes.flatMap(([name, manifest]) =>
  canaries.map((canary) => [name, canary, manifest] as const),
);

test.each(sampleOf(mistaken, 2, 4))(
  'diagnostics/%s: no diagnostic shows the environment value %s',
  async (_, canary, manifest) => {
    const workspace = new Workspace({}, { url: 'http://127.0.0.1:1', apiKey: 'svc_live_none' });
    workspace.env = { ...workspace.env, CANARY: canary };
    for (const path of leaves(manifest)) {
      workspace.write('roster.yaml', JSON.stringify(replaced(manifest, path)));
      // `Workspace` checks the output.
      for (const format of ['text', 'json', 'github', 'sarif', 'gitlab', 'junit']) {
        const { exit } = await workspace.command(['validate', '--format', format]);
        expect([0, 1]).toContain(exit);
      }
    }
  },
);

async function sweep(given: Case, manifest: unknown, canary: string): Promise<void> {
  const sandbox = await startSandbox({ seed: parseSeed(JSON.stringify(given.seed ?? {})) });
  const workspace = new Workspace({ 'roster.yaml': JSON.stringify(manifest) }, sandbox);
  const run = async (line: string) => {
    workspace.env = { ...workspace.env, ROSTER_API_KEY: sandbox.world.apiKey, CANARY: canary };
    return workspace.command(line.split(' '));
  };
  const allow = '--allow-deletes 99 --allow-self-revoke --allow-empty --allow-account-change';
  for (const format of ['text', 'json', 'github', 'sarif', 'gitlab', 'junit'])
    await run(`validate --format ${format}`);
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

/** The manifest with a text in each entry that may come from the environment. */
function withTexts(manifest: Readonly<Record<string, unknown>>): object {
  const texts = {
    groups: { description: 'x' },
    pipelines: { description: 'x' },
    schedules: { inputs: { x: 'x' } },
  };
  const sections = Object.entries(texts).map(([section, text]) => {
    const entries = Object.entries((manifest[section] ?? {}) as Record<string, { external?: boolean }>);
    const filled = entries.map(([key, entry]) => [
      key,
      entry.external === true ? entry : { ...text, ...entry },
    ]);
    return [section, Object.fromEntries(filled)];
  });
  return { ...manifest, ...Object.fromEntries(sections) };
}

/** The paths of all texts. */
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
