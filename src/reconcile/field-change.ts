import { canonical, type Json } from '../model/json.js';
import type { PlannedRequest } from '../model/kind.js';
import type { FieldChange, Origin } from '../model/plan.js';
import type { Desired, Names, Observed } from '../model/resource.js';
import { fieldValue, rawValue, ruleOf } from './fields.js';
import type { Match } from './match/match.js';

/** Where a new key is delivered is part of what is reviewed: it must not change unseen. */
export function deliveryFields(entry: Desired, requests: readonly PlannedRequest[]): FieldChange[] {
  const delivery = requests.find((planned) => planned.delivery !== undefined)?.delivery;
  if (delivery === undefined) return [];
  const path = 'deliver';
  const sensitive = entry.sensitive.includes(path);
  const after = sensitive ? null : (delivery.to as Json);
  return [{ path, before: null, after, sensitive, layout: 'value', origin: 'manifest', source: null }];
}

interface FieldSides {
  /** Specs; null where there is no object. */
  readonly before: unknown;
  readonly after: unknown;
  readonly origin: Origin;
  readonly names: Names;
}

export function fieldChange(
  match: Match,
  field: string,
  { before, after, origin, names }: FieldSides,
): FieldChange {
  const rule = ruleOf(match.kind, field);
  const show = (spec: unknown): Json => (spec === null ? null : rule.show(rawValue(spec, field), names));
  const sensitive = isSensitive(match, field);
  const values = sensitive ? { before: null, after: null } : { before: show(before), after: show(after) };
  const source = before === null || after === null ? null : (match.entry?.placeOf([field]) ?? null);
  return { path: field, ...values, sensitive, layout: rule.layout, origin, source };
}

/** An empty field, which is not shown for new and deleted objects: no text, no inputs, another type of timing. */
export function isBlank(value: Json): boolean {
  return value === null || value === '' || canonical(value) === '{}';
}

/** A value that comes from the environment, or did at the last apply or in the snapshot, is never shown. */
export function isSensitive({ kind, entry, known, observed }: Match, field: string): boolean {
  // The inventory may come from a pull request, which must not hide what is deleted.
  const recorded = entry === null && kind.identity.fields.includes(field) ? [] : known?.sensitive;
  const lists = [entry?.sensitive, recorded, observed?.withheld];
  return lists.some((list) => list?.includes(field) === true);
}

/** What changed since the last apply. The manifest, where it is not known what was applied. */
export function fieldOrigin(match: Match, field: string, entry: Desired, observed: Observed): Origin {
  const applied = match.known?.applied[field];
  // The entry was bound to another object in the manifest. Neither object was changed.
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
