import { canonical, type Json } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { FieldRule } from '../model/resource.js';

export function fieldValue(kind: Kind, spec: unknown, field: string): Json {
  return ruleOf(kind, field).canonical(rawValue(spec, field));
}

/** The canonical form of every field as text, to compare one spec with many. Null where the content is unknown. */
export function fieldTexts(kind: Kind, spec: unknown): readonly string[] | null {
  if (spec === null) return null;
  return Object.keys(kind.fields).map((field) => canonical(fieldValue(kind, spec, field)));
}

export function ruleOf(kind: Kind, field: string): FieldRule<unknown> {
  const rule = (kind.fields as Readonly<Record<string, FieldRule<unknown>>>)[field];
  if (rule === undefined) throw new Error(`${kind.name} has no field ${field}`);
  return rule;
}

export function rawValue(spec: unknown, field: string): unknown {
  return (spec as Readonly<Record<string, unknown>>)[field];
}

/** What an object is to be called. Null for kinds without names. */
export function nameOf(kind: Kind, spec: unknown): string | null {
  const name = 'name' in kind.fields ? rawValue(spec, 'name') : null;
  return typeof name === 'string' ? name : null;
}
