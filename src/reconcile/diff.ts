import { isLasting } from '../model/hold.js';
import { equal, isEmptyObject, isJsonObject, type Json } from '../model/json.js';
import {
  type ExistingObject,
  isExpired,
  nameOf,
  type PlannedRequest,
  rawValue,
  ruleOf,
} from '../model/kind.js';
import type { Action, Difference, FieldChange, Origin } from '../model/plan.js';
import { type Delivery, type Desired, type Names, type Observed, shownPath } from '../model/resource.js';
import { escapedValue } from '../model/template.js';
import { type IgnoredPart, ignoredParts, withoutIgnored } from './ignore.js';
import { concealed, declaresApplied, holdsApplied, isUnchanged, secretPlaces } from './secret-values.js';
import { isOwnedElsewhere, type Match, type PlanBasis, type ResourceDiff } from './world.js';

/** What happens to one resource. Null for an object that does not belong to this project, and for one of an entry with an error. */
export function diff(match: Match, basis: PlanBasis, names: Names): ResourceDiff | null {
  if (match.broken !== undefined) return null;
  const found = bareDiff(match, basis, names);
  if (found === null) return null;
  const { change, requests, reason } = withDelivery(withRecorded(found));
  return { match, change, requests: markSecrets(match, requests), reason };
}

/** Whether the change ends the access of the API key that roster uses. */
export function revokesCaller({ match: { kind, observed }, change: { action } }: ResourceDiff): boolean {
  if (action !== 'create' && action !== 'replace' && action !== 'delete') return false;
  return kind.revokesCaller?.(action, action === 'create' ? null : observed) ?? false;
}

function markSecrets({ entry, kind }: Match, requests: readonly PlannedRequest[]): readonly PlannedRequest[] {
  if (entry === null) return requests;
  const isSecret = ({ field }: IgnoredPart) => ruleOf(kind, field).mayHoldSecrets === true;
  // What others have put into ignored properties is sent back to the service.
  const mayHoldSecrets = Object.keys(entry.templates).length > 0 || ignoredParts(entry).some(isSecret);
  if (!mayHoldSecrets) return requests;
  return requests.map((each) =>
    each.request.body === undefined ? each : { ...each, request: { ...each.request, holdsSecrets: true } },
  );
}

/** Without what the inventory alone holds, and the delivery of a key that was kept. */
function bareDiff(match: Match, basis: PlanBasis, names: Names): ResourceDiff | null {
  const { kind, entry, observed } = match;
  if (entry === null) return diffUndeclared(match, basis, names);
  if (isExpired(kind, entry.declared, basis.now)) return leaveExpired(match);
  // Nothing is created in place of an object that the entry is bound to.
  if (observed === null) return entry.id === null ? create(match, entry, names) : null;
  return compareFields(match, entry, observed, { now: basis.now, names });
}

function leaveExpired(match: Match): ResourceDiff {
  if (match.observed === null) return resourceDiff(match, 'none', {});
  return resourceDiff(match, noCall(match), { adopted: isAdopted(match) });
}

function create(match: Match, entry: Desired, names: Names): ResourceDiff {
  const { kind, known } = match;
  // It is in the inventory and does not exist: somebody else deleted it.
  const origin: Origin = known === null ? 'manifest' : 'remote';
  const fields = Object.keys(kind.fields)
    .map((field) => fieldChange(match, field, { before: null, after: entry.spec, origin, names }))
    .filter((field) => !isBlank(field.after))
    .map((field) => markedDefault(field, match, field.after));
  const requests = kind.create(entry.spec, entry);
  return {
    ...resourceDiff(match, 'create', {
      fields: [...fields, ...deliveryFields(requests)],
      origin,
      name: nameOf(match.kind, entry.spec),
    }),
    requests,
  };
}

/** What an entry need not say is not worth a line: neither of a new object, nor of one that goes. */
function markedDefault(field: FieldChange, { kind, address }: Match, value: Json): FieldChange {
  const key = address.slice(address.indexOf('/') + 1);
  const ofKind = kind.entry?.defaults(key)[field.path];
  const isDefault = ofKind !== undefined && !field.sensitive && equal(ofKind, value);
  return isDefault ? { ...field, isDefault } : field;
}

function compareFields(
  match: Match,
  entry: Desired,
  observed: Observed,
  { names, now }: { readonly names: Names; readonly now: Date },
): ResourceDiff {
  const { kind } = match;
  const { spec: before } = observed;
  if (before === null) throw new Error(`${match.address} was matched with an object of unknown content`);
  const changed = new Set<string>();
  for (const field in kind.fields) if (!isUnchanged(match, field, before, entry.spec)) changed.add(field);
  const fields = [...changed].map((field) => {
    const origin = fieldOrigin(match, field, observed);
    return fieldChange(match, field, { before, after: entry.spec, origin, names });
  });
  const parts = { fields, origin: overallOrigin(fields), adopted: isAdopted(match) };
  const reason = lostSecret(match, observed) ?? kind.rotationDue?.(entry, observed, now) ?? null;
  if (changed.size === 0 && reason === null) return resourceDiff(match, noCall(match), parts);
  if (reason !== null || kind.update === undefined)
    return { ...replace(match, entry, observed, parts), reason };
  const requests = kind.update(existingObject(observed), entry.spec, changed);
  return { ...resourceDiff(match, 'update', parts), requests };
}

