import { describe, expect, it } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';
import { messageOf } from '../../../src/model/diagnostic.js';
import type { JsonObject } from '../../../src/model/json.js';
import { sampleOf } from '../../support/size.js';
import { load, problems } from './project.js';

/** The entries of a project, by address. */
function entries(text: string, options: Parameters<typeof load>[1] = {}): Record<string, JsonObject> {
  const { project, diagnostics } = load(text, options);
  expect(diagnostics).toEqual([]);
  return Object.fromEntries(
    (project?.entries ?? []).map(({ address, declared }) => [
      address,
      (declared as { entry: JsonObject }).entry,
    ]),
  );
}

const countries = 'countries: { de: { zone: Z1, shops: [a, b], n: 3 }, fr: { zone: Z2, shops: [], n: 4 } }';

describe('each', () => {
  it('repeats an entry for each item of a map', () => {
    const text = `project: p\nvars: { ${countries} }\ngroups:\n  g-\${each.key}: { each: "\${var.countries}", name: "Prices \${each.key}", members: "\${each.value.shops}" }\n`;
    expect(entries(text)).toEqual({
      'group/g-de': { name: 'Prices de', members: ['a', 'b'] },
      'group/g-fr': { name: 'Prices fr', members: [] },
    });
  });

  it('repeats an entry for each text of a list, which is its key and its value', () => {
    const text =
      'project: p\ngroups:\n  "${each.value}.x": { each: [a, b], name: "${each.key}", members: ["${each.value}"] }\n';
    expect(entries(text)).toEqual({
      'group/a.x': { name: 'a', members: ['a'] },
      'group/b.x': { name: 'b', members: ['b'] },
    });
  });

  it.each<[string, string, unknown]>([
    ['a number', '${each.value.n}', 3],
    ['true or false', '${each.value.on}', true],
    ['a list', '${each.value.list}', [1, { x: 'y' }]],
    ['a map', '${each.value.map}', { deep: { er: 'z' } }],
    ['a value deep inside', '${each.value.map.deep.er}', 'z'],
    ['a number in a text', 'n=${each.value.n}!', 'n=3!'],
    ['several in a text', '${each.key}-${each.value.n}${each.value.on}', 'k-3true'],
    ['together with a variable', '${each.key} ${var.v}${each.value.n}', 'k V3'],
    ['together with an environment variable', '${each.key}:${env.TOKEN}', 'k:hunter2-secret'],
    ['an escape', '$${each.key} ${each.key}', '${each.key} k'],
    ['what looks like a variable in an item', '${each.value.like}', '${var.v}'],
    ['what looks like a variable in a text', 'x ${each.value.like}', 'x ${var.v}'],
    ['a dollar sign before a variable', '${each.value.dollar}${var.v}', 'US$V'],
    ['a dollar sign before a brace', '${each.value.dollar}{var.v}', 'US${var.v}'],
    ['a variable inside the item', '${each.value.own}', 'V!'],
  ])('puts in %s', (_, written, expected) => {
    const item = `{ n: 3, on: true, list: [1, { x: y }], map: { deep: { er: z } }, like: "$\${var.v}", dollar: US$, own: "\${var.v}!" }`;
    const text = `project: p\nvars: { v: V }\nschedules:\n  s-\${each.key}: { each: { k: ${item} }, target: agent/a, once: x, inputs: { i: "${written}" } }\n`;
    const read = entries(text, { env: { TOKEN: 'hunter2-secret' } });
    expect(read['schedule/s-k']?.['inputs']).toEqual({ i: expected });
  });

  it('repeats an entry for many items that are written in it', () => {
    const items = Array.from({ length: 1_000 }, (_, index) => `i${index}: Z${index}`).join(', ');
    const text = `project: p\ngroups:\n  g-\${each.key}: { each: { ${items} }, name: "\${each.value}", members: [a] }\n`;
    expect(Object.keys(entries(text))).toHaveLength(1_000);
  });

  it('says nothing of an empty map that another environment fills', () => {
    const environments = 'environments: { production: { vars: { c: { a: x } } } }';
    const entry = '{ each: "${var.c}", environments: [production], members: ["${each.value}"] }';
    const text = `project: p\nvars: { c: {} }\n${environments}\ngroups:\n  g-\${each.key}: ${entry}\n`;
    expect(entries(text)).toEqual({});
  });

  it('works with defaults, environments, formerly, protect and merge keys', () => {
    const text = `project: p
environments: { e: {}, f: {} }
defaults: { groups: { description: D } }
x-base: &base { each: { a: { in: [e], ext: false }, b: { in: [f], ext: false } } }
groups:
  g-\${each.key}:
    <<: *base
    name: n-\${each.key}
    external: \${each.value.ext}
    environments: \${each.value.in}
    formerly: old-\${each.key}
`;
    const here = load(text.replace('    name', '    members: []\n    name'), { environment: 'e' });
    expect(here.diagnostics).toEqual([]);
    const [entry, ...others] = here.project?.entries ?? [];
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ address: 'group/g-a', formerly: 'group/old-a', external: false });
    expect(entry?.defaulted?.map(({ property }) => property)).toEqual(['description']);
    expect(here.project?.elsewhere).toEqual(['group/g-b']);
  });

  it('gives each key its own destination', () => {
    const entry = '{ each: [a, b], scopes: [agents.run], deliver: { file: "keys/${each.value}" } }';
    const text = `project: p\nkeys:\n  "ci-\${each.key}": ${entry}\n`;
    expect(Object.values(entries(text)).map((each) => each['deliver'])).toEqual([
      { file: 'keys/a' },
      { file: 'keys/b' },
    ]);
  });

  it('gives each entry its own former key from a map', () => {
    const entry = '{ each: [a, b, c], members: [], formerly: { g-b: old-b, g-c: "old-${each.key}" } }';
    const { project, diagnostics } = load(`project: p\ngroups:\n  g-\${each.key}: ${entry}\n`);
    expect(diagnostics).toEqual([]);
    expect(project?.entries.map(({ formerly }) => formerly)).toEqual([null, 'group/old-b', 'group/old-c']);
    expect(project?.entries[1]?.placeOf(['formerly'])).toMatchObject({ line: 3, column: 67, each: 'b' });
  });

  it('may use variables of the only environments in which the entry exists', () => {
    const text = `project: p
environments: { e: { vars: { list: [a] } }, f: {} }
groups:
  g-\${each.key}: { each: "\${var.list}", members: [], environments: [e] }
`;
    expect(Object.keys(entries(text, { environment: 'e' }))).toEqual(['group/g-a']);
    expect(entries(text, { environment: 'f' })).toEqual({});
  });

  it('gives each entry, and each value in it, the place in the file and the item', () => {
    const text = 'project: p\ngroups:\n  g-${each.key}: { each: [a], members: [x, "${each.key}"] }\n';
    const [entry] = load(text).project?.entries ?? [];
    expect(entry?.source).toMatchObject({ file: 'roster.yaml', line: 3, column: 3, length: 13, each: 'a' });
    expect(entry?.placeOf(['members', 1])).toMatchObject({ line: 3, column: 44, each: 'a' });
  });

  it('keeps the places of the variables beside an item', () => {
    const text =
      'project: p\ngroups:\n  g-${each.key}: { each: [a], members: [], description: "${each.key} ${var.x}" }\n';
    expect(problems(text)).toEqual(['roster.yaml:3:70 unknown-variable «${var.x}»']);
  });
});

