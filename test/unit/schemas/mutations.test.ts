import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';
import { readPolicies } from '../../../src/manifest/policy-files.js';
import { sampleOf } from '../../support/size.js';
import { inFolder, loadFrom } from '../manifest/project.js';
import { judge } from './agreement.js';
import { propertiesOf } from './schemas.js';
import { at, type Path, pathsOf, put, whole } from './whole.js';

/** A manifest with one thing changed. `what` is for the reader of a failure. */
interface Mutation {
  readonly what: string;
  readonly manifest: unknown;
}

const sections = kinds.map((kind) => kind.section);

/** Where something can be changed, but for what is ignored (`x-`), each in as little as it takes to be a manifest. */
const places = whole.flatMap((manifest) =>
  pathsOf(manifest)
    .filter(([top]) => top?.startsWith('x-') !== true)
    .map((path) => ({ manifest: around(manifest, path), path })),
);

/** What people write where something else belongs, and what those write who mean harm. */
const strange: Readonly<Record<string, readonly unknown[]>> = {
  'a value of another type': [null, true, 0, -1, 1.5, 1e9, [], ['x'], {}, { x: 1 }],
  // A lone surrogate is for the loader alone: no portable pattern says it.
  'an odd text': [
    ...['', ' x', 'x\n', 'a\nb', 'a\tb', 'a\u0007b', 'a\u202eb', '\u{1f468} é', 'true'],
    ...[
      '../x',
      '/x',
      'a\\b',
      '2099-02-29T08:00:00',
      '7 days',
      'group/x y',
      'x'.repeat(201),
      'x'.repeat(20_000),
    ],
  ],
  'an odd list or map': [
    ...[[1], ['x', 'x'], [null], [''], [[]]],
    ...[{ x: null }, { '': 1 }, { constructor: 1 }, { 'a\u202eb': 1 }, { x: [{ prototype: 1 }] }],
  ],
};

/** With variables, which `whole` and `env` declare. */
const variables: readonly unknown[] = [
  ...[
    '${var.text}',
    'x${var.text}',
    '${var.list}',
    '${var.map}',
    '${var.yes}',
    '${var.none}',
    '$${var.text}',
  ],
  ...[
    '${env.TEXT}',
    'x${env.TEXT}',
    '$${env.TEXT}',
    '${foo}',
    '${',
    '${var.}',
    '$$${var.text}',
    '${a${var.text}',
  ],
];

/** Every text of the manifests, by a name that is made of it. */
const env = Object.fromEntries([
  ['TEXT', 'x'],
  ...places.flatMap(({ manifest, path }) => {
    const value = at(manifest, path);
    return typeof value === 'string' ? [[nameOf(value), value]] : [];
  }),
]) as Record<string, string>;

describe('one change in a manifest with every property', () => {
  it('begins with valid manifests that leave out no property', () => {
    const judged = judgeAll(whole.map((manifest) => ({ what: 'nothing', manifest })));
    const wrong = judged.filter(({ files }) =>
      files.some(({ rejected, reported }) => rejected || reported.length > 0),
    );
    expect(wrong).toEqual([]);
    const said = new Set(places.map(({ path }) => path.at(-1)));
    const names = propertiesOf('project').map((property) => property.at.split('/').at(-1));
    expect(names.filter((name) => !said.has(name) && name !== '%5Ex-')).toEqual([]);
  });

  it.each([
    ...Object.entries(strange).map(([what, values]) => [what, () => instead(values)] as const),
    ['a text with variables', () => instead(variables)],
    ['its own value by way of a variable', () => places.flatMap(byVariable)],
    ['its own value from the environment', () => places.flatMap(fromEnvironment)],
    [
      'nothing at all',
      () =>
        places.flatMap(({ manifest, path }) =>
          path.length === 0 ? [] : [changed(manifest, path, undefined)],
        ),
    ],
    ['another name', () => places.flatMap(misspelt)],
    ['one more property', () => places.flatMap(extended)],
    ['lists that are longer', () => places.flatMap(longer)],
  ] as const)('%s: schema and loader agree', (_, mutations) => {
    // `requires` is read before everything else, and no schema knows all semver ranges.
    const all = mutations().filter(({ what }) => !what.startsWith('requires'));
    const judged = judgeAll(sampleOf(all, 22));
    expect(judged.filter(({ files }) => files.some((file) => !file.agreed))).toEqual([]);
    expect(judged.length).toBeGreaterThan(20);
  });
});

