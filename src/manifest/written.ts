import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import type { Address } from '../model/resource.js';
import { writtenTemplate, writtenValue } from '../model/template.js';
import { naturalOrder } from '../model/words.js';
import { propertyNames, settingNames } from './generated/validators.js';
import type { EntryRead } from './kind-reader.js';

/**
 * A project as it is understood, in the form of a manifest: entries are repeated, variables replaced, defaults and
 * environment applied. `${env.NAME}` stays as it is written.
 */
export interface WrittenProject {
  readonly settings: JsonObject;
  readonly entries: readonly WrittenEntry[];
}

export interface WrittenEntry {
  readonly address: Address;
  readonly section: string;
  readonly key: string;
  readonly properties: JsonObject;
}

/** `settings` are those in effect. The names of environments stay, because inventories and entries of others have them. */
export function writtenProject(
  settings: JsonObject,
  environments: ReadonlySet<string>,
  list: readonly EntryRead[],
): WrittenProject {
  const names = Object.fromEntries([...environments].map((name) => [name, {}]));
  // The entries of all files are in one.
  const { include: _, ...own } = settings;
  const all = environments.size > 0 ? { ...own, environments: names } : own;
  const entries = list.map(writtenEntry).sort((a, b) => naturalOrder(a.key, b.key));
  return { settings: inOrder(writtenValue(all), settingNames), entries };
}

function writtenEntry({ kind, declared, written }: EntryRead): WrittenEntry {
  const { address, key, templates } = declared;
  // It exists here.
  const { environments: _, ...own } = written;
  const properties = { ...(writtenValue(own) as JsonObject), ...(writtenTemplate(templates) as JsonObject) };
  const { section } = kind;
  return { address, section, key, properties: inOrder(properties, propertyNames[section] ?? []) };
}

function inOrder(value: Json, names: readonly string[]): JsonObject {
  const entries = isJsonObject(value) ? new Map(Object.entries(value)) : new Map<string, Json>();
  return Object.fromEntries([...entries].sort(([a], [b]) => names.indexOf(a) - names.indexOf(b)));
}
