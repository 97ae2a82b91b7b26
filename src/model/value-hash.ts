import { createHash, createHmac } from 'node:crypto';
import { canonical, isJsonObject, type Json } from './json.js';

/** The hash of a value with its name. */
export type ValueHasher = (name: string, value: Json) => string;

/** What the hashed values belong to. */
export interface HashScope {
  readonly project: string;
  readonly environment: string | null;
  readonly service: string;
  readonly account: string | null;
}

/**
 * HMAC-SHA-256 with a different salt for every project, environment, service and account. A snapshot and a live plan use
 * the same salt, so that both have the same digest. A short value can still be guessed from its hash (README, forks).
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

/** Stands for a value of which only the hash is known. It equals no other value, because no manifest can declare a null. */
export function hidden(hash: string): Json {
  const value = { hidden: null, hash };
  hashes.set(value, hash);
  return value;
}

/** Stands for a value that a snapshot leaves out, because it came from the environment. */
export const WITHHELD = hidden('withheld');

/** True for what stands for a value that is not known. */
export function isHidden(value: Json): boolean {
  return hiddenHash(value) !== null;
}

/** By identity, never by shape: the service may hold anything. */
function hiddenHash(value: Json): string | null {
  return isJsonObject(value) ? (hashes.get(value) ?? null) : null;
}

/** The value, or the map of values, to show: never a hash. */
export function unhidden(value: Json): Json {
  const shown = (each: Json) => (hiddenHash(each) === null ? each : '(not in the snapshot)');
  if (!isJsonObject(value) || hiddenHash(value) !== null) return shown(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shown(each)]));
}
