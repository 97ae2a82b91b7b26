import { isJsonObject, parseJson } from '../model/json.js';

/** How long a lock is valid after its last renewal. The clocks of two machines may differ by a minute. */
export const LEASE_MS = 10 * 60_000;

/** The lock next to the inventory on its branch while a run is in progress. */
export interface StoredLock {
  readonly token: string;
  readonly name: string;
  readonly since: string;
  readonly until: string;
}

export function ageOf(since: string): string {
  const minutes = Math.floor((Date.now() - Date.parse(since)) / 60_000);
  return minutes < 1 ? 'just now' : `${minutes} min ago`;
}

export function untilOf(now: Date): string {
  return new Date(now.getTime() + LEASE_MS).toISOString();
}

/** A lock that cannot be read counts as one that has just been taken. */
export function readLock(text: string | undefined): StoredLock | null {
  if (text === undefined) return null;
  const value = parseJson(text);
  const { token, name, since, until } = isJsonObject(value) ? value : {};
  if (
    typeof token === 'string' &&
    typeof name === 'string' &&
    typeof since === 'string' &&
    typeof until === 'string' &&
    !Number.isNaN(Date.parse(until))
  )
    return { token, name, since, until };
  const now = new Date();
  return { token: '', name: 'an unknown run', since: now.toISOString(), until: untilOf(now) };
}
