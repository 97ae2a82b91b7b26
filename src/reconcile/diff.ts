import type { Diagnostic } from '../model/diagnostic.js';
import type { InventoryEntry } from '../model/inventory.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Expiry, Planned } from '../model/kind.js';
import type { Action, Change, FieldChange, Origin } from '../model/plan.js';
import type { Desired, Names, Observed, Prune } from '../model/resource.js';
import type { Risk } from '../model/risk.js';
import {
  deliveryFields,
  fieldChange,
  fieldOrigin,
  isBlank,
  isSensitive,
  overallOrigin,
} from './field-change.js';
import { differingFields, fieldValue, rawValue } from './fields.js';
import type { Match } from './match.js';

/** A change with the requests that carry it out, before they get their edges. */
export interface ResourceDiff {
  readonly match: Match;
  readonly change: Omit<Change, 'steps'>;
  readonly requests: readonly Planned[];
  /** The action ends the access of the key that roster calls with. */
  readonly revokesCaller: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

export interface DiffContext {
  readonly names: Names;
  readonly prune: Prune;
  readonly now: Date;
}

/** What happens to one resource, and why. Null for what is none of this project's business. */
export function diff(match: Match, circumstances: DiffContext): ResourceDiff | null {
  const made = action(match, circumstances);
  return made === null
    ? null
    : { ...made, change: { ...made.change, risks: risksOf(match, made.change.action, circumstances) } };
}

function action(match: Match, circumstances: DiffContext): ResourceDiff | null {
  if (match.entry === null) return decideUndeclared(match, circumstances);
  const expired = match.kind.expired(match.entry.declared, circumstances.now);
  if (expired !== null) return leaveSettled(match, match.entry, expired);
  if (match.observed === null) return create(match, match.entry, circumstances);
  return compare(match, match.entry, match.observed, circumstances);
}

function create(match: Match, entry: Desired, { names }: DiffContext): ResourceDiff {
  const { kind, known } = match;
  // Known but not there: somebody deleted it outside.
  const origin: Origin = known === null ? 'manifest' : 'remote';
  const fields = Object.keys(kind.fields)
    .map((field) => fieldChange(match, field, null, entry.spec, origin, names))
    .filter((field) => field.sensitive || !isBlank(field.after));
  const requests = kind.create(entry.spec, entry);
  return {
    ...diffs(match, 'create', {
      fields: [...fields, ...deliveryFields(entry, requests)],
      origin,
      name: nameOf(match, entry),
      notes: lostNotes(match),
    }),
    requests,
    revokesCaller: kind.revokesCaller('create', null),
  };
}

/** The service hides what the caller may not use as if it were gone (interface §1.10): a second one may come of it. */
function lostNotes({ kind, known }: Match): string[] {
  if (known?.id == null || kind.secret !== null) return [];
  return [`was ${known.id}, which is deleted, or hidden from this key: nothing by that id is shown any more`];
}

function compare(
  match: Match,
  entry: Desired,
  observed: Observed,
  { names, now }: DiffContext,
): ResourceDiff {
  const { kind } = match;
  if (observed.spec === null)
    throw new Error(`${match.address} was paired with an object of unknown content`);
  const differing = differingFields(kind, observed.spec, entry.spec);
  const changed = new Set(differing.filter((field) => observed.withheld?.includes(field) !== true));
  const fields = [...changed].map((field) =>
    fieldChange(match, field, observed.spec, entry.spec, fieldOrigin(match, field, entry, observed), names),
  );
  const adopted = isAdopted(match);
  const common = { fields, origin: overallOrigin(fields), adopted };
  const rotationDue = lostSecret(match, observed) ?? kind.rotationDue(entry, observed, now);
  if (kind.requiresReplace(changed) || rotationDue !== null)
    return replace(match, entry, observed, common, rotationDue);
  if (changed.size === 0) return diffs(match, adopted ? 'adopt' : 'none', common);
  const target = targetOf(observed);
  return { ...diffs(match, 'update', common), requests: kind.update(target, entry.spec, changed) };
}

function risksOf(match: Match, action: Action, { prune, now }: DiffContext): readonly Risk[] {
  if (!['create', 'update', 'replace', 'delete'].includes(action)) return [];
  const own = match.kind.risks({
    observed: match.observed,
    after: action === 'delete' ? null : (match.entry?.spec ?? null),
    hides: (field) => isSensitive(match, field),
    now,
  });
  if (action !== 'delete') return own;
  const why = match.ours
    ? 'no manifest declares it any more'
    : `no manifest declares it, and prune is ${prune}`;
  return [{ code: 'delete', message: why }, ...own];
}

type Common = {
  readonly fields: readonly FieldChange[];
  readonly origin: Origin | null;
  readonly adopted: boolean;
};

/** The new object first, then the old one goes: nothing is lost in between. */
function replace(
  match: Match,
  entry: Desired,
  observed: Observed,
  common: Common,
  rotationDue: string | null,
): ResourceDiff {
  const { kind } = match;
  const notes = rotationDue === null ? [] : [rotationDue];
  // Creating a key revokes the one that makes the request (interface §5.5): no second call for it.
  const goesByItself = observed.caller;
  const removal = goesByItself || observed.id === null ? [] : kind.remove(targetOf(observed));
  const intent = kind.create(entry.spec, entry);
  const fields = [...common.fields, ...deliveryFields(entry, intent)];
  return {
    ...diffs(match, 'replace', { ...common, fields, notes, origin: common.origin ?? 'manifest' }),
    requests: [...intent, ...removal],
    revokesCaller: kind.revokesCaller('replace', observed),
    diagnostics: goesByItself || observed.id !== null ? [] : [notManageable(match, observed)],
  };
}

function decideUndeclared(match: Match, { prune, names }: DiffContext): ResourceDiff | null {
  const { kind, observed, known, ours } = match;
  if (!ours && (prune !== 'all' || observed?.manageable !== true || observed.caller)) return null;
  if (observed === null) return diffs(match, 'forget', { name: known?.name ?? null });
  // It was ours and is the operator's now: it cannot be deleted, and need not be.
  if (observed.manageable === false && observed.id !== null) return diffs(match, 'forget', {});
  if (prune === 'never') return leaveAlone(match);
  const fields = Object.keys(observed.spec === null ? {} : kind.fields)
    .map((field) => fieldChange(match, field, observed.spec, null, 'manifest', names))
    .filter((field) => field.sensitive || !isBlank(field.before));
  const removable = observed.id !== null;
  return {
    ...diffs(match, 'delete', { fields, origin: 'manifest' }),
    requests: removable ? kind.remove(targetOf(observed)) : [],
    revokesCaller: kind.revokesCaller('delete', observed),
    diagnostics: removable ? [] : [notManageable(match, observed)],
  };
}

function leaveAlone(match: Match): ResourceDiff {
  const name = isSensitive(match, 'name') ? null : (match.observed?.name ?? match.known?.name ?? null);
  const what = name === null ? match.address : `${match.address} "${name}"`;
  const message = `${what} is not declared any more and is left on the service (prune: never)`;
  const help = 'Delete it with --prune owned, or declare it again.';
  return {
    ...diffs(match, 'none', {}),
    diagnostics: [{ severity: 'warning', code: 'left-alone', message, help }],
  };
}

function leaveSettled(match: Match, entry: Desired, { path, message, help }: Expiry): ResourceDiff {
  const place = entry.placeOf(path);
  const warning: Diagnostic = { severity: 'warning', code: 'past-once', message, place, help };
  const adopted = match.observed !== null && isAdopted(match);
  return { ...diffs(match, adopted ? 'adopt' : 'none', { adopted }), diagnostics: [warning] };
}

/** Created by a run that could not deliver it: nobody can read it, so that it is no use to keep. */
function lostSecret({ kind, known, drafted }: Match, observed: Observed): string | null {
  const held = observed.caller || (known !== null && known.id !== null && known.id === observed.id);
  if (kind.secret === null || !drafted || held) return null;
  return 'an earlier run ended before it could deliver this key, which nobody can read now';
}

function diffs(match: Match, action: Action, parts: Partial<ResourceDiff['change']>): ResourceDiff {
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
    nextRuns: null,
    risks: [],
    notes: [],
    source: entry?.source ?? null,
    ...parts,
    ...(isSensitive(match, 'name') ? { name: null } : {}),
  };
  return { match, change, requests: [], revokesCaller: false, diagnostics: [] };
}

