import { isJsonObject } from '../../model/json.js';
import { isId, normalId } from '../../model/resource.js';

/**
 * The id of a new object in the `data` of the answer to its create, whose shape the interface does not show (§4): the id
 * itself, a record with the id, or such a record one level down. Null when there is none: the caller then looks for the
 * object in the list.
 */
export function findCreatedId(data: unknown, names: readonly string[]): string | null {
  const direct = bareId(data) ?? ownId(data, names);
  if (direct !== null || !isJsonObject(data)) return direct;
  const inner = Object.values(data).flatMap((value) => ownId(value, names) ?? []);
  // With two ids, it is not known which one is that of the new object.
  return inner.length === 1 ? (inner[0] ?? null) : null;
}

function ownId(value: unknown, names: readonly string[]): string | null {
  if (!isJsonObject(value)) return null;
  for (const name of names) {
    const id = Object.hasOwn(value, name) ? asId(value[name]) : null;
    if (id !== null) return id;
  }
  return null;
}

const clearlyAnId = /^(\d{1,15}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Data that is an id. Text must look like one: `data: "Created"` is a message. */
function bareId(data: unknown): string | null {
  return typeof data === 'string' && !clearlyAnId.test(data) ? null : asId(data);
}

function asId(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : null;
  return typeof value === 'string' && isId(value) ? normalId(value) : null;
}
