import { groupBy } from '../model/json.js';
import { exists, type Kind, referencesOf } from '../model/kind.js';
import { type Address, isPending, type KindName, type Observed, objectKey } from '../model/resource.js';
import type { Writer } from './run-state.js';
import { hasValues, valuesOf } from './sent.js';

export interface ReadBack {
  readonly kinds: readonly Kind[];
  /** Ids in the answers to this run's creates. */
  readonly created: ReadonlyMap<Address, string>;
  readonly before: ReadonlyMap<KindName, readonly Observed[]>;
  readonly after: ReadonlyMap<KindName, readonly Observed[]>;
}

interface OwnObject {
  readonly address: Address;
  readonly kind: Kind;
  readonly own: Observed;
}

/** One that duplicates another object, or refers to one that does. */
interface Extra extends OwnObject {
  /** Why it is superfluous, for a message. */
  readonly why: string;
}

export interface Withdrawn extends Extra {
  /** Null when it was deleted; else why not. */
  readonly failure: string | null;
}

/**
 * The service cannot create an object only if it does not exist: two runs at once may both create it. A new object that
 * equals one of this run is another run's, so that ours is superfluous. In the order in which to withdraw them: what
 * refers to an object comes before it.
 */
export function extrasOf(inputs: ReadBack): readonly Extra[] {
  const own = ownObjects(inputs);
  const others = othersByIdentity(inputs);
  const extras = new Map<string, Extra>();
  for (const extra of own) {
    const duplicates = duplicatesOf(extra, others);
    if (duplicates.length === 0) continue;
    const duplicate = `${extra.kind.name} ${extra.kind.identity.describe(extra.own.spec)}`;
    const why = `another command created a ${duplicate} at the same time (${duplicates.join(', ')})`;
    extras.set(keyOf(extra), { ...extra, why });
  }
  for (const extra of own) {
    const referred = referencesOf(extra.kind, extra.own.spec).flatMap(({ kind, id }) =>
      isPending(id) ? [] : (extras.get(objectKey(kind, id)) ?? []),
    );
    if (referred[0] === undefined || extras.has(keyOf(extra))) continue;
    const why = `it refers to ${referred[0].address}, which was a duplicate`;
    extras.set(keyOf(extra), { ...extra, why });
  }
  const rank = (each: Extra) => -inputs.kinds.indexOf(each.kind);
  return [...extras.values()].sort((a, b) => rank(a) - rank(b));
}

/** Deletes them by id. An object stays when something that is not withdrawn refers to it. */
export async function withdrawExtras(
  extras: readonly Extra[],
  inputs: ReadBack,
  writer: Writer,
): Promise<readonly Withdrawn[]> {
  const gone = new Set<string>();
  const withdrawn: Withdrawn[] = [];
  for (const extra of extras) {
    const referrer = referrerOf(extra, inputs, gone);
    const failure = referrer === null ? await remove(extra, writer) : `${referrer} refers to it`;
    if (failure === null) gone.add(keyOf(extra));
    withdrawn.push({ ...extra, failure });
  }
  return withdrawn;
}

function keyOf({ kind, own }: OwnObject): string {
  return objectKey(kind.name, own.id);
}

function ownObjects({ kinds, created, after }: ReadBack): readonly OwnObject[] {
  const listed = new Map(
    [...after].flatMap(([kind, list]) => list.map((each) => [objectKey(kind, each.id), each] as const)),
  );
  return [...created].flatMap(([address, id]) => {
    const kind = kinds.find(({ name }) => name === kindOf(address));
    const own = listed.get(objectKey(kindOf(address), id));
    // A new key has revoked the others: there is nothing to choose between.
    const comparable =
      kind !== undefined && kind.secret === undefined && own !== undefined && own.spec !== null;
    return comparable ? [{ address, kind, own }] : [];
  });
}

function kindOf(address: Address): KindName {
  return address.slice(0, address.indexOf('/'));
}

/** By kind and natural key, the objects that are new and were not created by this run. */
function othersByIdentity({ kinds, created, before, after }: ReadBack): ReadonlyMap<string, Observed[]> {
  const known = new Set([
    ...[...before].flatMap(([kind, list]) => list.map(({ id }) => objectKey(kind, id))),
    ...[...created].map(([address, id]) => objectKey(kindOf(address), id)),
  ]);
  const others = kinds.flatMap((kind) =>
    (after.get(kind.name) ?? [])
      .filter((each) => each.id !== null && !known.has(objectKey(kind.name, each.id)) && exists(kind, each))
      .map((each) => ({ kind, each })),
  );
  const byIdentity = groupBy(others, ({ kind, each }) => identityKey(kind, each));
  return new Map([...byIdentity].map(([key, group]) => [key, group.map(({ each }) => each)]));
}

function identityKey(kind: Kind, observed: Observed): string {
  return `${kind.name} ${kind.identity.ofObserved(observed)}`;
}

function duplicatesOf(
  { kind, own }: OwnObject,
  others: ReadonlyMap<string, readonly Observed[]>,
): readonly string[] {
  if (others.size === 0) return [];
  // Several objects may have the same natural key: only those that are equal in every field are duplicates.
  const values = valuesOf(kind, own.spec);
  const isEqual = ({ spec }: Observed) =>
    kind.similarity === undefined || hasValues(kind, spec, values, new Map());
  const same = others.get(identityKey(kind, own)) ?? [];
  return same.filter(isEqual).map(({ id }) => id ?? '');
}

function referrerOf(
  { kind, own }: Extra,
  { kinds, after }: ReadBack,
  gone: ReadonlySet<string>,
): string | null {
  for (const each of kinds) {
    const referrer = (after.get(each.name) ?? []).find(
      (object) =>
        object.spec !== null &&
        !gone.has(objectKey(each.name, object.id)) &&
        referencesOf(each, object.spec).some((to) => to.kind === kind.name && to.id === own.id),
    );
    if (referrer !== undefined) return `${each.name} ${referrer.id}`;
  }
  return null;
}

async function remove({ kind, own }: Extra, writer: Writer): Promise<string | null> {
  if (own.id === null || own.rawId === null) return 'the service lists it without an id';
  try {
    const existing = { id: own.id, rawId: own.rawId, before: own.spec };
    for (const { request } of kind.remove(existing)) await writer.send(request);
    return null;
  } catch (failure) {
    const verdict = writer.judge(failure);
    return verdict.gone ? null : verdict.message;
  }
}
