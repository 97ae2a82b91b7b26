import { isApiKey } from '../../model/connection.js';
import { isJsonObject, type JsonObject } from '../../model/json.js';
import type { ListCall, Request } from '../../model/request.js';
import type { IdOrPending } from '../../model/resource.js';
import { flag, object, optional, type Read, type Shape, text, unexpected } from '../../model/shape.js';
import { findCreatedId, type LooseId, looseId, receivedInstant } from './record.js';
import { segment } from './requests.js';

/** Revoking needs an id that no field list names (interface §2). */
const idNames = ['id', 'keyId', 'apiKeyId'] as const;

/** An API key as the service lists it (interface §2, API key): never the key itself. */
export type RemoteKey = Read<typeof parseKey>;

const scopes: Shape<readonly string[]> = (value) => {
  if (isTextList(value)) return value;
  throw unexpected('scopes to be a list of text', value);
};

const parseKey = object({
  /** Null where it is missing. */
  id: { of: (key) => idIn(key)?.id ?? null },
  rawId: { of: (key) => idIn(key)?.rawId ?? null },
  keyPrefix: optional(text),
  name: optional(text),
  /** Null where the service did not say. An empty list is full access (interface §5.8). */
  scopes: optional(scopes),
  isActive: flag,
  isRevoked: flag,
  /** An instant, or `UNREADABLE`: when to rotate the key depends on it. */
  createdDate: optional(receivedInstant),
  expires: optional(text),
  lastUsedDate: optional(text),
});

function idIn(key: JsonObject): LooseId | null {
  const name = idNames.find((each) => key[each] != null);
  return name === undefined ? null : looseId(key[name], 'id');
}

/** A new key. The service shows `key` only this once. */
export interface CreatedKey {
  readonly key: string;
  readonly id: string | null;
  readonly keyPrefix: string | null;
  /** As granted, which may be fewer than requested; null where the answer did not say. */
  readonly scopes: readonly string[] | null;
}

const path = '/api/api-keys';

/** The keys of the user that the calling key belongs to. */
export function listKeys(): ListCall<RemoteKey> {
  return { request: { method: 'GET', path, effect: 'read' }, noun: 'API key', parse: parseKey };
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** Also revokes the user's active key (interface §5.5). No scopes means full access, and so do unknown names (§5.8). */
export function createKey({ name, scopes }: { name: string; scopes?: readonly string[] }): Request {
  return {
    method: 'POST',
    path,
    body: { name, ...(scopes === undefined ? {} : { scopes }) },
    effect: 'create',
  };
}

export function revokeKey(id: IdOrPending): Request {
  return { method: 'DELETE', path: `${path}/${segment(id)}`, effect: 'repeatable' };
}

/**
 * The new key in the `data` of the answer to `createKey`: in `key`, there or one level down, or as the data itself. Null
 * when there is none. Never put the result into a message.
 */
export function createdKey(data: unknown): CreatedKey | null {
  if (typeof data === 'string')
    return isApiKey(data) ? { key: data, id: null, keyPrefix: null, scopes: null } : null;
  if (!isJsonObject(data)) return null;
  const holder = [data, ...Object.values(data)].find((each) => isJsonObject(each) && isKey(each['key']));
  if (!isJsonObject(holder) || !isKey(holder['key'])) return loneKey(data);
  const scopes = [holder['scopes'], data['scopes']].find(isTextList) ?? null;
  const keyPrefix = [holder['keyPrefix'], data['keyPrefix']].find(isText) ?? null;
  return {
    key: holder['key'],
    id: findCreatedId(holder, idNames) ?? findCreatedId(data, idNames),
    keyPrefix,
    scopes,
  };
}

/** Under another name, such as `{ apiKey: "svc_live_…" }`: recognized by its prefix (interface §5.3). */
function loneKey(data: JsonObject): CreatedKey | null {
  const entries = Object.entries(data).filter(([name]) => name !== 'keyPrefix');
  const keys = entries.flatMap(([, value]) => (isKey(value) ? [value] : []));
  const [key] = keys;
  if (key === undefined || keys.length > 1) return null;
  return {
    key,
    id: findCreatedId(data, idNames),
    keyPrefix: isText(data['keyPrefix']) ? data['keyPrefix'] : null,
    scopes: isTextList(data['scopes']) ? data['scopes'] : null,
  };
}

/** Anything else, such as a text with a line break, would be delivered as if it were a key. */
function isKey(value: unknown): value is string {
  return typeof value === 'string' && isApiKey(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