/** The new object is created first, and then the old one is removed: there is always one of them. */
function replace(match: Match, entry: Desired, observed: Observed, parts: Partial<Difference>): ResourceDiff {
  const { kind } = match;
  // Creating a key revokes the key that makes the request (interface §5.5), so it needs no second request.
  const endsByItself = observed.caller;
  const removal = endsByItself || observed.id === null ? [] : kind.remove(existingObject(observed));
  const creation = kind.create(entry.spec, entry);
  const fields = [...(parts.fields ?? []), ...deliveryFields(creation)];
  return {
    ...resourceDiff(match, 'replace', { ...parts, fields, origin: parts.origin ?? 'manifest' }),
    requests: [...creation, ...removal],
  };
}

function diffUndeclared(match: Match, basis: PlanBasis, names: Names): ResourceDiff | null {
  const { prune, removed, project } = basis;
  const { kind, observed, known } = match;
  if (isUnmanaged(match, prune)) return null;
  if (observed === null) return resourceDiff(match, 'forget', { name: known?.name ?? null });
  // It was ours and belongs to the operator now: it cannot be deleted, and need not be.
  if (observed.manageable === false && observed.id !== null) return resourceDiff(match, 'forget', {});
  const mayBeForgotten = match.ours && !waitsForHold(match, basis);
  if (mayBeForgotten && prune !== 'never' && match.elsewhere?.claim === 'managed')
    return resourceDiff(match, 'forget', {});
  // Once forgotten, it would be like any other object that `prune: all` deletes.
  if (mayBeForgotten && removed.has(match.address))
    return resourceDiff(match, prune === 'all' ? 'none' : 'forget', {});
  if (prune === 'never') return resourceDiff(match, 'none', {});
  if (isWithheld(match, basis)) return resourceDiff(match, 'none', {});
  const { spec } = observed;
  const fields = Object.keys(spec === null ? {} : kind.fields)
    .map((field) => fieldChange(match, field, { before: spec, after: null, origin: 'manifest', names }))
    .filter((field) => !isBlank(field.before))
    .map((field) => markedDefault(field, match, field.before));
  const file = known?.file === undefined ? undefined : shownPath(project, known.file);
  const common = { fields, origin: 'manifest' } as const;
  const deleted = file === undefined ? common : { ...common, formerFile: file };
  return {
    ...resourceDiff(match, 'delete', deleted),
    requests: observed.id === null ? [] : kind.remove(existingObject(observed)),
  };
}

/** The project that it moves to learns of the hold from the inventory of this one: it must not be forgotten before that. */
function waitsForHold(match: Match, basis: Pick<PlanBasis, 'siblings' | 'now'>): boolean {
  return match.hold !== undefined && isWithheld(match, basis) && !isHandedOver(match, basis);
}

/** The project that manages it now has recorded a hold of its own. */
export function isHandedOver({ elsewhere }: Match, { now }: Pick<PlanBasis, 'now'>): boolean {
  return elsewhere?.claim === 'managed' && isLasting(elsewhere.hold, now);
}

/** Whether an object that no entry declares stays in the inventory because another project may want it, or its hold. */
export function staysForOthers(match: Match, basis: PlanBasis): boolean {
  if (basis.removed.has(match.address)) return waitsForHold(match, basis);
  return basis.prune !== 'never' && isWithheld(match, basis);
}

/** Nothing is deleted that another project of the repository may want. */
function isWithheld({ elsewhere }: Match, { siblings }: Pick<PlanBasis, 'siblings'>): boolean {
  if (siblings.unread.length > 0) return true;
  return elsewhere !== undefined && elsewhere.claim !== 'dropped';
}

/** Created by a run that could not deliver it: nobody can read it, so it is of no use. */
function lostSecret({ kind, known, createInterrupted }: Match, observed: Observed): string | null {
  const isKnown = observed.caller || (known !== null && known.id !== null && known.id === observed.id);
  if (kind.secret === undefined || !createInterrupted || isKnown) return null;
  return 'an earlier command ended before it delivered this key, which can no longer be read';
}

function resourceDiff(match: Match, action: Action, parts: Partial<Difference>): ResourceDiff {
  const { observed, entry } = match;
  const change = {
    address: match.address,
    kind: match.kind.name,
    action,
    id: observed?.id ?? (action === 'forget' ? (match.known?.id ?? null) : null),
    name: observed?.name ?? null,
    origin: null,
    adopted: false,
    fields: [],
    source: entry?.source ?? null,
    ...(match.renamedFrom === null ? {} : { renamedFrom: match.renamedFrom }),
    ...parts,
  };
  return { match, change, requests: [], reason: null };
}

/** The inventory does not hold it under this address. */
function isAdopted({ rule, known, observed, renamedFrom }: Match): boolean {
  if (renamedFrom !== null) return true;
  if (rule === 'inventory') return false;
  return known === null || known.id !== observed?.id;
}

