import fc from 'fast-check';
import { type Draw, type Hostile, numbered, type Row, texts } from './hostile.js';

/** What YAML itself offers to those who want to cost much, or to be understood in another way. */
export function syntax(draw: Draw): Hostile[] {
  return [
    ...texts('aliases', draw, aliases(draw)),
    ...texts('merge keys', draw, merges(draw)),
    ...texts('nesting', draw, nesting(draw)),
    ...texts('long texts', draw, longTexts(draw)),
    ...texts('documents', draw, documents(draw)),
    ...texts('directives', draw, directives),
    ...texts('tags', draw, tags),
    ...texts('duplicate keys', draw, twice(draw)),
    ...texts('mistakes', draw, mistakes(draw)),
    ...texts('tabs', draw, tabs),
  ];
}

function aliases(draw: Draw): Row[] {
  const width = draw(fc.integer({ min: 9, max: 40 }));
  const deep = draw(fc.integer({ min: 65, max: 400 }));
  const times = (index: number) => Array.from({ length: width }, () => `*a${index - 1}`).join(', ');
  const bomb = (first: string) =>
    numbered((i) => (i === 0 ? `x-0: &a0 ${first}\n` : `x-${i}: &a${i} [${times(i)}]\n`), 20);
  const mapBomb = numbered(
    (i) => (i === 0 ? 'x-0: &a0 { k: v }\n' : `x-${i}: &a${i} { a: *a${i - 1}, b: *a${i - 1} }\n`),
    40,
  );
  const chain = numbered((i) => (i === 0 ? 'x-0: &a0 [x]\n' : `x-${i}: &a${i} [*a${i - 1}]\n`), deep);
  return [
    ['a bomb of lists', bomb('[x, y, z]'), 'limit-exceeded'],
    ['a bomb of maps', mapBomb, 'limit-exceeded'],
    ['a bomb of text', bomb(`"${'x'.repeat(1000)}"`), 'limit-exceeded'],
    ['a bomb in an entry', `${bomb('[x]')}groups: { g: { members: *a9 } }`, 'limit-exceeded'],
    ['a bomb in variables', `vars: { a: &a [x, x], b: &b [*a, *a], c: [*b, *b, "\${var.c}"] }`, 'fine'],
    ['one text very often', `x-a: [&a "${'y'.repeat(60_000)}"${',*a'.repeat(3_000)}]`, 'limit-exceeded'],
    ['levels', chain, 'limit-exceeded'],
    ['an alias in what it repeats', 'x-a: &a { b: [*a] }', 'yaml-syntax'],
    ['an alias of nothing', 'groups: *nothing', 'yaml-syntax'],
    ['an alias before its anchor', 'x-a: *a\nx-b: &a 1', 'yaml-syntax'],
    ['an alias of another document', 'x-a: &a 1\n---\nx-b: *a', 'yaml-syntax'],
    ['an alias with a tag', 'x-a: &a 1\nx-b: !!str *a', 'yaml-syntax'],
    ['an alias as a key', 'x-a: &a b\nx-b: { *a : c }', 'yaml-syntax'],
    ['an anchor named like a key of every object', 'x-a: &__proto__ 1\nx-b: *constructor', 'yaml-syntax'],
    ['very long names of anchors', `x-a: &${'n'.repeat(60_000)} 1\nx-b: *${'n'.repeat(60_000)}`, 'fine'],
    ['ordinary ones', 'x-a: &a { members: [a] }\ngroups: { g: *a }', 'fine'],
    ['an anchor that is given twice', 'x-a: &a 1\nx-b: &a [b]\ngroups: { g: { members: *a } }', 'fine'],
  ];
}

function merges(draw: Draw): Row[] {
  const keys = draw(fc.integer({ min: 700, max: 1500 }));
  const large = `x-a: &a { ${numbered((i) => `k${i}: v, `, keys)} }\n`;
  return [
    [
      'of large maps',
      `${large}groups:\n${numbered((i) => `  g${i}: { <<: *a }\n`, 900)}`,
      'limit-exceeded',
      'unknown-property',
      'schema',
    ],
    ['of one map very often', `${large}x-b: { <<: [${'*a, '.repeat(900)}] }`, 'limit-exceeded'],
    [
      'of merged maps',
      `${large}${numbered((i) => `x-${i}: { a: &b { <<: *a }, b: { <<: [*b, *b, *b] } }\n`, 300)}`,
      'limit-exceeded',
    ],
    ['of text', 'x-b: { <<: text }', 'yaml-syntax'],
    ['of lists in lists', 'x-a: &a {}\nx-b: { <<: [[*a]] }', 'yaml-syntax'],
    ['of what it stands in', 'x-b: &b { <<: *b }', 'yaml-syntax'],
    ['of forbidden keys', 'x-b: { <<: { __proto__: { a: 1 } } }', 'schema'],
    ['in quotes', 'groups: { g: { "<<": { members: [] } } }', 'unknown-property', 'schema'],
    ['that bring a property that is unknown', 'groups: { g: { <<: { membres: [] } } }', 'unknown-property'],
    ['ordinary ones', 'x-a: &a { members: [a] }\ngroups: { g: { <<: *a, active: false } }', 'fine'],
  ];
}

