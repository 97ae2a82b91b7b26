import type { Diagnostic } from '../model/diagnostic.js';
import type { ExistingObject, Expiry, PlannedRequest } from '../model/kind.js';
import type { Action, Change, Origin } from '../model/plan.js';
import type { Address, Desired, Names, Observed, Prune } from '../model/resource.js';
import {
  deliveryFields,
  fieldChange,
  fieldOrigin,
  isBlank,
  nameOf,
  overallOrigin,
  ruleOf,
} from './fields.js';
import { type IgnoredPart, ignoredParts } from './ignore.js';
import type { Match } from './match.js';
import { withProtection } from './protection.js';
import { risksOf } from './risks.js';
import { isUnchanged } from './secret-values.js';
import { isUnmanaged } from './unmanaged/unmanaged.js';
import { lossNotes, unseenNotes } from './unseen.js';

/** A change with the requests that carry it out, before they are ordered. */
export interface ResourceDiff {
  readonly match: Match;
  readonly change: Omit<Change, 'steps'>;
  readonly requests: readonly PlannedRequest[];
  /** The action ends the access of the key that roster uses. */
  readonly revokesCaller: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

export interface DiffContext {
  readonly names: Names;
  readonly prune: Prune;
  readonly destroy?: boolean | undefined;
  /** What the inventory forgets although it exists. */
  readonly removed: ReadonlySet<Address>;
  readonly now: Date;
  /** Now, by the clock that recorded what no list shows yet. */
  readonly ownNow: Date;
}

/** What happens to one resource, and why. Null for an object that does not belong to this project. */
export function diff(match: Match, context: DiffContext): ResourceDiff | null {
  const result = diffWithoutRisks(match, context);
  if (result === null) return null;
  const change = withProtection(match, result.change);
  const risks = risksOf(match, change, context);
  // Most objects are unchanged, and need no copy.
  if (change === result.change && risks.length === 0 && result.requests.length === 0) return result;
  const requests = markSecrets(match, result.requests);
  return { ...result, change: { ...change, risks }, requests };
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

function diffWithoutRisks(match: Match, context: DiffContext): ResourceDiff | null {
  const { kind, entry, observed } = match;
  if (entry === null) return diffUndeclared(match, context);
  const expiry = kind.expired?.(entry.declared, context.now) ?? null;
  if (expiry !== null) return skipExpired(match, entry, expiry);
  if (observed === null) return create(match, entry, context);
  return compare(match, entry, observed, context);
}

function create(match: Match, entry: Desired, { names, ownNow }: DiffContext): ResourceDiff {
  const { kind, known } = match;
  // It is in the inventory and does not exist: somebody else deleted it.
  const origin: Origin = known === null ? 'manifest' : 'remote';
  const fields = Object.keys(kind.fields)
    .map((field) => fieldChange(match, field, { before: null, after: entry.spec, origin, names }))
    .filter((field) => !isBlank(field.after));
  const requests = kind.create(entry.spec, entry);
  return {
    ...resourceDiff(match, 'create', {
      fields: [...fields, ...deliveryFields(requests)],
      origin,
      name: nameOf(match.kind, entry.spec),
      notes: lossNotes(match, ownNow),
    }),
    requests,
    revokesCaller: kind.revokesCaller?.('create', null) ?? false,
  };
}

function compare(
  match: Match,
  entry: Desired,
  observed: Observed,
  { names, now }: DiffContext,
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
  const notes = renameNotes(match);
  const parts = { fields, origin: overallOrigin(fields), adopted: isAdopted(match), notes };
  const reason = lostSecret(match, observed) ?? kind.rotationDue?.(entry, observed, now) ?? null;
  if (changed.size === 0 && reason === null) return resourceDiff(match, noCall(match), parts);
  if (reason !== null || kind.update === undefined) {
    const why = reason === null ? [] : [reason];
    return replace(match, entry, observed, { ...parts, notes: [...notes, ...why] });
  }
  const requests = kind.update(existingObject(observed), entry.spec, changed);
  return { ...resourceDiff(match, 'update', parts), requests };
}

type ReplaceParts = Pick<Change, 'fields' | 'origin' | 'adopted' | 'notes'>;

/** The new object is created first, and then the old one is removed: there is always one of them. */
function replace(match: Match, entry: Desired, observed: Observed, parts: ReplaceParts): ResourceDiff {
  const { kind } = match;
  // Creating a key revokes the key that makes the request (interface §5.5), so it needs no second request.
  const endsByItself = observed.caller;
  const removal = endsByItself || observed.id === null ? [] : kind.remove(existingObject(observed));
  const creation = kind.create(entry.spec, entry);
  const fields = [...parts.fields, ...deliveryFields(creation)];
  return {
    ...resourceDiff(match, 'replace', { ...parts, fields, origin: parts.origin ?? 'manifest' }),
    requests: [...creation, ...removal],
    revokesCaller: kind.revokesCaller?.('replace', observed) ?? false,
    diagnostics: endsByItself || observed.id !== null ? [] : [notRevocable(match, observed)],
  };
}

function diffUndeclared(match: Match, { prune, removed, names, ownNow }: DiffContext): ResourceDiff | null {
  const { kind, observed, known } = match;
  if (isUnmanaged(match, prune)) return null;
  if (observed === null)
    return resourceDiff(match, 'forget', { name: known?.name ?? null, notes: unseenNotes(match, ownNow) });
  // It was ours and belongs to the operator now: it cannot be deleted, and need not be.
  if (observed.manageable === false && observed.id !== null) return resourceDiff(match, 'forget', {});
  if (match.ours && removed.has(match.address)) return prune === 'all' ? keepRemoved(match) : forget(match);
  if (prune === 'never') return leaveAlone(match);
  const { spec } = observed;
  const fields = Object.keys(spec === null ? {} : kind.fields)
    .map((field) => fieldChange(match, field, { before: spec, after: null, origin: 'manifest', names }))
    .filter((field) => !isBlank(field.before));
  const isRemovable = observed.id !== null;
  return {
    ...resourceDiff(match, 'delete', { fields, origin: 'manifest' }),
    requests: isRemovable ? kind.remove(existingObject(observed)) : [],
    revokesCaller: kind.revokesCaller?.('delete', observed) ?? false,
    diagnostics: isRemovable ? [] : [notRevocable(match, observed)],
  };
}

/** `removed:` lists it. */
function forget(match: Match): ResourceDiff {
  return resourceDiff(match, 'forget', { notes: ['stays on the service, and is no longer managed here'] });
}

/** Once forgotten, it would be like any other object that `prune: all` deletes. */
function keepRemoved(match: Match): ResourceDiff {
  const message = `${match.address} is listed under \`removed\` and stays on the service and in the inventory, because \`prune: all\` deletes what is in neither the manifests nor the inventory`;
  const help = 'To remove it from the inventory, use `--prune owned`.';
  return {
    ...resourceDiff(match, 'none', {}),
    diagnostics: [{ severity: 'warning', code: 'left-alone', message, help }],
  };
}

function leaveAlone(match: Match): ResourceDiff {
  const name = match.observed?.name ?? match.known?.name ?? null;
  const subject = name === null ? match.address : `${match.address} "${name}"`;
  const message = `${subject} is no longer declared and stays on the service (prune: never)`;
  const help = 'To delete it, use `--prune owned`. To keep managing it, declare it again.';
  return {
    ...resourceDiff(match, 'none', {}),
    diagnostics: [{ severity: 'warning', code: 'left-alone', message, help }],
  };
}

function skipExpired(match: Match, entry: Desired, { path, message, help }: Expiry): ResourceDiff {
  const place = entry.placeOf(path);
  const warning: Diagnostic = { severity: 'warning', code: 'past-once', message, place, help };
  const adopted = match.observed !== null && isAdopted(match);
  const action = match.observed === null ? 'none' : noCall(match);
  return { ...resourceDiff(match, action, { adopted, notes: renameNotes(match) }), diagnostics: [warning] };
}

/** Created by a run that could not deliver it: nobody can read it, so it is of no use. */
function lostSecret({ kind, known, createInterrupted }: Match, observed: Observed): string | null {
  const isKnown = observed.caller || (known !== null && known.id !== null && known.id === observed.id);
  if (kind.secret === undefined || !createInterrupted || isKnown) return null;
  return 'an earlier run ended before it delivered this key, which can no longer be read';
}

function resourceDiff(match: Match, action: Action, parts: Partial<ResourceDiff['change']>): ResourceDiff {
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
    ...(match.renamedFrom === null ? {} : { renamedFrom: match.renamedFrom }),
    ...parts,
  };
  return { match, change, requests: [], revokesCaller: false, diagnostics: [] };
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

function renameNotes({ renamedFrom }: Match): string[] {
  return renamedFrom === null ? [] : [`renamed from ${renamedFrom}`];
}

function existingObject({ kind, id, rawId, spec }: Observed): ExistingObject<unknown> {
  if (id === null || rawId === null) throw new Error(`a ${kind} without an id cannot be changed`);
  return { id, rawId, before: spec };
}

/** A key that the list shows without an id (interface §2, API key). */
function notRevocable(match: Match, observed: Observed): Diagnostic {
  const { name } = observed;
  const { entry, address } = match;
  return {
    severity: 'error',
    code: 'not-manageable',
    message: `the service lists the ${match.kind.name} "${name ?? match.address}" without an id, so roster cannot revoke it`,
    help: 'Revoke it in the dashboard (account menu, API keys), then run the command again.',
    ...(entry === null ? {} : { place: entry.source, address }),
  };
}