/** The action for an object that needs no change: the inventory may need one. */
function noCall(match: Match): Action {
  return isAdopted(match) ? 'adopt' : 'none';
}

function existingObject({ kind, id, rawId, spec }: Observed): ExistingObject<unknown> {
  if (id === null || rawId === null) throw new Error(`a ${kind} without an id cannot be changed`);
  return { id, rawId, before: spec };
}

/** Adds what the inventory alone holds, `protect` and `expect`: a change of it acts although it sends nothing. */
function withRecorded(found: ResourceDiff): ResourceDiff {
  const { match, change } = found;
  const recorded = [protectionField(match), expectationField(match)].filter((each) => each !== null);
  // An expired entry without an object owns nothing.
  const isNothing = change.action === 'none' && match.observed === null;
  if (recorded.length === 0 || isNothing) return found;
  const fields = [...change.fields, ...recorded];
  const action = change.action === 'none' ? 'update' : change.action;
  const origin = change.action === 'create' ? change.origin : overallOrigin(fields);
  return { ...found, change: { ...change, action, fields, origin } };
}

function protectionField({ entry, observed, wasProtected }: Match): FieldChange | null {
  if (entry === null || entry.protect === wasProtected) return null;
  const before = observed === null ? null : wasProtected;
  const source = before === null ? null : entry.placeOf(['protect']);
  const rest = { sensitive: false, layout: 'value', origin: 'manifest', source } as const;
  return { path: 'protect', before, after: entry.protect, ...rest };
}

function expectationField({ entry, observed, record }: Match): FieldChange | null {
  if (entry === null) return null;
  const before = observed === null ? null : (record?.expect ?? null);
  const after = entry.expect ?? null;
  if (equal(before, after)) return null;
  const source = observed === null ? null : entry.placeOf(['expect']);
  return { path: 'expect', before, after, sensitive: false, layout: 'map', origin: 'manifest', source };
}

/** Adds the delivery that an earlier run could not finish: it is reviewed like that of a new key. */
function withDelivery(found: ResourceDiff): ResourceDiff {
  const { match, change } = found;
  if (match.entry === null || keptDelivery(found) === null) return found;
  const requests = match.kind.create(match.entry.spec, match.entry);
  const fields = [...change.fields, ...deliveryFields(requests)];
  return { ...found, change: { ...change, action: 'update', origin: 'manifest', fields } };
}

/** Where a key that an earlier run kept is to go. Null where nothing is delivered: an object that is replaced gets another key. */
export function keptDelivery({ match, change, requests }: ResourceDiff): Delivery | null {
  const { kind, entry, kept } = match;
  if (entry === null || kept === undefined || requests.length > 0) return null;
  if (!['none', 'adopt', 'update'].includes(change.action)) return null;
  return kind.create(entry.spec, entry).find((each) => each.delivery !== undefined)?.delivery ?? null;
}

/**
 * An object that no entry declares and the inventory does not hold (contract §1), and that stays as it is: what `prune:
 * all` deletes is part of the plan.
 */
function isUnmanaged(match: Match, prune: PlanBasis['prune']): boolean {
  const { ours, observed } = match;
  if (ours) return false;
  return prune !== 'all' || observed?.manageable !== true || observed.caller || isOwnedElsewhere(match);
}

/** Where a new key is delivered is part of what is reviewed: it must not change unseen. */
function deliveryFields(requests: readonly PlannedRequest[]): FieldChange[] {
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
  const shownBefore = () => {
    const value = rawValue(before, field);
    return show(places === undefined ? value : concealed(value as Json, places));
  };
  const shownAfter = () => {
    if (places === undefined) return show(rawValue(after, field));
    return places.declared ?? escapedValue(show(rawValue(after, field)));
  };
  return {
    path: field,
    before: before === null ? null : shownBefore(),
    after: after === null ? null : shownAfter(),
    sensitive: places !== undefined,
    layout: rule.layout,
    origin,
    source: before === null || after === null ? null : (match.entry?.placeOf([field]) ?? null),
  };
}

/** An empty field, which is not shown for new and deleted objects: no text, no inputs, another type of timing. */
function isBlank(value: Json): boolean {
  return value === null || value === '' || (isJsonObject(value) && isEmptyObject(value));
}

/** What changed since the last apply. The manifest, where it is not known what was applied. */
function fieldOrigin(match: Match, field: string, observed: Observed): Origin {
  const applied = match.record?.applied[field];
  // The entry was bound to another object in the manifest. Neither object was changed.
  const rebound = match.rule === 'id' && match.known?.id !== observed.id;
  if (applied === undefined || rebound) return 'manifest';
  if (holdsApplied(match, field)) return 'manifest';
  return declaresApplied(match, field) ? 'remote' : 'both';
}

function overallOrigin(fields: readonly FieldChange[]): Origin | null {
  if (fields.length === 0) return null;
  const origins = new Set(fields.map((field) => field.origin));
  if (origins.size > 1) return 'both';
  return [...origins][0] ?? null;
}