function nesting(draw: Draw): Row[] {
  const deep = draw(fc.integer({ min: 65, max: 5_000 }));
  const indented = (text: (i: number) => string, count: number) =>
    numbered((i) => `${' '.repeat(i)}${text(i)}\n`, count);
  return [
    ['brackets', `x-a: ${'['.repeat(deep)}`, 'limit-exceeded'],
    ['brackets, closed', `x-a: ${'['.repeat(deep)}${']'.repeat(deep)}`, 'limit-exceeded'],
    ['braces', `x-a: ${'{a: '.repeat(deep)}`, 'limit-exceeded'],
    ['brackets and braces', `x-a: ${'[{a: '.repeat(deep)}`, 'limit-exceeded'],
    ['dashes', `x-a:\n ${'- '.repeat(deep)}a`, 'limit-exceeded'],
    ['question marks', `x-a:\n ${'? '.repeat(deep)}a`, 'limit-exceeded'],
    ['lines', indented((i) => (i === 0 ? 'x-a:' : 'a:'), 300), 'limit-exceeded'],
    ['in inputs', schedule(`inputs: { a: ${'['.repeat(70)}${']'.repeat(70)} }`), 'limit-exceeded'],
    ['as deep as it may be', `x-a: ${'['.repeat(60)}${']'.repeat(60)}`, 'fine'],
  ];
}

function longTexts(draw: Draw): Row[] {
  const long = 'y'.repeat(65_537 + draw(fc.nat(5_000)));
  return [
    ['a plain one', `x-a: ${long}`, 'limit-exceeded'],
    ['in double quotes', `x-a: "${long}"`, 'limit-exceeded'],
    ['in single quotes', `x-a: '${long}'`, 'limit-exceeded'],
    ['literal', `x-a: |\n  ${long}`, 'limit-exceeded'],
    ['folded', `x-a: >-\n${'  yyyy\n'.repeat(12_000)}`, 'limit-exceeded'],
    ['of escapes', `x-a: "${'\\x41'.repeat(20_000)}"`, 'limit-exceeded'],
    ['a key', `${long}: 1`, 'limit-exceeded'],
    ['a key of 1,025 characters', `x-${'y'.repeat(1023)}: 1`, 'yaml-syntax'],
    ['a name', `groups: { g: { members: [], name: ${'n'.repeat(201)} } }`, 'schema'],
    ['an agent', `groups: { g: { members: [${'n'.repeat(60_000)}] } }`, 'schema'],
    ['the key of an entry', `groups: { ${'n'.repeat(201)}: { members: [] } }`, 'schema'],
    ['a property', `groups: { g: { ${'n'.repeat(1000)}: 1 } }`, 'unknown-property', 'schema'],
    ['never closed', `x-a: "${'y\n'.repeat(20_000)}`, 'yaml-syntax'],
    ['a comment', `x-a: 1 # ${'y'.repeat(900_000)}`, 'fine'],
    ['a line', `groups: { g: { members: [${numbered((i) => `agent-${i}, `, 20_000)}] } }`, 'fine'],
    [
      'a mistake at the end of a line',
      `groups: { g: { members: [${numbered((i) => `a${i}, `, 20_000)}1] } }`,
      'schema',
    ],
  ];
}

function documents(draw: Draw): Row[] {
  const many = draw(fc.integer({ min: 20_001, max: 40_000 }));
  return [
    ['too many', '---\n'.repeat(many), 'limit-exceeded'],
    ['too many, with values', '---\nx-a: 1\n'.repeat(many), 'limit-exceeded'],
    ['that say a setting again', '---\nproject: q', 'duplicate-entry'],
    ['that say an entry again', 'groups: { g: { members: [] } }\n---\ngroups: { g: {} }', 'duplicate-entry'],
    ['that are a list', '---\n- a', 'schema'],
    ['that are text', '---\ntext', 'schema'],
    ['after an end that is none', '...\nx: y', 'unknown-property'],
    ['broken behind a whole one', '---\ngroups: [', 'yaml-syntax'],
    ['two that are read as one', 'groups: { g: { members: [] } }\n---\npipelines: {}\n...', 'fine'],
  ];
}

