import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { render, renderedYaml } from '../../src/engine/render.js';
import { kinds } from '../../src/kinds/index.js';
import type { Diagnostic } from '../../src/model/diagnostic.js';
import type { JsonObject } from '../../src/model/json.js';
import type { Declared } from '../../src/model/resource.js';
import { escaped } from '../../src/model/template.js';
import { defaultSeed, parseSeed } from '../../src/sandbox/index.js';
import { projectData } from '../support/projects.js';
import { withEach } from '../support/repeated.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { runs } from '../support/size.js';
import { inFolder, load } from '../unit/manifest/project.js';

const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** What it says of each of its items. */
function textsOf({ code, message, items = [] }: Diagnostic): string[] {
  return [message, ...items.map((each) => each.message)].map((text) => `${code}: ${text}`);
}

/** What a project declares, without places. */
function declared(text: string) {
  const { project, diagnostics } = load(text, { kinds });
  const meaning = ({ source: _, placeOf: __, ...entry }: Declared) => [entry.address, entry] as const;
  return {
    entries: Object.fromEntries((project?.entries ?? []).map(meaning)),
    // One line stands for several items with the same problem.
    problems: [...new Set(diagnostics.flatMap(textsOf))].sort(),
  };
}

/** The same with the items of every map under `vars` in reverse order. */
function reversed(text: string): string {
  const project = parse(text) as { vars: Record<string, object> };
  const turned = Object.entries(project.vars).map(([name, items]) => [
    name,
    Object.fromEntries(Object.entries(items).reverse()),
  ]);
  return stringify({ ...project, vars: Object.fromEntries(turned) });
}

test('a project with `each` declares what the project written out declares, in any order of the items', () => {
  fc.assert(
    fc.property(projectData, (data) => {
      const text = stringify(data);
      const expected = declared(text);
      const repeated = withEach(text);
      expect(declared(repeated)).toEqual(expected);
      expect(declared(reversed(repeated))).toEqual(expected);
    }),
    { numRuns: runs(5, 1_000) },
  );
});

test('a project with `each` has the plan and the digest of the project written out, and to change one for the other changes nothing', async () => {
  const sandbox = await startSandbox({ seed: parseSeed(JSON.stringify(defaultSeed())) });
  const workspace = new Workspace({}, sandbox);
  workspace.sleep = () => new Promise((done) => setImmediate(done));
  cleanups.push(() => sandbox.close());
  const flags = { allowDeletes: '100', allowSelfRevoke: true, allowEmpty: true, allowAccountChange: true };
  const plan = async (text: string) => {
    workspace.write('roster.yaml', text);
    const { digest, summary, exit, changes } = await workspace.planJson(flags);
    return { digest, summary, exit, changes: changes.map(({ source: _, ...change }) => change) };
  };
  await fc.assert(
    fc.asyncProperty(projectData, async ({ keys: _, ...data }) => {
      const text = stringify(data);
      const repeated = withEach(text);
      const made = await plan(text);
      expect(await plan(repeated)).toEqual(made);
      if (made.exit !== 0) return;
      const { exit } = await workspace.apply(flags);
      if (exit === 0) expect([(await plan(text)).changes, (await plan(repeated)).changes]).toEqual([[], []]);
    }),
    { numRuns: runs(1, 60) },
  );
});

test('items that are renamed are as many renames, whatever else changes with their keys', async () => {
  const sandbox = await startSandbox({ seed: parseSeed(JSON.stringify(defaultSeed())) });
  const workspace = new Workspace({}, sandbox);
  workspace.sleep = () => new Promise((done) => setImmediate(done));
  cleanups.push(() => sandbox.close());
  const flags = { allowDeletes: '100', allowEmpty: true };
  const item = fc.record({ name: fc.constantFrom('Prices ${each.key}', 'Same'), isRenamed: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 4 }), async (items) => {
      const keys = items.map(({ isRenamed }, index) => (isRenamed ? `new${index}` : `old${index}`));
      const pairs = keys.flatMap((key, index) =>
        key.startsWith('new') ? [[`g-${key}`, `g-old${index}`]] : [],
      );
      const project = (names: readonly string[], formerly: object) => ({
        project: 'p',
        groups: {
          'g-${each.key}': {
            each: Object.fromEntries(names.map((key, index) => [key, index])),
            name: `${items[0]?.name} \${each.value}`,
            members: ['acme-shop'],
            ...formerly,
          },
        },
      });
      const old = items.map((_, index) => `old${index}`);
      workspace.write('roster.yaml', stringify(project(old, {})));
      expect((await workspace.apply(flags)).exit).toBe(0);
      workspace.write('roster.yaml', stringify(project(keys, { formerly: Object.fromEntries(pairs) })));
      const { changes } = await workspace.planJson(flags);
      expect(changes.map(({ address }) => address).sort()).toEqual(
        pairs.map(([key]) => `group/${key}`).sort(),
      );
      for (const { action, notes } of changes) {
        expect(['update', 'adopt']).toContain(action);
        expect(notes).toEqual([expect.stringContaining('renamed from group/g-old')]);
      }
    }),
    { numRuns: runs(1, 60) },
  );
});

test('what is rendered declares the same, is the same when it is rendered again, and the same with `each`', () => {
  fc.assert(
    fc.property(projectData, (data) => {
      const text = stringify(data);
      const rendered = renderOf(text);
      expect(declared(rendered)).toEqual(declared(text));
      expect(renderOf(rendered)).toBe(rendered);
      expect(renderOf(withEach(text))).toBe(rendered);
    }),
    { numRuns: runs(5, 1_000) },
  );
});

function renderOf(text: string): string {
  return inFolder({ 'roster.yaml': text }, (cwd) => renderedYaml(render({ cwd, env: {} })));
}

const word = fc.string({ maxLength: 4, unit: fc.constantFrom(...'ab $${}."', '${', 'é') });
type Part = { readonly text: string } | { readonly use: 'each.key' | 'each.value.a' | 'var.v' };
const part: fc.Arbitrary<Part> = fc.oneof(
  // What ends in a dollar sign would make an escape of what follows.
  fc.record({ text: word.map((text) => text.replace(/\$+$/, '')) }),
  fc.record({ use: fc.constantFrom('each.key', 'each.value.a', 'var.v') }),
);

test('texts of an item are put in as they are, whatever is around them', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), word, word, (parts, a, v) => {
      const values = { 'each.key': 'k', 'each.value.a': a, 'var.v': v };
      const written = parts.map((each) => ('text' in each ? escaped(each.text) : `\${${each.use}}`)).join('');
      const expected = parts.map((each) => ('text' in each ? each.text : values[each.use])).join('');
      const entry = { each: { k: { a: escaped(a) } }, target: 'agent/x', once: 'x', inputs: { i: written } };
      const text = stringify({
        project: 'p',
        vars: { v: escaped(v) },
        schedules: { 's-${each.key}': entry },
      });
      const { project, diagnostics } = load(text);
      expect(diagnostics).toEqual([]);
      const [only] = (project?.entries ?? []) as Declared<{ readonly entry: JsonObject }>[];
      expect(only?.declared.entry['inputs']).toEqual({ i: expected });
    }),
    { numRuns: runs(100, 10_000) },
  );
});
