import { type Fields, isFields } from './body.js';
import type { Check } from './checks.js';
import { checkAll, JsonFileError, TOP_LEVEL } from './json-file.js';

/** Checks the properties of a JSON file and their types. All throw JsonFileError. */

export interface Shape {
  readonly required: Readonly<Record<string, Check>>;
  readonly optional: Readonly<Record<string, Check>>;
}

/** The top level of a file. */
export function checkObject(value: unknown, parts: readonly string[]): asserts value is Fields {
  if (!isFields(value))
    throw new JsonFileError(TOP_LEVEL, 'is not a JSON object', `Use an object with any of ${listed(parts)}.`);
  checkKnown(TOP_LEVEL, value, parts);
}

/** An array of entries of one shape. */
export function checkSection(name: string, entries: unknown, shape: Shape): void {
  if (entries === undefined) return;
  if (!Array.isArray(entries)) throw new JsonFileError(name, 'is not an array', `Write "${name}": [ … ].`);
  checkAll(entries.entries(), ([index, entry]: [number, unknown]) => {
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
  const missing = (key: string) => {
    if (entry[key] === undefined) throw new JsonFileError(where, `has no "${key}"`, 'Add it.');
  };
  checkTogether(
    () => checkKnown(where, entry, Object.keys(known)),
    () => checkAll(Object.keys(required), missing),
    () =>
      checkAll(Object.entries(known), ([key, check]) => {
        if (entry[key] !== undefined) checkField(`${where}.${key}`, entry[key], check);
      }),
  );
}

/** All of what they find is thrown as one. */
export function checkTogether(...checks: readonly (() => void)[]): void {
  checkAll(checks, (check) => check());
}

export function checkField(where: string, value: unknown, check: Check): void {
  if (!check.holds(value)) throw new JsonFileError(where, `is not ${check.name}`, `Use ${check.name}.`);
}

function checkKnown(where: string, entry: Fields, known: readonly string[]): void {
  const unknown = Object.keys(entry).filter((key) => !known.includes(key));
  checkAll(unknown, (key) => {
    throw new JsonFileError(where, `has an unknown property "${key}"`, `Properties: ${listed(known)}.`, {
      key,
    });
  });
}

export function listed(names: readonly string[]): string {
  return names.join(', ');
}
