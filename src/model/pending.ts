import { canonical, isJsonObject, type Json, type JsonObject, parseJson } from './json.js';
import { type Kind, rulesOf } from './kind.js';
import type { Request } from './request.js';
import type { Address, IdOrPending } from './resource.js';

/**
 * Pending ids are resolved by their slot, never by the look of a value: a manifest may hold `{ pending: … }` as an
 * input, or in a name. The slots are the `{address}` segments of a request's path, which no id can look like, its
 * `pendingIds`, and the values of fields whose rule says `isReference`. All of them survive a JSON round trip.
 */
export type KnownIds = Pick<ReadonlyMap<Address, IdOrPending>, 'get'>;

/** The request with the ids of created objects in its slots. A step runs after those it waits for: throws for a bug in that. */
export function resolveRequest({ pendingIds, ...request }: Request, ids: KnownIds): Request {
  const idOf = (address: Address): string => {
    const id = ids.get(address);
    if (typeof id !== 'string') throw new Error(`the id of ${address} is not known yet`);
    return id;
  };
  const path = request.path.replace(/\{([^{}]+)\}/g, (_, address: string) =>
    encodeURIComponent(idOf(address)),
  );
  if (pendingIds === undefined) return { ...request, path };
  const resolved = Object.entries(pendingIds).map(([property, address]) => [property, idOf(address)]);
  const body = Object.fromEntries([...Object.entries(request.body as JsonObject), ...resolved]);
  return { ...request, path, body };
}

/** Canonical values of fields, with the known ids in place of pending ones. */
export function resolveValues(kind: Kind, values: JsonObject, ids: KnownIds): JsonObject {
  const references = referenceFields(kind);
  if (references.length === 0) return values;
  const resolved: Record<string, Json> = { ...values };
  for (const field of references)
    if (Object.hasOwn(values, field)) resolved[field] = resolveReference(values[field] ?? null, ids);
  return resolved;
}

/**
 * A natural key, with the known ids in place of pending ones. That of a kind with references among its identity fields
 * is the canonical list of their values.
 */
export function resolveIdentity(kind: Kind, identity: string, ids: KnownIds): string {
  const references = new Set(referenceFields(kind));
  const isReference = kind.identity.fields.map((field) => references.has(field));
  const values = isReference.includes(true) ? parseJson(identity) : null;
  // An inventory may have been edited by hand.
  if (!Array.isArray(values)) return identity;
  return canonical(values.map((value, index) => (isReference[index] ? resolveReference(value, ids) : value)));
}

/** Addresses of the objects whose ids are pending in canonical values of fields. */
export function pendingAddresses(kind: Kind, values: JsonObject): readonly Address[] {
  return referenceFields(kind).flatMap((field) => pendingIn(values[field]) ?? []);
}

function referenceFields(kind: Kind): readonly string[] {
  return Object.entries(rulesOf(kind)).flatMap(([field, rule]) => (rule.isReference === true ? [field] : []));
}

function resolveReference(value: Json, ids: KnownIds): Json {
  const address = pendingIn(value);
  const id = address === null ? undefined : ids.get(address);
  return typeof id === 'string' && Array.isArray(value) ? [value[0] ?? null, id] : value;
}

/** The canonical value of a reference is `[kind, id]`, the id `{ "pending": address }` while it is not known. */
function pendingIn(value: Json | undefined): Address | null {
  const id: unknown = Array.isArray(value) ? value[1] : null;
  const address = isJsonObject(id) && Object.hasOwn(id, 'pending') ? id['pending'] : null;
  return typeof address === 'string' ? address : null;
}