it('both allow only sections and x- keys in an included file', () => {
  const judged = Object.entries(whole[0] ?? {}).map(([name, value]) => {
    const project = JSON.stringify({ project: 'p', include: ['more.yaml'], vars: whole[0]?.['vars'] });
    const files = { 'roster.yaml': project, 'more.yaml': JSON.stringify({ [name]: value }) };
    const included = judge(inFolder(files, (folder) => loadFrom(folder, { kinds, env })))[1];
    return [name, included?.rejected, included?.agreed];
  });
  const may = (name: string) => sections.includes(name) || name.startsWith('x-');
  expect(judged).toEqual(Object.keys(whole[0] ?? {}).map((name) => [name, !may(name), true]));
});

it('a variable is allowed where its value is, and checked by its value', () => {
  const manifest = { project: 'p', vars: { on: 1 }, groups: { a: { members: [], active: '${var.on}' } } };
  const loaded = inFolder({ 'roster.yaml': JSON.stringify(manifest) }, (folder) =>
    loadFrom(folder, { kinds }),
  );
  expect(judge(loaded)).toMatchObject([{ rejected: false, reported: ['schema'], agreed: true }]);
  expect(loaded.diagnostics[0]?.message).toBe('`active` must be true or false, not a number');
});

type Place = (typeof places)[number];

function changed(manifest: unknown, path: Path, value: unknown): Mutation {
  return {
    what: `${path.join('.')} = ${JSON.stringify(value)?.slice(0, 100)}`,
    manifest: put(manifest, path, value),
  };
}

function instead(values: readonly unknown[]): Mutation[] {
  return places.flatMap(({ manifest, path }) => values.map((value) => changed(manifest, path, value)));
}

/** But for entries: they are written out, so that what an editor says about them is about their properties. */
function byVariable({ manifest, path }: Place): Mutation[] {
  const isEntry = path.length === 2 && sections.includes(path[0] ?? '');
  if (path.length === 0 || isEntry) return [];
  const other = put(manifest, path, '${var.own}');
  return [
    { what: `${path.join('.')} by a variable`, manifest: put(other, ['vars', 'own'], at(manifest, path)) },
  ];
}

function fromEnvironment({ manifest, path }: Place): Mutation[] {
  const value = at(manifest, path);
  return typeof value === 'string' ? [changed(manifest, path, `\${env.${nameOf(value)}}`)] : [];
}

function nameOf(text: string): string {
  return `OWN_${Buffer.from(text).toString('hex')}`;
}

/** The setting, section or entry alone that a path leads into. */
function around(manifest: Readonly<Record<string, unknown>>, path: Path): unknown {
  const { project, vars } = manifest;
  const into = path.slice(0, sections.includes(path[0] ?? '') ? 2 : 1);
  return put({ project, vars }, into, at(manifest, into));
}

function misspelt({ manifest, path }: Place): Mutation[] {
  const name = path.at(-1);
  const around = path.slice(0, -1);
  if (name === undefined || Array.isArray(at(manifest, around))) return [];
  const without = put(manifest, path, undefined);
  return [`${name}_`, `${name.slice(1)}${name[0]}`, name.toUpperCase(), ` ${name}`].map((other) => ({
    what: `${path.join('.')} called ${other}`,
    manifest: put(without, [...around, other], at(manifest, path)),
  }));
}

function extended({ manifest, path }: Place): Mutation[] {
  const value = at(manifest, path);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const names = [
    'name',
    'id',
    'external',
    'once',
    'every',
    'startTime',
    'command',
    'git',
    'x-note',
    '-',
    'constructor',
    'a\u202eb',
  ];
  return names
    .filter((name) => !Object.hasOwn(value, name))
    .flatMap((name) => ['x', {}, true].map((other) => changed(manifest, [...path, name], other)));
}

function longer({ manifest, path }: Place): Mutation[] {
  const value = at(manifest, path);
  if (!Array.isArray(value)) return [];
  const numbered = (length: number) => Array.from({ length }, (_, index) => `agent-${index}`);
  return [[...value, ...value], numbered(25), numbered(26), [...numbered(24), 'agent-3'], numbered(200)].map(
    (other) => changed(manifest, path, other),
  );
}

/** All in one folder, because making one takes longer than all the rest. */
function judgeAll(mutations: readonly Mutation[]) {
  return inFolder({ 'more/none.yaml': 'groups: {}\n' }, (folder) =>
    mutations.map(({ what, manifest }) => {
      writeFileSync(join(folder, 'roster.yaml'), JSON.stringify(manifest));
      const loaded = loadFrom(folder, { kinds, env });
      // Commands that judge read the policies beside the manifests.
      const policies = readPolicies({ ...loaded.policies, outside: [], cwd: folder, addresses: null });
      const diagnostics = [...loaded.diagnostics, ...policies.diagnostics];
      return { what, files: judge({ ...loaded, diagnostics }) };
    }),
  );
}
