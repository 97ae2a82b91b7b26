import { canonical, type Json } from '../model/json.js';
import type { Planned } from '../model/kind.js';
import type { FieldChange, Origin } from '../model/plan.js';
import type { Desired, Names, Observed } from '../model/resource.js';
import { fieldValue, rawValue, ruleOf } from './fields.js';
import type { Match } from './match.js';

/** Where a new key goes is part of what is reviewed: it must not be changed unseen. */
export function deliveryFields(entry: Desired, requests: readonly Planned[]): FieldChange[] {
  const delivery = requests.find((planned) => planned.delivery !== undefined)?.delivery;
  if (delivery === undefined) return [];
  const sensitive = entry.sensitive.includes('deliver');
  const after = sensitive ? null : (delivery.to as Json);
  return [
    { path: 'deliver', before: null, after, sensitive, layout: 'value', origin: 'manifest', source: null },
  ];
}

/** `before` and `after` are specs; null where there is no object yet, or none any more. */
export function fieldChange(
  match: Match,
  field: string,
  before: unknown,
  after: unknown,
  origin: Origin,
  names: Names,
): FieldChange {
  const rule = ruleOf(match.kind, field);
  const shown = (spec: unknown): Json => (spec === null ? null : rule.show(rawValue(spec, field), names));
  const sensitive = isSensitive(match, field);
  const values = sensitive ? { before: null, after: null } : { before: shown(before), after: shown(after) };
  const source = before === null || after === null ? null : (match.entry?.placeOf([field]) ?? null);
  return { path: field, ...values, sensitive, layout: rule.layout, origin, source };
}

/** A field that says nothing, in an object that is new or goes: no text, no inputs, a timing of another sort. */
export function isBlank(value: Json): boolean {
  return value === null || value === '' || canonical(value) === '{}';
}

/** What came from the environment now, or did when it was applied last or a snapshot was taken, is shown nowhere. */
export function isSensitive({ entry, known, observed }: Match, field: string): boolean {
  const lists = [entry?.sensitive, known?.sensitive, observed?.withheld];
  return lists.some((list) => list?.includes(field) === true);
}

/** Who moved since the last apply: the manifest, where what was applied is not known. */
export function fieldOrigin(match: Match, field: string, entry: Desired, observed: Observed): Origin {
  const applied = match.known?.applied[field];
  // An entry that is bound to another object was changed in the manifest, and nobody has touched either object.
  const rebound = match.rule === 'id' && match.known?.id !== observed.id;
  if (applied === undefined || rebound) return 'manifest';
  const same = (spec: unknown) => canonical(fieldValue(match.kind, spec, field)) === canonical(applied);
  if (same(observed.spec)) return 'manifest';
  return same(entry.spec) ? 'remote' : 'both';
}

export function overallOrigin(fields: readonly FieldChange[]): Origin | null {
  const origins = new Set(fields.map((field) => field.origin));
  if (origins.size > 1) return 'both';
  return [...origins][0] ?? null;
}
