import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Lexer } from 'yaml';
import { yamlRules } from '../../src/manifest/reading.js';
import { yamlLimits } from '../../src/yaml/limits.js';
import { readPlain } from '../../src/yaml/plain.js';
import { readByLibrary } from '../../src/yaml/read.js';
import { Source } from '../../src/yaml/source.js';
import { runs } from '../support/size.js';
import { plainTexts } from '../support/yaml/plain-texts.js';
import { canBeRead } from '../support/yaml/reading.js';
import { projectTexts, suiteCases, yamlTexts } from '../support/yaml/texts.js';

const noUsage = () => ({ values: 0, collections: 0, expanded: 0 });

/** Whether the text is read without the library. If so, both must make the same tree, with the same places, and count alike. */
function isReadAlike(text: string): boolean {
  const source = new Source('f.yaml', text, 1);
  const usage = noUsage();
  const plain = readPlain(source, yamlRules, usage);
  const used = noUsage();
  if (plain === null) expect(usage).toEqual(used);
  else {
    const read = readByLibrary(source, { rules: yamlRules, suggest: () => null, usage: used });
    expect(read).toEqual({ documents: [plain], problems: [], omitted: 0 });
    expect(usage).toEqual(used);
  }
  return plain !== null;
}

test('texts that are plain or nearly so are read as the library reads them', () => {
  const numRuns = runs(400, 100_000);
  let plain = 0;
  fc.assert(
    fc.property(plainTexts.filter(canBeRead), (text) => {
      if (isReadAlike(text)) plain += 1;
    }),
    { numRuns },
  );
  // To leave all of them to the library would prove nothing.
  expect(plain).toBeGreaterThan(numRuns / 5);
});

test('any other YAML is read as the library reads it', () => {
  fc.assert(
    fc.property(yamlTexts.filter(canBeRead), (text) => {
      isReadAlike(text);
    }),
    { numRuns: runs(100, 20_000) },
  );
});

test('the files and pages of this project, and the YAML test suite, are read as the library reads them', () => {
  const isPlain = (text: string) => canBeRead(text) && isReadAlike(text);
  expect(suiteCases.filter(({ text }) => isPlain(text)).length).toBeGreaterThan(5);
  const shown = projectTexts().filter(({ name }) => /^(?:docs|examples)\//.test(name));
  expect(shown.filter(({ text }) => isPlain(text)).length).toBeGreaterThan(shown.length * 0.8);
});

test('a comma after the last value is plain, and none may follow another', () => {
  const plain = ['a: [b,]\n', 'a: [ b , ]\n', 'a: { b: c, }\n', 'a: [[b,], { c: [], },]\n'];
  expect(plain.map(isReadAlike)).toEqual(plain.map(() => true));
  const wrong = ['a: [,]\n', 'a: [b,,]\n', 'a: { , }\n', 'a: { b: c,, }\n', 'a: [b,}\n'];
  expect(wrong.map((text) => readPlain(new Source('f.yaml', text, 1), yamlRules, noUsage()))).toEqual(
    wrong.map(() => null),
  );
});

test('a file that the library refuses because of its size is left to the library', () => {
  const large = [
    `a:\n${' - b \n'.repeat(45_000)}`,
    `a:\n${' - b # c\n'.repeat(40_000)}`,
    `a: [${'b , '.repeat(65_000)}b]\n`,
    `a:\n${` - [${'b , '.repeat(20)}b ] # c\n`.repeat(2_900)}`,
    Array.from({ length: 40_000 }, (_, index) => `k${index}: b \n`).join(''),
    `a: ${'['.repeat(65)}${']'.repeat(65)}\n`,
    `a: ${'b'.repeat(65_537)}\n`,
    ...units.map(barelyTooLarge),
  ];
  expect(large.map(isReadAlike)).toEqual(large.map(() => false));
});

/** What files may repeat, at each number. */
const units: readonly ((index: number) => string)[] = [
  (index) => `k${index}: b\n`,
  (index) => `k${index}:\n  c:\n    - b\n    -\n      - [b]\n`,
  (index) => `k${index}:   { c: [b, 'd',],d: "e" , }  # f\n`,
  (index) => `k${index}: [ ]\n\n  # g\n`,
];

/** The shortest text of these units that has more tokens than the library is given. */
function barelyTooLarge(unit: (index: number) => string): string {
  let text = '';
  for (let index = 0, left = yamlLimits.tokens; left >= 0; index++) {
    const added = unit(index);
    left -= tokensIn(added);
    text += added;
  }
  return text;
}

/** Without the one that begins a document. */
function tokensIn(text: string): number {
  const pieces = [...new Lexer().lex(text)];
  return pieces.reduce((sum, piece) => sum + (/^[[{]/.test(piece) ? 3 : 1), -1);
}
