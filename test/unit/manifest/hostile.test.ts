import { describe, expect, it, vi } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';
import { megabytes } from '../../support/hostile/megabytes.js';
import { sampleOf } from '../../support/size.js';
import { load, problems } from './project.js';

// Slow machines run the same cases.
vi.setConfig({ testTimeout: 60_000 });

const head = 'project: p\n';

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
      ['roster.yaml:2:58 inexact-number «9007199254740993»'],
    ],
    [
      'infinity',
      `${head}schedules: { s: { target: agent/a, once: x, inputs: { a: .inf } } }\n`,
      ['roster.yaml:2:58 inexact-number «.inf»'],
    ],
    ['a list as key', `${head}? [a]\n: b\n`, ['roster.yaml:2:3 yaml-syntax «[a]»']],
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

  it('allows line breaks, tabs and any script in a description', () => {
    const text = `${head}groups: { a: { members: [], description: "a\\n\\tb \u200fשלום" } }\n`;
    expect(load(text).diagnostics).toEqual([]);
  });

  it('reports all mistakes of a file, in its own words', () => {
    const { diagnostics } = load(`${head}a: "\\z"\nb: @x\nc: !x y\n\td: 1\n`);
    expect(diagnostics.map((each) => each.place?.line)).toEqual([2, 3, 4, 5]);
    expect(diagnostics.every((each) => each.code === 'yaml-syntax')).toBe(true);
  });
});

/** `npm run bench` limits what they may cost. */
describe('a file of 1 MB that is refused', () => {
  it.each(sampleOf(megabytes.bad, 1))('%s', (_, text, code) => {
    const { project, diagnostics } = load(text, { kinds });
    expect(project).toBeNull();
    expect(diagnostics.map((each) => each.code)).toContain(code);
    expect(diagnostics.length).toBeLessThan(1_002);
  });
});

describe('a file of many ordinary entries is read', () => {
  it.each(sampleOf(megabytes.good, 1))('%s', (_, text) => {
    const { project, diagnostics } = load(text, { kinds });
    expect(diagnostics.filter((each) => each.severity === 'error')).toEqual([]);
    expect(project).not.toBeNull();
  });
});
