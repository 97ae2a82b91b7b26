import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The sandbox must be able to disagree with the client, so it has types of its own. */
const exempt = /^sandbox\/|\/generated\//;

const source = join(import.meta.dirname, '../../src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !exempt.test(path))
  .sort();

/** The types that a file declares, exported or not. */
function typesIn(path: string): string[] {
  const declaration =
    /^ *(?:export |declare |abstract )*(?:(?:interface|class|enum) |type (?=\w+(?:<.*>)? =))(\w+)/gm;
  return [...readFileSync(join(source, path), 'utf8').matchAll(declaration)].flatMap(
    (match) => match[1] ?? [],
  );
}

test('no two types in src have the same name', () => {
  const places = new Map<string, string[]>();
  for (const path of files) {
    for (const name of typesIn(path)) places.set(name, [...(places.get(name) ?? []), path]);
  }
  expect([...places].filter(([, paths]) => paths.length > 1)).toEqual([]);
});
