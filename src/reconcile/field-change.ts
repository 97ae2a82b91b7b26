import { isEmptyObject, isJsonObject, type Json } from '../model/json.js';
import type { PlannedRequest } from '../model/kind.js';
import type { FieldChange, Origin } from '../model/plan.js';
import type { Names, Observed } from '../model/resource.js';
import { escapedValue } from '../model/template.js';
import { rawValue, ruleOf } from './fields.js';
import { withoutIgnored } from './ignore.js';
import { concealed, declaresApplied, holdsApplied, secretPlaces } from './secret-values.js';
import type { Match } from './world.js';

/** Where a new key is delivered is part of what is reviewed: it must not change unseen. */
export function deliveryFields(requests: readonly PlannedRequest[]): FieldChange[] {
  const delivery = requests.find((planned) => planned.delivery !== undefined)?.delivery;
  if (delivery === undefined) return [];
  const shared = {
    before: null,
    sensitive: false,
    layout: 'whole',
    origin: 'manifest',
    source: null,
  } as const;
  return [{ path: 'deliver', after: delivery.to as Json, ...shared }];
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
  const places = secretPlaces(match, field);
  // A create sets what others manage from then on, and shows it.
  const entry = before === null ? null : match.entry;
  const own = (value: unknown) => withoutIgnored(entry, field, value as Json);
  const show = (value: unknown): Json => rule.show(own(value), names);
  const values =
    places === undefined
      ? {
          before: before === null ? null : show(rawValue(before, field)),
          after: after === null ? null : show(rawValue(after, field)),
        }
      : {
          before: before === null ? null : show(concealed(rawValue(before, field) as Json, places)),
          after: after === null ? null : (places.declared ?? escapedValue(show(rawValue(after, field)))),
        };
  const source = before === null || after === null ? null : (match.entry?.placeOf([field]) ?? null);
  return { path: field, ...values, sensitive: places !== undefined, layout: rule.layout, origin, source };
}

/** An empty field, which is not shown for new and deleted objects: no text, no inputs, another type of timing. */
export function isBlank(value: Json): boolean {
  return value === null || value === '' || (isJsonObject(value) && isEmptyObject(value));
}

/** What changed since the last apply. The manifest, where it is not known what was applied. */
export function fieldOrigin(match: Match, field: string, observed: Observed): Origin {
  const applied = match.record?.applied[field];
  // The entry was bound to another object in the manifest. Neither object was changed.
  const rebound = match.rule === 'id' && match.known?.id !== observed.id;
  if (applied === undefined || rebound) return 'manifest';
  if (holdsApplied(match, field)) return 'manifest';
  return declaresApplied(match, field) ? 'remote' : 'both';
}

export function overallOrigin(fields: readonly FieldChange[]): Origin | null {
  if (fields.length === 0) return null;
  const origins = new Set(fields.map((field) => field.origin));
  if (origins.size > 1) return 'both';
  return [...origins][0] ?? null;
}
