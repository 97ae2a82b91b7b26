import { type Answer, type Call, type Core, notFound, type Route } from './api.js';
import { bodyFields, type Fields, optionalText, optionalTexts } from './body.js';
import { addKey, CALLER, isActiveKey, newKeyText } from './keyring.js';
import { byId, type KeyRecord } from './world.js';

/** API keys (interface.md §4 and §5): always those of the user that the calling key belongs to. */
export const keyRoutes: readonly Route[] = [
  { method: 'GET', path: '/api/api-keys', scoped: false, handle: list },
  { method: 'POST', path: '/api/api-keys', scoped: false, handle: create },
  { method: 'DELETE', path: '/api/api-keys/:id', scoped: false, handle: revoke },
];

function list(core: Core, call: Call): Answer {
  const keys = keysOf(core, call).filter(
    (key) => !key.isRevoked || !core.variants.has('revoked-keys-hidden'),
  );
  return { kind: 'key', operation: 'list', data: keys.map((key) => showKey(core, key)) };
}

/** Revokes the user's active keys at once, the calling one among them (§5.5). */
function create(core: Core, call: Call): Answer {
  const body = bodyFields(call.body);
  const name = optionalText(body, 'name') ?? 'API key';
  const scopes = knownScopes(core, optionalTexts(body, 'scopes') ?? []);
  const callerOnly = core.variants.has('revokes-calling-key-only');
  for (const key of callerOnly ? [call.caller] : keysOf(core, call)) {
    // A key that has expired is not active and stays as it is.
    if (isActiveKey(key, core.clock())) key.isRevoked = true;
  }
  const key = newKeyText();
  const record = addKey(core.world, key, core.clock(), { name, scopes, user: call.caller.user });
  if (record.user === CALLER) core.world.apiKey = key;
  const data = { ...showKey(core, record), key };
  return { kind: 'key', operation: 'create', message: 'The API key was created.', data };
}

/** Names that are not recognised are dropped; if none remain, the key has full access (§5.8). */
function knownScopes(core: Core, asked: string[]): string[] {
  return [...new Set(asked)].filter((scope) => core.world.scopes.includes(scope));
}

function revoke(core: Core, call: Call): Answer {
  const done: Answer = { kind: 'key', operation: 'delete', message: 'The API key was revoked.', data: null };
  const key = byId(core.world.keys, call.params.id ?? '');
  const own = key?.user === call.caller.user ? key : undefined;
  if (!own && core.variants.has('delete-missing-ok')) return done;
  if (!own) throw notFound('The API key');
  own.isRevoked = true;
  return done;
}

function keysOf(core: Core, call: Call): KeyRecord[] {
  return [...core.world.keys.values()].filter((key) => key.user === call.caller.user);
}

/** The listed fields (§2, API key) and the id that DELETE wants. Never the key, never its hash. */
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
