import { type Fields, isFields } from './body.js';
import type { Check } from './checks.js';
import { JsonFileError } from './json-file.js';

/** Checks the properties of a JSON file and their types. All throw JsonFileError. */

export interface Shape {
  readonly required: Readonly<Record<string, Check>>;
  readonly optional: Readonly<Record<string, Check>>;
}

/** The top level of a file. */
export function checkObject(value: unknown, parts: readonly string[]): asserts value is Fields {
  if (!isFields(value))
    throw new JsonFileError(
      'the top level',
      'is not a JSON object',
      `Use an object with any of ${listed(parts)}.`,
    );
  checkKnown('the top level', value, parts);
}

/** An array of entries of one shape. */
export function checkSection(name: string, entries: unknown, shape: Shape): void {
  if (entries === undefined) return;
  if (!Array.isArray(entries)) throw new JsonFileError(name, 'is not an array', `Write "${name}": [ … ].`);
  entries.forEach((entry: unknown, index) => {
    checkEntry(`${name}[${index}]`, entry, shape);
  });
}

export function checkEntry(where: string, entry: unknown, { required, optional }: Shape): void {
  const known = { ...required, ...optional };
  if (!isFields(entry)) {
    throw new JsonFileError(
      where,
      'is not an object',
      `Use an object with ${listed(Object.keys(required))}.`,
    );
  }
  checkKnown(where, entry, Object.keys(known));
  const missing = Object.keys(required).find((key) => entry[key] === undefined);
  if (missing) throw new JsonFileError(where, `has no "${missing}"`, 'Add it.');
  for (const [key, check] of Object.entries(known)) {
    if (entry[key] !== undefined) checkField(`${where}.${key}`, entry[key], check);
  }
}

export function checkField(where: string, value: unknown, check: Check): void {
  if (!check.holds(value)) throw new JsonFileError(where, `is not ${check.name}`, `Use ${check.name}.`);
}

function checkKnown(where: string, entry: Fields, known: readonly string[]): void {
  const unknown = Object.keys(entry).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new JsonFileError(where, `has an unknown property "${unknown}"`, `Properties: ${listed(known)}.`);
}

export function listed(names: readonly string[]): string {
  return names.join(', ');
}