describe('variables with paths', () => {
  it.each<[string, unknown]>([
    ['${var.m.a}', 1],
    ['${var.m.b.c}', ['x']],
    ['<${var.m.a}${var.m.s}>', '<1t>'],
    ['${var.m.own}', 'V'],
  ])('%s', (written, expected) => {
    const text = `project: p\nvars: { v: V, m: { a: 1, b: { c: [x] }, s: t, own: "\${var.v}" } }\nschedules:\n  s: { target: agent/a, once: x, inputs: { i: "${written}" } }\n`;
    expect(entries(text)['schedule/s']?.['inputs']).toEqual({ i: expected });
  });

  it('only what holds something of the environment is a secret', () => {
    const text = (value: string) =>
      `project: p\nvars: { m: { open: a, secret: "\${env.TOKEN}" } }\ngroups:\n  g: { members: [], name: "\${var.m.open}", description: "${value}" }\n`;
    const { project, diagnostics } = load(text('${var.m.secret}!'), { env: { TOKEN: 'hunter2-secret' } });
    expect(diagnostics).toEqual([]);
    expect(project?.entries[0]?.templates).toEqual({ description: '${env.TOKEN}!' });
    const open = load(text('${var.m.open}!'), { env: { TOKEN: 'hunter2-secret' } });
    expect(open.project?.entries[0]?.templates).toEqual({});
  });
});

