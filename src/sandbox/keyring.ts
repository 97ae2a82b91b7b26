import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { CALLER, type KeyRecord, put, type World } from './world.js';

/** Creates, stores and finds API keys (interface.md §5). Only a hash is stored. */

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
  return put(world.keys, {
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

/** Finds the active key for a text. Hashes each key once. */
export function keyFinder(world: World): (text: string, now: Date) => KeyRecord | undefined {
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
