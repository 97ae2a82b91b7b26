import { createHash, createHmac } from 'node:crypto';
import { canonical, isJsonObject, type Json } from './json.js';

/** The hash of one value under the name that it stands under. */
export type ValueHasher = (name: string, value: Json) => string;

/** Whose values are hashed: what a plan speaks of. */
export interface HashScope {
  readonly project: string;
  readonly environment: string | null;
  readonly service: string;
  readonly account: string | null;
}

/**
 * HMAC-SHA-256 with a salt that is another one for every project, environment, service and account. It is the same for
 * a saved state and a plan that is made live, so that both have the same digest; whoever holds a hash can still try
 * what a short value may be (README, forks).
 */
export function valueHasher({ project, environment, service, account }: HashScope): ValueHasher {
  const whose = canonical(['roster snapshot', project, environment, service, account]);
  const salt = createHash('sha256').update(whose).digest();
  return (name, value) =>
    hiddenHash(value) ??
    createHmac('sha256', salt)
      .update(canonical([name, value]))
      .digest('base64url');
}

/** A map with the hash of each of its values; the hash of anything else. */
export function hashed(value: Json, hasher: ValueHasher): Json {
  if (!isJsonObject(value) || hiddenHash(value) !== null) return hasher('', value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hasher(name, each)]));
}

const hashes = new WeakMap<object, string>();

/** Stands for a value of which only the hash is known. The null, which no manifest can declare, keeps it unlike all others. */
export function hidden(hash: string): Json {
  const value = { hidden: null, hash };
  hashes.set(value, hash);
  return value;
}

/** By what the object is and not by how it looks: the service may hold anything. */
function hiddenHash(value: Json): string | null {
  return isJsonObject(value) ? (hashes.get(value) ?? null) : null;
}

/** The value, or the map of values, as a person is shown it: never a hash. */
export function unhidden(value: Json): Json {
  const shown = (each: Json) => (hiddenHash(each) === null ? each : '(not in the snapshot)');
  if (!isJsonObject(value) || hiddenHash(value) !== null) return shown(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shown(each)]));
}
