import { isJsonObject, type Json } from '../model/json.js';
import type { Request } from '../model/request.js';
import { type Address, isPending } from '../model/resource.js';

/** The request with the ids of what was created meanwhile in place of their addresses. */
export function resolveRequest(request: Request, ids: ReadonlyMap<Address, string>): Request {
  const path = request.path.replace(/\{([^}]+)\}/g, (_, address: string) =>
    encodeURIComponent(idOf(address, ids)),
  );
  return request.body === undefined
    ? { ...request, path }
    : { ...request, path, body: resolveJson(request.body, ids) };
}

/** A value with every `{ "pending": address }` replaced by the id. */
export function resolveJson(value: Json, ids: ReadonlyMap<Address, string>): Json {
  if (isPending(value)) return idOf(value.pending, ids);
  if (Array.isArray(value)) return value.map((item: Json) => resolveJson(item, ids));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveJson(item, ids)]));
}

/** Addresses whose ids a value waits for. */
export function pendingIn(value: Json): Address[] {
  if (isPending(value)) return [value.pending];
  if (Array.isArray(value)) return value.flatMap(pendingIn);
  return isJsonObject(value) ? Object.values(value).flatMap(pendingIn) : [];
}

/** A step runs only after those that it waits for: an id that is missing here is a bug of the order. */
function idOf(address: Address, ids: ReadonlyMap<Address, string>): string {
  const id = ids.get(address);
  if (id === undefined) throw new Error(`the id of ${address} is not known yet`);
  return id;
}
