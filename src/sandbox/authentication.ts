import { isIPv4 } from 'node:net';
import { Refusal } from './api.js';
import type { Received } from './http.js';
import { hashOf, isActiveKey, KEY_MARK } from './keys.js';
import { type KeyRecord, put, type World } from './world.js';

/** Which requests the sandbox takes, and whose they are. */

/** Refuses names that only look like this machine: a web page whose name resolves to it could use the sandbox. */
export function hostCheck(host: string): (request: Received) => void {
  const isLocal = isLoopback(host);
  return ({ incoming }) => {
    const name = (incoming.headers.host ?? '').replace(/:\d+$/, '');
    if (isLocal && !isLoopback(name)) throw new Refusal(403, 'The Host of the request is not this machine.');
  };
}

export function isLoopback(host: string): boolean {
  return /^(localhost|::1|\[::1\])$/i.test(host) || (isIPv4(host) && host.startsWith('127.'));
}

/** Accepts both headers on every endpoint; 401 without an active key (interface.md §5). */
export function authentication(world: World, clock: () => Date): (request: Received) => KeyRecord {
  const find = keyFinder(world);
  return ({ incoming: { headers } }) => {
    const text = headers['x-api-key']?.toString() ?? bearer(headers.authorization);
    // A bearer token without the prefix is a dashboard session (§5.3), which the sandbox does not have.
    const caller = text?.startsWith(KEY_MARK) ? find(text, clock()) : undefined;
    if (!caller) throw new Refusal(401, 'The API key is missing, malformed or revoked.');
    caller.lastUsedDate = clock().toISOString();
    return put(world, 'keys', caller);
  };
}

function bearer(header: string | undefined): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(header ?? '')?.[1];
}

/** Finds the active key for a text. Hashes each key once. */
function keyFinder(world: World): (text: string, now: Date) => KeyRecord | undefined {
  const hashes = new Map<string, string>();
  return (text, now) => {
    const hash = hashes.get(text) ?? hashOf(text);
    hashes.set(text, hash);
    for (const key of world.keys.values()) {
      if (key.hash === hash && isActiveKey(key, now)) return key;
    }
    hashes.delete(text); // or unknown keys would accumulate
    return undefined;
  };
}
