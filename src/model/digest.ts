import { createHash, createHmac } from 'node:crypto';
import type { Intent } from './inventory.js';
import { byCodeUnit, canonical, isJsonObject, type Json, type JsonObject } from './json.js';
import type { Plan, PlanSubject } from './plan.js';
import type { ProjectScope } from './resource.js';

/** The digest of one change. */
export function digestPart(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The digest of a plan whose changes have these parts. */
export function digestOfParts(subject: PlanSubject, parts: readonly string[]): string {
  const { project, environment, service, account, inventory, safeguards, ignored, held, policies } = subject;
  const { prune, limits } = safeguards;
  const changes = [...parts].sort(byCodeUnit);
  const about: Record<string, Json> = {
    project,
    environment,
    service,
    account,
    inventory,
    prune,
    limits: { ...limits },
    changes,
  };
  if (ignored !== undefined) about['ignored'] = ignored.properties as JsonObject;
  if (held !== undefined) about['held'] = held as unknown as JsonObject;
  if (policies !== undefined) about['policies'] = policies as unknown as JsonObject;
  return `sha256:${createHash('sha256').update(canonical(about)).digest('hex')}`;
}

/**
 * Whether every change of a plan is also a change of the intended plan. Anyone who can edit the
 * inventory can write any intent: its parts count only if they are those of a plan with its digest. A change that refers
 * to what that plan had yet to create counts as it was then.
 */
export function isRestOf(plan: Plan, intent: Intent): boolean {
  const intended = new Set(intent.digestParts);
  return (
    plan.digestParts.every(
      (each, index) => intended.has(each) || intended.has(plan.restParts?.[index] ?? ''),
    ) && digestOfParts(plan, intent.digestParts) === intent.digest
  );
}

export type ValueHasher = (name: string, value: Json) => string;

export interface HashScope extends ProjectScope {
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
