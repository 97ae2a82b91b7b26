import {
  canonical,
  equal,
  inexactNumberIn,
  isJsonObject,
  type Json,
  type JsonObject,
} from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { Address, Declared, FieldRule, Names, Observed } from '../model/resource.js';
import { escaped, writtenValue } from '../model/template.js';
import type { EditableFile, ListItems, PropertyChange, PropertyChanges } from '../yaml/edit.js';
import { isObstacle, type Obstacle, type TextEdit, type YamlValue } from '../yaml/editable.js';
import { yamlValue } from './yaml-value.js';

/** A declared entry whose object differs from it. */
export interface Differing {
  readonly address: Address;
  readonly kind: Kind;
  readonly entry: Declared & { readonly spec: unknown };
  readonly observed: Observed;
  /** The fields that differ. */
  readonly fields: readonly string[];
}

/** What stands between a value and the file. */
export interface Unwritten extends Omit<Obstacle, 'obstacle'> {
  /** `number`: one that a manifest cannot hold. */
  readonly obstacle: Obstacle['obstacle'] | 'number';
  readonly field: string;
}

export interface EntryEdits {
  readonly edits: readonly TextEdit[];
  readonly written: readonly string[];
  readonly unwritten: readonly Unwritten[];
}

/** How values are named in manifests. */
export interface Wording {
  readonly names: Names;
  /** The id of the agent that a text names; undefined when it names none. */
  agentId(text: string): string | undefined;
}

/** The edits that write the remote values of one entry into its file. A value with an obstacle keeps no other from being written. */
export function entryEdits(file: EditableFile, differing: Differing, wording: Wording): EntryEdits {
  const path = [differing.kind.section, differing.entry.key];
  const changes = changesOf(differing, wording);
  const unwritten: Unwritten[] = [];
  const possible = new Map<string, PropertyChange>();
  for (const [field, change] of changes) {
    const parts = change.to === 'map' ? [...change.changes] : [];
    const blocked = parts.filter(([name, each]) => {
      const single = new Map([[field, { ...change, changes: new Map([[name, each]]) } as PropertyChange]]);
      const made = file.edit(path, single);
      return note(made, `${field}.${name}`, unwritten, isUnheld(differing, field, name));
    });
    const left = new Map(parts.filter((each) => !blocked.includes(each)));
    const rest: PropertyChange = change.to === 'map' ? { ...change, changes: left } : change;
    if (
      change.to === 'map'
        ? left.size > 0
        : !note(file.edit(path, new Map([[field, change]])), field, unwritten, isUnheld(differing, field))
    )
      possible.set(field, rest);
  }
  const made = file.edit(path, possible);
  if (possible.size === 0) return { edits: [], written: [], unwritten };
  if (isObstacle(made))
    return {
      edits: [],
      written: [],
      unwritten: [...unwritten, { ...made, field: [...possible.keys()][0] ?? '' }],
    };
  return { edits: made, written: [...possible.keys()], unwritten };
}

function note(
  edited: ReturnType<EditableFile['edit']>,
  field: string,
  unwritten: Unwritten[],
  isUnheld: boolean,
): boolean {
  if (isObstacle(edited)) unwritten.push({ ...edited, field });
  else if (isUnheld) {
    const { start = 0, end = 0 } = edited[0] ?? {};
    unwritten.push({ obstacle: 'number', start, end, field });
  } else return false;
  return true;
}

function isUnheld({ observed }: Differing, field: string, name?: string): boolean {
  const value = (observed.spec as JsonObject | null)?.[field] ?? null;
  if (name === undefined || !isJsonObject(value)) return inexactNumberIn(value) !== null;
  return inexactNumberIn(Object.hasOwn(value, name) ? (value[name] ?? null) : null) !== null;
}

function changesOf({ kind, entry, observed, fields }: Differing, wording: Wording): PropertyChanges {
  const rules: Readonly<Record<string, FieldRule<never>>> = kind.fields;
  const [before, after] = [entry.spec, observed.spec] as (JsonObject | null)[];
  return new Map(
    fields.flatMap((field) => {
      const rule = rules[field];
      if (rule === undefined || before == null || after == null) return [];
      const values = { before: before[field] ?? null, after: after[field] ?? null };
      const removal = entry.ignore?.includes(`${field}.extra`) ? removalOf(values, wording) : null;
      return [[field, removal ?? changeOf(rule, values, wording)] as const];
    }),
  );
}

