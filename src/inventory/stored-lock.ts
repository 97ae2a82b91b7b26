import { isJsonObject, parseJson } from '../model/json.js';
import { readLease } from './lease.js';

/** The lock next to the inventory on its branch while a run is in progress. */
export interface StoredLock {
  readonly token: string;
  readonly name: string;
  readonly since: string;
  /** By the clock of the holder: for messages, and for roster 0.1. */
  readonly until: string;
  readonly leaseMs: number;
}

export function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

export function ageOf(since: string, now: Date): string {
  const minutes = Math.floor((now.getTime() - Date.parse(since)) / 60_000);
  return minutes < 1 ? 'just now' : `${minutes} min ago`;
}

export function untilOf(now: Date, leaseMs: number): string {
  return new Date(now.getTime() + leaseMs).toISOString();
}

/** A lock that cannot be read counts as one that has just been taken. */
export function readLock(text: string | undefined, now: Date): StoredLock | null {
  if (text === undefined) return null;
  const value = parseJson(text);
  const { token, name, since, until, leaseMs: written } = isJsonObject(value) ? value : {};
  const leaseMs = readLease(written);
  if (typeof token === 'string' && typeof name === 'string' && isTime(since) && isTime(until))
    return { token, name, since, until, leaseMs };
  return {
    token: '',
    name: 'an unknown run',
    since: now.toISOString(),
    until: untilOf(now, leaseMs),
    leaseMs,
  };
}