function isAdopted({ rule, known, observed }: Match): boolean {
  if (rule === 'inventory') return false;
  return known === null || known.id !== observed?.id;
}

function nameOf(match: Match, entry: Desired): string | null {
  const name = 'name' in match.kind.fields ? rawValue(entry.spec, 'name') : null;
  return typeof name === 'string' ? name : null;
}

function targetOf(observed: Observed) {
  if (observed.id === null || observed.rawId === null)
    throw new Error(`a ${observed.kind} without an id was to be changed`);
  return { id: observed.id, rawId: observed.rawId, before: observed.spec };
}

/** A key that the list shows without an id (interface §2, API key). */
function notManageable(match: Match, observed: Observed): Diagnostic {
  const what = `${match.kind.name} "${isSensitive(match, 'name') ? match.address : (observed.name ?? match.address)}"`;
  const message = `the service lists the ${what} without an id: it cannot be revoked from here`;
  const help = 'Revoke it in the dashboard (account menu, API keys), then run this again.';
  const place = match.entry?.source;
  return {
    severity: 'error',
    code: 'not-manageable',
    message,
    help,
    ...(place === undefined ? {} : { place }),
  };
}

/**
 * What the inventory says of a declared resource once its change is done: what was applied, which for a settled entry
 * is what is there. Values from the environment are left out.
 */
export function recordOf(match: Match, entry: Desired, expired: boolean): Omit<InventoryEntry, 'id'> {
  const { kind } = match;
  const spec = expired ? match.observed?.spec : entry.spec;
  const applied: Record<string, Json> = {};
  for (const field of Object.keys(kind.fields)) {
    if (!entry.sensitive.includes(field) && spec != null) applied[field] = fieldValue(kind, spec, field);
  }
  const name = isSensitive(match, 'name') ? null : nameOf(match, entry);
  return {
    kind: kind.name,
    name,
    protect: entry.protect,
    applied: applied as JsonObject,
    sensitive: entry.sensitive,
  };
}
