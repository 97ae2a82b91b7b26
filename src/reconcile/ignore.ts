import type { InventoryEntry } from '../model/inventory.js';
import { byCodeUnit, canonical, isJsonObject, type Json, type JsonObject } from '../model/json.js';
import type { IgnoredProperties } from '../model/plan.js';
import type { Address, Declared, Desired } from '../model/resource.js';
import { escapedValue, unescapedValue, usesEnvironment } from '../model/template.js';
import type { ResourceDiff } from './world.js';

/** A property that somebody else manages, or a part of it (`ignore:` of an entry). */
export interface IgnoredPart {
  /** As the manifest writes it: `inputs.token`. */
  readonly path: string;
  readonly field: string;
  /** `token`; null for the whole property. */
  readonly part: string | null;
}

/** What a set holds besides the declared elements. */
export const EXTRA = 'extra';

const nothing: readonly IgnoredPart[] = [];

export function ignoredParts(entry: Declared | null): readonly IgnoredPart[] {
  if (entry?.ignore === undefined) return nothing;
  return [...new Set(entry.ignore)].map((path) => {
    const at = path.indexOf('.');
    return at === -1
      ? { path, field: path, part: null }
      : { path, field: path.slice(0, at), part: path.slice(at + 1) };
  });
}

/** A map without the parts that somebody else manages; any other value as it is. */
export function withoutIgnored(entry: Declared | null, field: string, value: Json): Json {
  if (entry?.ignore === undefined) return value;
  const parts = ignoredParts(entry).filter((each) => each.field === field && each.part !== null);
  if (parts.length === 0 || !isJsonObject(value)) return value;
  const names = new Set(parts.map(({ part }) => part));
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

/**
 * What the entry itself manages of a value that it declares, that was applied, or that the service holds: of a set whose
 * other elements somebody else manages, only the declared ones.
 */
export function ownPart(entry: Desired | null, field: string, value: Json): Json {
  if (entry?.ignore?.includes(`${field}.${EXTRA}`) !== true || !Array.isArray(value))
    return withoutIgnored(entry, field, value);
  const declared = entry.own?.[field] ?? (entry.spec as Readonly<Record<string, Json>>)[field];
  if (!Array.isArray(declared)) return value;
  const own = new Set(declared.map((each) => canonical(each as Json)));
  return value.filter((each) => own.has(canonical(each as Json))) as Json;
}

type Record_ = Pick<InventoryEntry, 'applied' | 'sensitive'>;

/** What was applied, without what somebody else manages now: that is not compared with anything. */
export function comparableRecord<R extends Record_>(entry: Declared, record: R): R {
  if (entry.ignore === undefined) return record;
  const applied: Record<string, Json> = { ...record.applied };
  let { sensitive } = record;
  for (const { field, part } of ignoredParts(entry)) {
    const value = applied[field];
    if (value === undefined) continue;
    if (part === null) delete applied[field];
    else applied[field] = withoutIgnored(entry, field, value);
    const rest = applied[field];
    if (!sensitive.includes(field) || (rest !== undefined && usesEnvironment(rest))) continue;
    sensitive = sensitive.filter((each) => each !== field);
    if (rest !== undefined) applied[field] = unescapedValue(rest);
  }
  return { ...record, applied, sensitive };
}

/**
 * The record of an entry with ignored properties: what others have set is not recorded. Where an apply has put values
 * from the environment, it still says so, so that nothing shows them.
 */
export function recordWithIgnored<R extends Record_>(entry: Declared, record: R, last: Record_ | null): R {
  if (entry.ignore === undefined) return record;
  const own = comparableRecord(entry, record);
  const applied: Record<string, Json> = { ...own.applied };
  const sensitive = new Set(own.sensitive);
  for (const { field, part } of ignoredParts(entry)) {
    const { applied: former, sensitive: wasSensitive } = last ?? record;
    if (!wasSensitive.includes(field)) continue;
    const template = former[field];
    const kept = part === null ? template : partOf(template, part);
    if (template !== undefined && !usesEnvironment(kept)) continue;
    if (part === null || !isJsonObject(template)) {
      if (template === undefined) delete applied[field];
      else applied[field] = template;
    } else applied[field] = withPart(applied[field], sensitive.has(field), part, kept ?? null);
    sensitive.add(field);
  }
  return { ...own, applied, sensitive: [...sensitive] };
}

function partOf(template: Json | undefined, part: string): Json | undefined {
  return isJsonObject(template) ? (template[part] as Json | undefined) : undefined;
}

function withPart(rest: Json | undefined, isTemplate: boolean, part: string, kept: Json): JsonObject {
  const others = isJsonObject(rest) ? rest : {};
  return { ...((isTemplate ? others : escapedValue(others)) as JsonObject), [part]: kept };
}

/** What the entries of a plan ignore, and how much of it differs. */
export function ignoredOf(diffs: readonly ResourceDiff[]): IgnoredProperties | null {
  const ignoring = diffs.filter(({ match }) => match.entry?.ignore !== undefined);
  if (ignoring.length === 0) return null;
  const properties: Record<Address, readonly string[]> = {};
  const differing: Address[] = [];
  let differences = 0;
  for (const { match } of ignoring) {
    const paths = ignoredParts(match.entry).map(({ path }) => path);
    properties[match.address] = paths.sort(byCodeUnit);
    const differ = match.ignoredDifferences?.length ?? 0;
    differences += differ;
    if (differ > 0) differing.push(match.address);
  }
  return { properties, differences, differing: differing.sort(byCodeUnit) };
}
