import { describe, expect, it } from 'vitest';
import { load, problems } from './project.js';

const head = 'project: p\n';
const size = 1_000_000;

describe('syntax', () => {
  it.each<[string, string, string[]]>([
    ['a directive', `%YAML 1.1\n---\n${head}`, ['roster.yaml:1:1 yaml-syntax «%YAML 1.1»']],
    [
      'a tag of another language',
      `${head}x-a: !!js/function "f"\n`,
      ['roster.yaml:2:6 yaml-syntax «!!js/function»'],
    ],
    ['a local tag', `${head}x-a: !include b.yaml\n`, ['roster.yaml:2:6 yaml-syntax «!include»']],
    ['a binary tag', `${head}x-a: !!binary aGk=\n`, ['roster.yaml:2:6 yaml-syntax «!!binary»']],
    ['an alias of nothing', `${head}x-b: &base 1\nx-a: *bse\n`, ['roster.yaml:3:6 yaml-syntax «*bse»']],
    ['an alias of what it is in', `${head}x-a: &a [*a]\n`, ['roster.yaml:2:10 yaml-syntax «*a»']],
    [
      'a merge of text',
      `${head}groups: { a: { <<: x } }\n`,
      ['roster.yaml:2:11 schema «a»', 'roster.yaml:2:20 yaml-syntax «x»'],
    ],
    ['__proto__', `${head}groups: { __proto__: { members: [] } }\n`, ['roster.yaml:2:11 schema «__proto__»']],
    [
      'constructor in inputs',
      `${head}schedules: { s: { target: agent/a, once: x, inputs: { constructor: 1 } } }\n`,
      ['roster.yaml:2:55 schema «constructor»'],
    ],
    [
      'a large integer',
      `${head}schedules: { s: { target: agent/a, once: x, inputs: { a: 9007199254740993 } } }\n`,
      ['roster.yaml:2:58 schema «9007199254740993»'],
    ],
    [
      'infinity',
      `${head}schedules: { s: { target: agent/a, once: x, inputs: { a: .inf } } }\n`,
      ['roster.yaml:2:58 schema «.inf»'],
    ],
    ['a list as key', `${head}? [a]\n: b\n`, ['roster.yaml:2:3 yaml-syntax «[»']],
    ['an escape character', `${head}x-a: \u001b[2J\n`, ['roster.yaml:2:6 unsafe-text «\u001b»']],
    ['a lone carriage return', `${head}x-a: b\rc\n`, ['roster.yaml:2:7 unsafe-text «\r»']],
    [
      'an escape character, escaped, in a name',
      `${head}groups: { a: { name: "a\\e", members: [] } }\n`,
      ['roster.yaml:2:22 unsafe-text «"a\\e"»'],
    ],
    [
      'a line break in a name',
      `${head}groups: { a: { name: "a\\n::add-mask::x", members: [] } }\n`,
      ['roster.yaml:2:22 unsafe-text «"a\\n::add-mask::x"»'],
    ],
    [
      'a bidirectional member',
      `${head}groups: { a: { members: ["a\u202eb"] } }\n`,
      ['roster.yaml:2:26 unsafe-text «"a\u202eb"»'],
    ],
    [
      'a zero-width key',
      `${head}groups: { a\u200bb: { members: [] } }\n`,
      ['roster.yaml:2:11 unsafe-text «a\u200bb»'],
    ],
    [
      'half a character',
      `${head}groups: { a: { description: "\\uD800", members: [] } }\n`,
      ['roster.yaml:2:29 unsafe-text «"\\uD800"»'],
    ],
    [
      'a bell in a description',
      `${head}groups: { a: { description: "\\a", members: [] } }\n`,
      ['roster.yaml:2:29 unsafe-text «"\\a"»'],
    ],
  ])('%s is refused', (_, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it('lets a description hold lines, tabs and any script', () => {
    const text = `${head}groups: { a: { members: [], description: "a\\n\\tb \u200fשלום" } }\n`;
    expect(load(text).diagnostics).toEqual([]);
  });

  it('tells all mistakes of a file, in words of its own', () => {
    const { diagnostics } = load(`${head}a: "\\z"\nb: @x\nc: !x y\n\td: 1\n`);
    expect(diagnostics.map((each) => each.place?.line)).toEqual([2, 3, 4, 5]);
    expect(diagnostics.every((each) => each.code === 'yaml-syntax')).toBe(true);
  });
});

const many = (text: string, length = size) => text.repeat(length / text.length);
const numbered = (line: (i: number) => string, length = size) => {
  let text = '';
  for (let i = 0; text.length < length; i++) text += line(i);
  return text;
};
const bomb = numbered(
  (i) => (i === 0 ? 'x-0: &a0 [x]\n' : `x-${i}: &a${i} [${many(`*a${i - 1},`, 60)}]\n`),
  2_000,
);
const doubling = numbered(
  (i) => (i === 0 ? '  a0: xx\n' : `  a${i}: "\${var.a${i - 1}}\${var.a${i - 1}}"\n`),
  600,
);

describe('a file of 1 MB costs little', () => {
  it.each<[string, string, string]>([
    ['nesting', `x-a: ${many('[')}`, 'limit-exceeded'],
    ['nested blocks', many('- '), 'limit-exceeded'],
    ['lists', `x-a: [${many('[],')}]`, 'limit-exceeded'],
    ['lists in lists', `x-a: [${many(`${'['.repeat(50)}${']'.repeat(50)},`)}]`, 'limit-exceeded'],
    ['commas', `x-a: [${many(',')}]`, 'limit-exceeded'],
    ['brackets', many(']'), 'yaml-syntax'],
    ['quotes', many('"'), 'limit-exceeded'],
    ['anchors', many('& '), 'limit-exceeded'],
    ['aliases', `x-a: [&a [a, a], ${many('*a,')}]`, 'limit-exceeded'],
    ['empty lines', many('\n'), 'limit-exceeded'],
    ['comments', many('#\n'), 'limit-exceeded'],
    ['a long text', `x-a: "${many('x')}"`, 'limit-exceeded'],
    ['documents', many('---\n'), 'limit-exceeded'],
    ['directives', many('%a\n', 60_000), 'yaml-syntax'],
    ['an alias bomb', bomb, 'limit-exceeded'],
    ['an alias bomb of text', `x-a: [&a "${many('x', 60_000)}"${many(',*a', 200_000)}]`, 'limit-exceeded'],
    [
      'merge keys',
      `x-a: &a { ${numbered((i) => `k${i}: v, `, 80_000)} }\ngroups:\n${numbered((i) => `  g${i}: {<<: *a}\n`, 500_000)}`,
      'limit-exceeded',
    ],
    ['doubling variables', `vars:\n${doubling}groups: { g: { members: ["\${var.a15}"] } }`, 'limit-exceeded'],
    ['openings of variables', `groups: { g: { members: ["${many('${', 60_000)}"] } }`, 'unknown-variable'],
    ['equal keys', `groups:\n${many('  a: 1\n', 400_000)}`, 'duplicate-entry'],
    [
      'unknown properties',
      `groups:\n  a:\n${numbered((i) => `    m${i}: 1\n`, 500_000)}`,
      'unknown-property',
    ],
    ['many values in one entry', `groups:\n  a:\n${numbered((i) => `    m${i}: 1\n`)}`, 'limit-exceeded'],
    ['scopes', `scopes:\n${numbered((i) => `- s${i}\n`)}`, 'limit-exceeded'],
    ['includes', `include:\n${numbered((i) => `- f${i}.yaml\n`)}`, 'limit-exceeded'],
    ['a long pattern', `include: ["{${many('a,', 60_000)}}/*.yaml"]`, 'schema'],
    [
      'unknown references',
      `schedules:\n${numbered((i) => `  s${i}: { target: group/x${i}, once: x }\n`)}`,
      'unknown-reference',
    ],
    ['wrong values on one line', `groups: { g: { members: [${many('1,', 90_000)}] } }`, 'schema'],
  ])('%s', (_, text, code) => {
    const before = performance.now();
    const { project, diagnostics } = load(head + text);
    expect(project).toBeNull();
    expect(diagnostics.map((each) => each.code)).toContain(code);
    expect(diagnostics.length).toBeLessThan(1_002);
    // Twice the figure of the contract: the machine may be busy with other tests.
    expect(performance.now() - before).toBeLessThan(4_000);
  });
});

describe('a file of many ordinary entries is read', () => {
  it.each<[string, string]>([
    ['just under 1 MB', `groups:\n${numbered((i) => `  g${i}: { members: [] }\n`, 1_040_000)}`],
    ['just over 1 MB', `groups:\n${numbered((i) => `  g${i}: { members: [] }\n`, 1_060_000)}`],
    ['on one line', `groups: {${numbered((i) => `g${i}: { members: [] }, `)}}`],
    ['as JSON', `groups: {${numbered((i) => `"g${i}": {"members": ["a"]},`)}}`],
    ['in an anchored section', `groups: &all\n${numbered((i) => `  g${i}: { members: [] }\n`)}`],
    [
      'of many lines each',
      `groups:\n${numbered((i) => `  g${i}:\n    name: n${i}\n    members:\n      - a\n`)}`,
    ],
    [
      'that are made of aliases',
      `x-a: &a { members: [a] }\ngroups:\n${numbered((i) => `  g${i}: { <<: *a, active: true }\n`)}`,
    ],
    ['with long lists', `groups:\n  g:\n    members:\n${numbered((i) => `      - a${i}\n`, 500_000)}`],
  ])('%s', (_, text) => {
    expect(problems(head + text)).toEqual([]);
  });
});
