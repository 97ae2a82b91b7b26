import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type Answer, type Call, type Core, notFound, type Route } from './api.js';
import { bodyFields, type Fields, optionalText, optionalTexts } from './body.js';
import { byId, CALLER, type KeyRecord, put, remove, setApiKey, type World } from './world.js';
/** API keys (interface.md §4 and §5): always the keys of the calling key's user. */
export const keyRoutes: readonly Route[] = [
  { method: 'GET', path: '/api/api-keys', scoped: false, handle: list },
  { method: 'POST', path: '/api/api-keys', scoped: false, handle: create },
  { method: 'DELETE', path: '/api/api-keys/:id', scoped: false, handle: revoke },
];

function list(core: Core, call: Call): Answer {
  return { data: keysOf(core, call).map((key) => showKey(core, key)) };
}

/** Revoked keys stay in the list (§2, API key), the newest of them: each request looks at all keys. */
const MOST_KEYS = 1_000;

/** Revokes all active keys of the user at once, including the calling key (§5.5). */
function create(core: Core, call: Call): Answer {
  const body = bodyFields(call.body);
  const name = optionalText(body, 'name') ?? 'API key';
  const scopes = knownScopes(core, optionalTexts(body, 'scopes') ?? []);
  for (const key of keysOf(core, call)) {
    // An expired key is not active and stays unchanged.
    if (isActiveKey(key, core.clock())) revokeKey(core.world, key);
  }
  const key = newKeyText();
  const record = addKey(core.world, key, core.clock(), { name, scopes, user: call.caller.user });
  if (record.user === CALLER) setApiKey(core.world, key);
  forgetOldestRevoked(core.world);
  const data = { ...showKey(core, record), key };
  return { message: 'The API key was created.', data };
}

function forgetOldestRevoked(world: World): void {
  for (const [id, { isRevoked }] of world.keys) {
    if (world.keys.size <= MOST_KEYS) return;
    if (isRevoked) remove(world, 'keys', id);
  }
}

/** Drops unknown names; if none remain, the key has full access (§5.8). */
function knownScopes(core: Core, requested: string[]): string[] {
  return [...new Set(requested)].filter((scope) => core.world.scopes.includes(scope));
}

function revoke(core: Core, call: Call): Answer {
  const key = byId(core.world.keys, call.params.id ?? '');
  if (key?.user !== call.caller.user) throw notFound('The API key');
  revokeKey(core.world, key);
  return { message: 'The API key was revoked.', data: null };
}

function revokeKey(world: World, key: KeyRecord): void {
  key.isRevoked = true;
  put(world, 'keys', key);
}

function keysOf(core: Core, call: Call): KeyRecord[] {
  return [...core.world.keys.values()].filter((key) => key.user === call.caller.user);
}

/** The listed fields (§2, API key) and the id that DELETE takes. Never the key or its hash. */
function showKey(core: Core, key: KeyRecord): Fields {
  return {
    id: key.id,
    keyPrefix: key.keyPrefix,
    name: key.name,
    scopes: [...key.scopes],
    isActive: isActiveKey(key, core.clock()),
    isRevoked: key.isRevoked,
    createdDate: key.createdDate,
    expires: key.expires,
    lastUsedDate: key.lastUsedDate,
  };
}

export const KEY_MARK = 'svc_live_';
/** The key of a sandbox without a seed: always the same, and clearly not a real key. */
export const DEFAULT_KEY = 'svc_live_sandbox_0000000000000000';

const PREFIX_LENGTH = 16;

export function newKeyText(): string {
  return KEY_MARK + randomBytes(20).toString('hex');
}

export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export type NewKey = Pick<KeyRecord, 'name' | 'scopes'> & Partial<KeyRecord>;

/** Stores the hash of a key, not the key itself. */
export function addKey(world: World, key: string, now: Date, fields: NewKey): KeyRecord {
  return put(world, 'keys', {
    id: randomUUID(),
    user: CALLER,
    isRevoked: false,
    createdDate: now.toISOString(),
    expires: null,
    lastUsedDate: null,
    ...fields,
    hash: hashOf(key),
    keyPrefix: prefixOf(key),
  });
}

/** Never the whole key, even if a seed has a short one. */
function prefixOf(key: string): string {
  return key.slice(0, Math.min(PREFIX_LENGTH, key.length - 4));
}

export function isActiveKey(key: KeyRecord, now: Date): boolean {
  return !key.isRevoked && (key.expires === null || new Date(key.expires) > now);
}