describe('a mistake in a repeated entry', () => {
  const group = (key: string, rest: string) =>
    `project: p\nvars: { l: [a, b], c: "\${var.d}", d: "\${var.c}" }\ngroups:\n  ${key}: { ${rest} }\n`;

  it.each<[string, string, string[]]>([
    ['no placeholder in the key', group('g', 'each: [a], members: []'), ['roster.yaml:4:3 schema «g»']],
    ['a text', group('g-${each.key}', 'each: a, members: []'), ['roster.yaml:4:26 schema «a»']],
    ['a number', group('g-${each.key}', 'each: 3, members: []'), ['roster.yaml:4:26 schema «3»']],
    ['null', group('g-${each.key}', 'each: , members: []'), ['roster.yaml:4:20 schema «each»']],
    [
      'a number in a list',
      group('g-${each.key}', 'each: [a, 3], members: []'),
      ['roster.yaml:4:30 schema «3»'],
    ],
    [
      'a map in a list',
      group('g-${each.key}', 'each: [{ a: 1 }], members: []'),
      ['roster.yaml:4:27 schema «{ a: 1 }»'],
    ],
    ['a text twice', group('g-${each.key}', 'each: [a, a], members: []'), ['roster.yaml:4:30 schema «a»']],
    [
      'nothing to repeat',
      group('g-${each.key}', 'each: {}, members: []'),
      ['roster.yaml:4:20 warning empty-each «each»'],
    ],
    [
      'an unknown variable',
      group('g-${each.key}', 'each: "${var.x}", members: []'),
      ['roster.yaml:4:27 unknown-variable «${var.x}»'],
    ],
    [
      'variables in a circle',
      group('g-${each.key}', 'each: "${var.c}", members: []'),
      ['roster.yaml:2:39 unknown-variable «${var.c}»'],
    ],
    [
      'an environment variable',
      group('g-${each.key}', 'each: ["${env.X}"], members: []'),
      ['roster.yaml:4:28 misplaced-variable «${env.X}»'],
    ],
    [
      'each in each',
      group('g-${each.key}', 'each: ["${each.key}"], members: []'),
      ['roster.yaml:4:28 unknown-variable «${each.key}»'],
    ],
    [
      'an unknown path',
      group('g-${each.key}', 'each: { a: { x: 1 } }, members: [], name: "${each.value.y}"'),
      ['roster.yaml:4:63 unknown-variable «${each.value.y}»'],
    ],
    [
      'a path into a text',
      group('g-${each.key}', 'each: [a], members: [], name: "x${each.value.y}"'),
      ['roster.yaml:4:52 unknown-variable «${each.value.y}»'],
    ],
    [
      'a list inside a text',
      group('g-${each.key}', 'each: { a: [1] }, members: [], name: "x${each.value}"'),
      ['roster.yaml:4:59 unknown-variable «${each.value}»'],
    ],
    [
      'a map in the key',
      group('g-${each.value}', 'each: { a: {} }, members: []'),
      ['roster.yaml:4:5 unknown-variable «${each.value}»'],
    ],
    [
      'a key that comes out wrong',
      group('g-${each.key}', 'each: [a b], members: []'),
      ['roster.yaml:4:3 schema «g-${each.key}»'],
    ],
    [
      'a key that comes out twice',
      group('g-${each.value.k}', 'each: { a: { k: 1 }, b: { k: 1 } }, members: []'),
      ['roster.yaml:4:3 duplicate-entry «g-${each.value.k}»'],
    ],
    [
      'a key that comes out as another entry',
      `${group('g-${each.key}', 'each: [a], members: []')}  g-a: { members: [] }\n`,
      ['roster.yaml:5:3 duplicate-entry «g-a»'],
    ],
    [
      'a former key for a key that does not come out',
      group('g-${each.key}', 'each: [ab, bc], members: [], formerly: { g-ba: old, g-bc: g-old }'),
      ['roster.yaml:4:61 warning unknown-formerly «g-ba»'],
    ],
    [
      'one former key for all items',
      group('g-${each.key}', 'each: [a, b, c], members: [], formerly: g-old'),
      ['roster.yaml:4:60 duplicate-entry «g-old»'],
    ],
    [
      'a former key that is not valid',
      group('g-${each.key}', 'each: [a], members: [], formerly: { g-a: "x y" }'),
      ['roster.yaml:4:61 schema «"x y"»'],
    ],
    [
      'former keys by key in an ordinary entry',
      group('g', 'members: [], formerly: { g: old }'),
      ['roster.yaml:4:31 schema «{ g: old }»'],
    ],
    [
      'an item outside of a repeated entry',
      group('g', 'members: [], name: "${each.key}"'),
      ['roster.yaml:4:28 unknown-variable «${each.key}»'],
    ],
    [
      'a path into a key',
      group('g-${each.key.x}', 'each: [a], members: []'),
      ['roster.yaml:4:5 schema «${each.key.x}»'],
    ],
    [
      'an unknown word',
      group('g-${each.key}', 'each: [a], members: [], name: "${each.name}"'),
      ['roster.yaml:4:51 unknown-variable «${each.name}»'],
    ],
    [
      'a variable in the key',
      group('g-${each.key}-${var.l}', 'each: [a], members: []'),
      ['roster.yaml:4:17 schema «${var.l}»'],
    ],
    [
      'a placeholder in the name of an input',
      group('g-${each.key}', 'each: [a], members: [], inputs: { "${each.key}": 1 }'),
      ['roster.yaml:4:44 unknown-property «inputs»', 'roster.yaml:4:55 misplaced-variable «${each.key}»'],
    ],
    [
      'a placeholder in the name of an item',
      group('g-${each.key}', 'each: { "x${each.key}": a }, members: []'),
      ['roster.yaml:4:30 misplaced-variable «${each.key}»'],
    ],
    [
      'an environment variable that is not set, in a variable of the items',
      `project: p\nvars: { m: { a: "\${env.NONE}" } }\ngroups: { "g-\${each.key}": { each: "\${var.m}", members: [] } }\n`,
      ['roster.yaml:3:37 misplaced-variable «${var.m}»'],
    ],
    [
      'an unknown path of a variable',
      group('g', 'members: [], name: "${var.l.x}"'),
      ['roster.yaml:4:28 unknown-variable «${var.l.x}»'],
    ],
    [
      'an item in a variable',
      'project: p\nvars: { v: "${each.key}" }\n',
      ['roster.yaml:2:13 unknown-variable «${each.key}»'],
    ],
    [
      'an item in defaults',
      'project: p\ndefaults: { groups: { description: "${each.key}" } }\n',
      ['roster.yaml:2:37 unknown-variable «${each.key}»'],
    ],
    [
      'each in a variable for the entry',
      'project: p\nvars: { v: { each: [a], members: [] } }\ngroups: { g: "${var.v}" }\n',
      ['roster.yaml:3:11 schema «g»'],
    ],
    [
      'each misspelt',
      group('g-${each.key}', 'eech: [a], members: []'),
      ['roster.yaml:4:3 schema «g-${each.key}»', 'roster.yaml:4:20 unknown-property «eech»'],
    ],
  ])('%s', (_, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it.each([
    ['g-${each.kye}', 'Did you mean `${each.key}`?'],
    ['g-${each.key.x}', 'Did you mean `${each.key}`?'],
    ['g-${eahc.vaule.zone}', 'Did you mean `${each.value.zone}`?'],
    ['g-${each}', 'Use `${each.key}`, `${each.value}` or `${each.value.NAME}`.'],
    ['g-${country}', 'Use `${each.key}`, `${each.value}` or `${each.value.NAME}`.'],
    ['g-${each.key', 'Close it with `}`.'],
    ['g-${var.n}', 'A key may contain `${each.key}` and `${each.value}`, but no variable.'],
    ['g-${var.n}-${each.key}', 'A key may contain `${each.key}` and `${each.value}`, but no variable.'],
    ['g', 'Each item needs a key of its own, such as `g-${each.key}`.'],
    ['g h', 'Each item needs a key of its own, such as `${each.key}`.'],
  ])('says what the key %s of an entry with each should be', (key, help) => {
    const text = `project: p\nvars: { n: x }\ngroups:\n  ${key}: { each: [a, b], members: [a] }\n`;
    expect(load(text).diagnostics.map((found) => [found.help, found.items])).toEqual([[help, undefined]]);
  });

  it.each([
    [
      '[x, y]',
      'Use `${each.value}` as the whole value. Lists are not joined: add a value that is the text, such as `"x, y"`, and use that here.',
    ],
    [
      '[{ a: b }]',
      'Use `${each.value}` as the whole value. Lists are not joined: add a value that is the text, and use that here.',
    ],
    ['{ zone: x }', 'Use `${each.value}` as the whole value, or one of its values: `${each.value.zone}`.'],
    ['{}', 'Use `${each.value}` as the whole value.'],
  ])('says what to do with %s inside a text', (item, help) => {
    const text = group('g-${each.key}', `each: { a: ${item} }, members: [], name: "x\${each.value}"`);
    expect(load(text).diagnostics.map((found) => found.help)).toEqual([help]);
  });

  it.each([
    ['{ zone: x }', 'Use `${each.key}`, or one of its values: `${each.value.zone}`.'],
    ['[x]', 'Use `${each.key}`.'],
  ])('says what to do with %s inside a key', (item, help) => {
    const found = load(group('g-${each.value}', `each: { a: ${item} }, members: []`)).diagnostics;
    expect(found.map((each) => each.help)).toEqual([help]);
  });

  it.each([
    [
      'g-${each.key}',
      'Only the key of an entry that has `each` may contain `${each.key}` or `${each.value}`.',
    ],
    ['g-${var.n}', 'A key cannot contain a variable.'],
  ])('says what the key %s lacks', (key, help) => {
    const text = `project: p\nvars: { n: x }\ngroups:\n  ${key}: { members: [a] }\n`;
    expect(load(text).diagnostics.map((found) => found.help)).toEqual([help]);
  });

  it('does not suggest a name that no path can contain', () => {
    const text =
      'project: p\ngroups:\n  g-${each.key}: { each: { k: { "zo ne": a } }, members: ["${each.value.zone}"] }\n';
    expect(load(text).diagnostics.map(({ help }) => help)).toEqual(['It has `zo ne`.']);
  });

  it('does not suggest quotes for a value that comes from an item', () => {
    const text =
      'project: p\ngroups:\n  g-${each.key}: { each: { k: 1 }, members: [a], name: "${each.value}" }\n';
    expect(load(text).diagnostics.map(({ help }) => help)).toEqual(['Change the value of the item.']);
  });

  it('is reported once, with the items that it holds for', () => {
    const text = group('g-${each.key}', 'each: [a, b, c, d], members: 3, name: "${each.value.x}"');
    const found = load(text).diagnostics.map(({ code, items }) => [code, items?.map(({ item }) => item)]);
    expect(found).toEqual([
      ['schema', ['a', 'b', 'c', 'd']],
      ['unknown-variable', ['a', 'b', 'c', 'd']],
    ]);
  });

  it('is reported once where the message has the value of each item, or its address', () => {
    const zones = Array.from({ length: 60 }, (_, index) => `i${index}: Zone${index}`).join(', ');
    const accept = 'accept: [large-step]';
    const entry = `each: { ${zones} }, target: "agent/\${each.key}", timeZone: "\${each.value}", ${accept}, once: 2999-01-01T00:00:00`;
    const text = `project: p\nschedules:\n  s-\${each.key}: { ${entry} }\n`;
    const wrong = load(text, { kinds }).diagnostics;
    expect(wrong.map(({ code, items }) => [code, items?.length])).toEqual([['invalid-time-zone', 60]]);
    expect(wrong.map(messageOf)).toEqual([
      expect.stringMatching(/"Zone0" .* \(for i0; similar for i1, i2 and 57 more\)$/),
    ]);
    const unused = load(text.replace(/Zone\d+/g, 'UTC'), { kinds }).diagnostics;
    expect(unused.map(({ code, items }) => [code, items?.length])).toEqual([['unused-acceptance', 60]]);
  });

  it('does not hide a reference to an entry that could not be made', () => {
    const text = `${group('g-${each.key}', 'each: "${var.x}", members: []')}schedules: { s: { target: group/g-a, once: x } }\n`;
    expect(problems(text)).toEqual(['roster.yaml:4:27 unknown-variable «${var.x}»']);
  });
});

describe('limits of each', () => {
  const list = (count: number) => `[${Array.from({ length: count }, (_, index) => `i${index}`).join(', ')}]`;

  it('stops at very many errors, although they are few diagnostics', () => {
    const wrong = 'members: 3, name: 3, description: 3, active: 3, protect: 3, formerly: 3, external: 3';
    const text = `project: p\ngroups: { "g-\${each.key}": { each: ${list(10_000)}, ${wrong} } }\n`;
    const found = load(text).diagnostics;
    expect(found.filter(({ code }) => code === 'schema').length).toBeGreaterThan(4);
    expect(found.at(-1)).toMatchObject({
      code: 'limit-exceeded',
      message: 'more than 5000 other problems are not shown',
    });
  });

  it('says what to do with variables that are too large for one file', () => {
    const text = `project: p\nvars: { m: { a: ${list(50_000)} } }\ngroups: {}\n`;
    expect(load(text).diagnostics.map(({ code, help }) => [code, help])).toEqual([
      [
        'limit-exceeded',
        'Write the items of a repeated entry in its own `each`: entries can be in several files.',
      ],
    ]);
  });

  const excesses: [string, string][] = [
    [
      'a million entries of two lines',
      `vars: { l: ${list(1000)} }\ngroups:\n${Array.from({ length: 1000 }, (_, index) => `  "g${index}-\${each.key}": { each: "\${var.l}", members: [] }\n`).join('')}`,
    ],
    [
      'so many entries of almost nothing that they would not fit into memory',
      `vars: { l: ${list(24_500)} }\ngroups:\n${['a', 'b', 'c', 'd'].map((name) => `  "${name}-\${each.key}": { each: "\${var.l}", members: [] }\n`).join('')}`,
    ],
    [
      'an entry with as many values as items',
      `vars: { l: ${list(2000)} }\ngroups:\n  "g-\${each.key}": { each: "\${var.l}", members: ${list(2000)} }\n`,
    ],
    [
      'an item that is large and used often',
      `vars: { m: { a: ${list(20_000)} } }\ngroups:\n  "g-\${each.key}": { each: "\${var.m}", members: [${'"${each.value}", '.repeat(2000)}] }\n`,
    ],
    [
      'a long text',
      `vars: { m: { a: ${'x'.repeat(60_000)} } }\ngroups:\n  "g-\${each.key}": { each: "\${var.m}", members: [${'"${each.value}${each.value}", '.repeat(3)}] }\n`,
    ],
    [
      'values that are too deep',
      `vars: { m: { a: ${'['.repeat(60)}${']'.repeat(60)} } }\ngroups:\n  "g-\${each.key}": { each: "\${var.m}", members: ["\${each.value}"] }\n`,
    ],
  ];
  it.each(sampleOf(excesses, 3))('%s', (_, text) => {
    const codes = new Set(load(`project: p\n${text}`).diagnostics.map(({ code }) => code));
    expect([...codes]).toEqual(['limit-exceeded']);
  });
});
