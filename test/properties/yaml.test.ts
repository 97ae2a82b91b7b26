import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { plainValue } from '../../src/yaml/library.js';
import { runs, sampleOf } from '../support/size.js';
import { canBeRead, jsonOf, partsOf, read } from '../support/yaml/reading.js';
import { outside, unsettled } from '../support/yaml/suite-subset.js';
import { projectTexts, suiteCases, yamlTexts } from '../support/yaml/texts.js';

const cases = suiteCases.filter(({ text }) => canBeRead(text));

test('any text has values or problems, and places that are in it', () => {
  const numRuns = runs(150, 20_000);
  let readings = 0;
  fc.assert(
    fc.property(yamlTexts.filter(canBeRead), (text) => {
      const { documents, problems } = read(text);
      if (documents === null) expect(problems).not.toEqual([]);
      for (const { span } of problems) {
        expect(span.start).toBeGreaterThanOrEqual(0);
        expect(span.start).toBeLessThanOrEqual(text.length);
      }
      if (problems.length === 0) readings += 1;
    }),
    { numRuns },
  );
  // Refusing everything would not prove anything.
  expect(readings).toBeGreaterThan(numRuns / 8);
});

test('the place of a key or a value is where it is written', () => {
  fc.assert(
    fc.property(yamlTexts.filter(canBeRead), (text) => {
      const { documents, problems } = read(text);
      if (problems.length > 0) return;
      for (const { start, end, key, node } of documents?.flatMap((each) => [...partsOf(each)]) ?? []) {
        const written = text.slice(start, end);
        expect(start).toBeLessThan(end);
        expect(end).toBeLessThanOrEqual(text.length);
        if (node?.type === 'list' && node.flow) expect(written).toMatch(/^\[[\s\S]*\]$/);
        if (/^[^\s"'|>]+$/.test(written) && key !== undefined) expect(key).toBe(written);
        const value = node?.type === 'scalar' ? node.value : undefined;
        // Words and numbers stand for themselves, wherever they are; `""` is written, and nothing is not.
        if (typeof value === 'number') expect(plainValue(written.replace(/^["']|["']$/g, ''))).toBe(value);
      }
    }),
    { numRuns: runs(100, 10_000) },
  );
});

const padding = `# ${'x'.repeat(200)}\n`.repeat(1_700);
const shown = suiteCases.filter(({ text }) => canBeRead(text) && !/^[ \t]|^%|^\.\.\./.test(text));

it.each(sampleOf(shown, 12))('far into a large file, case $id is read as in a small one', ({ text }) => {
  const [small, large] = [read(text), read(padding + text)];
  expect(large.documents?.map(jsonOf) ?? null).toEqual(small.documents?.map(jsonOf) ?? null);
  const told = ({ problems }: typeof small, offset: number) =>
    problems.map(({ message, span }) => [message, span.start - offset]);
  expect(told(large, padding.length)).toEqual(told(small, 0));
});

test('all YAML in the files and pages of this project is read or refused, without a crash', () => {
  const texts = projectTexts();
  expect(texts.length).toBeGreaterThan(150);
  for (const { text } of sampleOf(texts, 20)) expect(() => read(text)).not.toThrow();
});

test('what is not YAML by its test suite is refused', () => {
  const wrong = cases.filter(({ fails }) => fails);
  expect(wrong.length).toBeGreaterThan(80);
  const accepted = wrong.flatMap(({ id, text }) => (read(text).problems.length === 0 ? id : []));
  expect(accepted).toEqual([]);
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