interface ValueChange {
  readonly before: Json;
  readonly after: Json;
}

/** What somebody else adds is not written: the remote list holds all of it, so elements can only be missing. */
function removalOf({ before, after }: ValueChange, wording: Wording): PropertyChange | null {
  if (!isList(before) || !isList(after)) return null;
  const isGone = (text: unknown) => {
    const value = typeof text === 'string' ? namedValue(text, before, wording) : undefined;
    return value !== undefined && !after.includes(value);
  };
  return {
    to: 'items',
    items: (existing) => existing.flatMap((text, index) => (isGone(text) ? [] : [index])),
  };
}

function changeOf(rule: FieldRule<never>, { before, after }: ValueChange, wording: Wording): PropertyChange {
  const show = (value: Json) => rule.show(value as never, wording.names);
  const shown = show(after);
  if (shown === null) return { to: 'nothing' };
  if (isList(before) && isList(after) && Array.isArray(shown) && shown.length > 0 && before.length > 0)
    return {
      to: 'items',
      items: (existing) => itemsOf(existing, { before, after }, { rule, show, wording }),
    };
  if (rule.layout === 'map' && isJsonObject(before) && isJsonObject(shown)) return mapChange(before, shown);
  return { to: 'value', value: heldValue(withEndOf(before, shown, rule)) };
}

/** The line break at the end of a declared text stays where it has no meaning: most blocks end in one. */
function withEndOf(before: Json, shown: Json, { canonical: canonicalOf }: FieldRule<never>): Json {
  if (typeof before !== 'string' || typeof shown !== 'string' || shown.trim() === '') return shown;
  const end = /(?<!\n)\n*$/;
  const text = shown.replace(end, end.exec(before)?.[0] ?? '');
  const meaning = (each: string) => canonical(canonicalOf(each as never));
  return meaning(text) === meaning(shown) ? text : shown;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function mapChange(before: JsonObject, after: JsonObject): PropertyChange {
  const changes = new Map<string, PropertyChange>();
  for (const name of Object.keys(before))
    if (!Object.hasOwn(after, name)) changes.set(escaped(name), { to: 'nothing' });
  for (const [name, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    if (old !== undefined && equal(old, value)) continue;
    const isInner = isJsonObject(old) && isJsonObject(value) && Object.keys(value).length > 0;
    changes.set(escaped(name), isInner ? mapChange(old, value) : { to: 'value', value: heldValue(value) });
  }
  const held = Object.entries(after).filter(([, value]) => inexactNumberIn(value) === null);
  return { to: 'map', changes, value: heldValue(Object.fromEntries(held)) };
}

/** In place of what a manifest cannot hold, and what is therefore not written, a null. */
function heldValue(value: Json): YamlValue {
  return inexactNumberIn(value) === null ? yamlValue(writtenValue(value)) : null;
}

interface ItemContext {
  readonly rule: FieldRule<never>;
  readonly show: (value: Json) => Json;
  readonly wording: Wording;
}

/** Which items of a list stay, and which are new. Null when it is not clear what an item stands for. */
function itemsOf(
  existing: readonly unknown[],
  { before, after }: { readonly before: readonly Json[]; readonly after: readonly Json[] },
  { rule, show, wording }: ItemContext,
): ListItems | null {
  const known = existing.map((text) =>
    typeof text === 'string' ? namedValue(text, before, wording) : undefined,
  );
  const unknown = known.filter((each) => each === undefined).length;
  const rest = before.filter((each) => !known.includes(each));
  if (unknown !== rest.length || unknown > 1) return null;
  const values = known.map((each) => each ?? rest[0]);
  const textOf = (value: Json) => escaped(String([show([value])].flat()[0] ?? ''));
  const added = after.filter((each) => !values.includes(each));
  if (rule.layout !== 'sequence')
    return [
      ...values.flatMap((each, index) => (each !== undefined && after.includes(each) ? [index] : [])),
      ...added.map(textOf).sort(),
    ];
  return after.map((each) => (values.includes(each) ? values.indexOf(each) : textOf(each)));
}

function namedValue(text: string, before: readonly Json[], { agentId }: Wording): Json | undefined {
  if (before.includes(text)) return text;
  const id = agentId(text);
  return id !== undefined && before.includes(id) ? id : undefined;
}
