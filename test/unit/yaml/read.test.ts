import { expect, it } from 'vitest';
import { yamlRules } from '../../../src/manifest/reading.js';
import { readYaml } from '../../../src/yaml/read.js';
import { Source } from '../../../src/yaml/source.js';
import { stepsOf } from '../../support/cost.js';
import { isLong, many } from '../../support/size.js';
import { jsonOf } from '../../support/yaml/reading.js';

function read(text: string) {
  const usage = { values: 0, collections: 0, expanded: 0 };
  return readYaml(new Source('f.yaml', text, 1), { usage, suggest: () => null, rules: yamlRules });
}

const reported = (text: string) => read(text).problems.map(({ span, message }) => [span.start, message]);
const entries = (count: number) =>
  Array.from(
    { length: count },
    (_, index) => `  s${index}:\n    target: agent/a\n    inputs: { a: [x] }\n`,
  ).join('');

it.each([
  ['aligned closing brackets', 'a: [\n  b\n]\nc: |\n  {\n  }\n'],
  ['tabs around brackets', 'a:\t[b,\tc]\nd: { e:\tf }\n'],
  ['a tab before a bracket, far into a large file', `a:\n${entries(many(1_000, 6_000))}b:\t[c]\n`],
  ['an aligned closing bracket, far into a large file', `a:\n${entries(many(1_000, 6_000))}b: [\n  c\n]\n`],
])('%s are read', (_, text) => {
  expect(read(text).problems).toEqual([]);
});

it('a bracket at the beginning of a line of text is not changed', () => {
  const [document] = read('a: [\n]\nb: |\n  {\n  }\n').documents ?? [];
  const text = document?.type === 'map' ? document.entries.get('b')?.value : undefined;
  expect(text).toMatchObject({ value: '{\n}\n', start: 10 });
});

it('tabs in texts stay where other tabs are between values', () => {
  const [document] = read('a:\t[b,\tc\td, "e\tf"]\ng: |\n  h\ti\nj: k\tl\n').documents ?? [];
  expect(document && jsonOf(document)).toEqual({ a: ['b', 'c\td', 'e\tf'], g: 'h\ti\n', j: 'k\tl' });
});

it.each([['-\ta: [b\n  ]\n'], ['a:\t[b]\nc:\n  -\td: e\n'], ['a: [\n]\nb: c\n]\n'], ['a:\n  b: [\n]\n']])(
  '%j is refused',
  (text) => {
    expect(read(text).documents).toBeNull();
  },
);

it.each(['|', '>', '|+'])(
  'the last line of a text after `%s` ends with a line break, even where the file does not',
  (sign) => {
    const [document] = read(`a: ${sign}\n  b`).documents ?? [];
    expect(document && jsonOf(document)).toEqual({ a: 'b\n' });
  },
);

it.each([
  ['a: &x b\nc: *x:\n', 11, 'there is no anchor "x:" before this alias'],
  ['a: |\n  b\n\t\nc: d\n', 9, 'tabs are not allowed for indentation'],
  ['a: "b\n\t\n  c"\n', 6, 'tabs are not allowed for indentation'],
  ['? a\n\t: b\n', 4, 'tabs are not allowed for indentation'],
  ['a: &x b: c\n', 3, 'a map cannot begin here'],
  ['? "a"b\n', 5, 'unexpected character'],
  [' %YAML 1.2\n', 1, 'directives are not allowed'],
  ['a: b\n... c\n', 5, 'only a comment may follow `...` on its line'],
  ['a: &x[]\n', 5, 'a space is missing after this anchor or tag'],
])('%j is refused', (text, start, message) => {
  expect(reported(text)).toContainEqual([start, message]);
});

it('errors far into a large file are explained as in a small one', () => {
  const broken = '  bad: { a: [x }\n  b:\n    x: a: b\n';
  const head = `project: p\nschedules:\n`;
  const small = reported(head + broken + entries(1));
  const before = entries(many(500, 3_000));
  expect(small).toHaveLength(2);
  const large = reported(head + before + broken + entries(many(500, 3_000)).replaceAll('  s', '  t'));
  expect(large).toEqual(small.map(([start, message]) => [Number(start) + before.length, message]));
});

const long = 'a'.repeat(70_000);
it.each([
  ['a list in brackets', `x-a: {[ "${long}", b ]: 1}\n`],
  ['a list', `? ["${long}", b]\n: c\n`],
  ['a list with dashes', `? - "${long}"\n  - b\n: c\n`],
  ['a map', `? a: "${long}"\n  b: c\n: d\n`],
])('a text in %s used as a key is reported when it is too long', (_, text) => {
  const problems = reported(text).map(([, message]) => message);
  expect(problems).toContain('a text is longer than 65536 characters');
});

it.each([
  ['a: {? , b: 1}\n', 4],
  ['a: {b: 1, ? , c: 2}\n', 10],
  ['a: {b: 1, : c}\n', 10],
  ['a:\n  ?\nb: 1\n', 5],
  ['a:\n  ? # note\n  b: 1\n', 5],
  ['a:\n  ?\n  : b\n', 9],
  ['a:\n  ? &x\n', 8],
  ['a:\n  ?', 5],
])('a missing key in %j has a place of its own', (text, start) => {
  expect(reported(text)).toEqual([[start, 'a key is missing']]);
});

it.each([
  [
    'an anchor and a tag on the line of the first key',
    'a:\n  &x !!str b: c\nd: *x\n',
    { a: { b: 'c' }, d: 'b' },
  ],
  ['an anchor whose name ends with a colon', 'a: &x: b\nc: *x:\n', { a: 'b', c: 'b' }],
  ['a tab after spaces', 'a:\n \tb\n', { a: 'b' }],
])('%s is read as YAML 1.2 says', (_, text, expected) => {
  expect(read(text).documents?.map(jsonOf)).toEqual([expected]);
});

it.each([
  ['1: a\n1.0: b\n', '"1.0" is the same key as "1" in this map'],
  ['0x10: a\n16: b\n', '"16" is the same key as "0x10" in this map'],
  ['true: a\nTrue: b\n', '"True" is the same key as "true" in this map'],
  ['1: a\n"1": b\n', '"1" is listed twice in this map'],
])('the keys of %j are duplicates', (text, message) => {
  expect(read(text).problems).toMatchObject([{ code: 'duplicate-key', message }]);
});

it('keys in quotes are texts, and differ if their texts do', () => {
  expect(read('1: a\n"1.0": b\n"0x1": c\n').problems).toEqual([]);
});

it('comments after many empty lines cost little', () => {
  const text = `a: |\n  b\n${'\n'.repeat(100_000)}${'  # c\n'.repeat(50_000)}`;
  expect(read(text).problems).toMatchObject([{ code: 'limit-exceeded' }]);
});

it.runIf(isLong)('many missing keys after question marks cost as little as many before colons', () => {
  const steps = (sign: string) => stepsOf(() => read(`a: [${sign.repeat(500)}]\n`));
  expect(steps('? , ') / steps(': , ')).toBeLessThan(2);
});
