import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';

const source = join(import.meta.dirname, '../../../src');
/** Where a kind may be named: the kinds, the service's own words, and the files that `init` writes. */
const exempt = /^(kinds|sandbox|service\/operations|init)\/|\/generated\//;

/** What a text shares with a kind's name by chance: which part of a property is meant, and what a risk is about. */
const otherMeanings: Readonly<Record<string, readonly string[]>> = {
  key: [
    'manifest/conversion.ts',
    'manifest/entries.ts',
    'manifest/schema.ts',
    'manifest/schema-words.ts',
    'model/resource.ts',
    'model/risk.ts',
    'service/answer.ts',
  ],
  schedule: ['model/risk.ts', 'view/calendar/calendar-text.ts'],
};

test('no module outside kinds names a kind', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !exempt.test(path),
  );
  const named = files.flatMap((path) => {
    const text = readFileSync(join(source, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '');
    return kinds
      .flatMap(({ name, section }) => [name, section])
      .filter((word) => new RegExp(`['"\`]${word}(['"\`]|/['"\`])`).test(text))
      .filter((word) => otherMeanings[word]?.includes(path) !== true)
      .map((word) => `${path}: ${word}`);
  });
  expect(named).toEqual([]);
});