const directives: Row[] = [
  ...['%YAML 1.1', '%YAML 1.2', '%YAML 9.9', '%TAG ! tag:x,2000:', '%FOO bar', '%'].map(
    (line): Row => [line, `---\nx-a: 1\n...\n${line}\n---\nx-b: no`, 'yaml-syntax'],
  ),
  ['one that stands in a text', 'x-a: |\n  %YAML 1.1', 'fine'],
];

const tags: Row[] = [
  ...[
    ...['!!js/function "f"', '!!js/regexp /a/', '!include a.yaml', '!env HOME', '!ENV ${HOME}', '!Ref x'],
    ...['!!python/object/apply:os.system ["id"]', '!ruby/object:Gem::Installer {}', '!!binary aGk='],
    ...['!!timestamp 2001-01-01', '!!set { a }', '!!omap [a: b]', '!!pairs [a: b]', '!!merge <<'],
    ...['!<tag:yaml.org,2002:value> 1', '!<x> y', '!!map [a]', '!!seq { a: b }', '!!int text', '!e!x y'],
    ...[`!${'t'.repeat(5_000)} x`, '!!str !!str x', '!__proto__ x', '!::stop-commands::x y'],
  ].map((text): Row => [text.slice(0, 40), `x-a: ${text}`, 'yaml-syntax']),
  ['on a key', 'x-a: { !x b: c }', 'yaml-syntax'],
  ['of the core', 'groups: { g: { name: !!str 123, members: !!seq [!!str a] } }', 'fine'],
];

function twice(draw: Draw): Row[] {
  const many = draw(fc.integer({ min: 2_000, max: 9_000 }));
  return [
    [
      'by the thousand',
      `groups:\n${'  g: { members: [] }\n'.repeat(many)}`,
      'duplicate-entry',
      'limit-exceeded',
    ],
    ['by the thousand on one line', `x-a: { ${'k: v, '.repeat(many)} }`, 'duplicate-entry', 'limit-exceeded'],
    ['in another spelling', 'x-a: { "a": 1, a: 2 }', 'duplicate-entry'],
    ['by an escape', 'x-a: { "\\x61": 1, a: 2 }', 'duplicate-entry'],
    ['in inputs', schedule('inputs: { a: 1, a: 2 }'), 'duplicate-entry'],
    ['a section', 'groups: {}\ngroups: {}', 'duplicate-entry'],
    ['a setting', 'prune: owned\nprune: all', 'duplicate-entry'],
    [
      'many that differ',
      `groups:\n${numbered((i) => `  g${i}: { members: [] }\n`, 5_000 + draw(fc.nat(3_000)))}`,
      'fine',
    ],
    ['many in one entry', `groups:\n  g: { ${numbered((i) => `m${i}: 1, `, 50_000)} }`, 'limit-exceeded'],
  ];
}

function mistakes(draw: Draw): Row[] {
  // An even number of quotes would be closed.
  const many = 1 + 2 * draw(fc.integer({ min: 500, max: 10_000 }));
  const signs = ['"', "'", '[', ']', '{', '}', '@', '`', ': ', '? x\n', ', ', '& ', '* ', '! ', '|', '>\n'];
  return [
    ...signs.map((sign): Row => [`many of ${sign.trim()}`, `x-a: ${sign.repeat(many)}`, refusalOf(sign)]),
    ['many lines that are none', '}\n'.repeat(many), 'yaml-syntax'],
    ['indentation that goes back', 'a:\n   b: 1\n  c: 2', 'yaml-syntax'],
  ];
}

/** Some nest too deeply before they are mistakes. */
function refusalOf(sign: string): Hostile['expected'] {
  return ['[', '{', ': '].includes(sign) ? 'limit-exceeded' : 'yaml-syntax';
}

const tabs: Row[] = [
  ['as indentation', 'groups:\n\tg: { members: [] }', 'yaml-syntax'],
  ['as indentation of a list', 'x-a:\n\t- a\n\t- b', 'yaml-syntax'],
  ['in a name', 'groups: { g: { name: "a\tb", members: [] } }', 'unsafe-text'],
  ['between values', 'groups:\t{ g:\t{ members:\t[] } }\t# a', 'fine'],
];

function schedule(more: string): string {
  return `schedules: { s: { target: agent/a, once: 2099-01-01T00:00:00, ${more} } }`;
}
