import { reasonOf } from '../files/errno.js';
import { UnflushedSecret } from '../files/secret-file.js';
import { isPrefixOf } from '../model/connection.js';
import type { Diagnostic } from '../model/diagnostic.js';
import { canonical } from '../model/json.js';
import { exists, type Kind, type Secret } from '../model/kind.js';
import type { Plan } from '../model/plan.js';
import { pollUntil } from '../model/request.js';
import type { Address, Delivery, Observed } from '../model/resource.js';
import type { HeldKey, KeyKeeping, Writer } from './run-state.js';
import type { StepState } from './run-steps.js';

interface NewKey {
  readonly address: Address;
  readonly delivery: Delivery;
  readonly kind: Kind;
  /** The `data` of the answer to the create. */
  readonly data: unknown;
  readonly writer: Writer;
  readonly keys: KeyKeeping;
  /** Whether an id is known to be that of another key: the answer is not believed. */
  isTaken(id: string): boolean;
  sleep(milliseconds: number): Promise<void>;
}

/** Where a key is after an attempt to deliver it. */
interface DeliveryAttempt {
  readonly state: StepState;
  /** The file in which to find the key: relative to the project, or absolute; null for none. */
  readonly file: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

interface ScopeCheck {
  readonly state: StepState;
  readonly isListed: boolean;
  /** The key that requests are now made with must not be used any further. */
  readonly lockedOut: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

interface KeyDelivery extends DeliveryAttempt, ScopeCheck {
  readonly id: string | null;
}

/**
 * What follows the creation of a key, in this order: it is kept in a file of roster's own; it is delivered and flushed
 * before anything else happens; the rest of the run uses it; and it is revoked at once if it can do more or less than was
 * requested (interface §5.5, §5.8). Its value goes nowhere else.
 */
export async function deliverKey(newKey: NewKey): Promise<KeyDelivery> {
  const secret = secretIn(newKey);
  if (secret === null) {
    const state = lostKey('the response contained no API key');
    return { state, id: null, isListed: true, lockedOut: true, file: null, diagnostics: [] };
  }
  const held = newKey.keys.keep(newKey.address, secret.value);
  const delivered = await deliverHeld(newKey.keys, newKey.delivery, held);
  newKey.writer.useKey(secret.value);
  const checked = await checkScopes(newKey, secret);
  if (checked.lockedOut) {
    const state = withNote(checked.state, removeRevoked(newKey, held));
    const id = state.outcome === 'failed' ? null : secret.id;
    return { ...checked, state, id, file: null };
  }
  const { file } = delivered;
  const diagnostics = [...delivered.diagnostics, ...checked.diagnostics];
  const id = delivered.state.outcome === 'unknown' ? null : secret.id;
  if (checked.state.outcome === 'done') return { ...checked, state: delivered.state, id, file, diagnostics };
  const where = delivered.state.outcome === 'done' ? deliveredTo(newKey.delivery) : '';
  const state = withNote(checked.state, where);
  return { ...checked, state, id: secret.id, file, diagnostics };
}

export interface KeptDeliveries {
  readonly states: ReadonlyMap<Address, StepState>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Delivers the keys that an earlier run kept because it could not deliver them. Needs no request. */
export async function deliverKept(
  { undelivered = {} }: Plan,
  keys: KeyKeeping,
  stopped: () => string | null,
): Promise<KeptDeliveries> {
  const states = new Map<Address, StepState>();
  const diagnostics: Diagnostic[] = [];
  for (const [address, { file, delivery }] of Object.entries(undelivered)) {
    const why = stopped();
    if (why !== null) {
      states.set(address, { outcome: 'skipped', error: why });
      continue;
    }
    try {
      const attempt = await deliverHeld(keys, delivery, keys.kept(address, file));
      states.set(address, attempt.state);
      diagnostics.push(...attempt.diagnostics);
    } catch (failure) {
      const error = `the key in ${file} cannot be read: ${reasonOf(failure)}`;
      states.set(address, { outcome: 'failed', error });
    }
  }
  return { states, diagnostics };
}

function secretIn({ kind, data, isTaken }: NewKey): Secret | null {
  const secret = kind.secret?.of(data) ?? null;
  return secret === null || secret.id === null || !isTaken(secret.id) ? secret : { ...secret, id: null };
}

function withNote(state: StepState, note: string): StepState {
  return state.outcome === 'done' ? state : { ...state, error: `${state.error}${note}` };
}

function deliveredTo({ to }: Delivery): string {
  if (to === null) return '';
  return `; it was delivered to ${'file' in to ? to.file : `the command ${to.command[0]}`}`;
}

/** Nobody can read the new key, if there is one: only the dashboard helps. */
export function lostKey(why: string): StepState {
  const steps =
    'the service may have created a key that nobody can read: revoke it in the dashboard (account menu, API keys), generate a new key for `ROSTER_API_KEY`, and run `roster apply` again';
  return { outcome: 'unknown', error: `${why}; ${steps}` };
}

/** Delivers a key that is kept in a file. If that fails, the file stays for the next apply. */
async function deliverHeld(keys: KeyKeeping, delivery: Delivery, held: HeldKey): Promise<DeliveryAttempt> {
  try {
    await keys.deliver(delivery, held);
  } catch (failure) {
    if (failure instanceof UnflushedSecret) return unflushed(failure);
    const why = `the new key could not be delivered: ${reasonOf(failure)}`;
    return held.path === null ? notKept(why) : stillKept(why, held.path, held.retried);
  }
  const file = delivery.to !== null && 'file' in delivery.to ? delivery.to.file : null;
  return { state: { outcome: 'done' }, file, diagnostics: discard(keys, held) };
}

function notKept(why: string): DeliveryAttempt {
  return { state: lostKey(`${why}; it could not be saved elsewhere`), file: null, diagnostics: [] };
}

function unflushed({ path, cause }: UnflushedSecret): DeliveryAttempt {
  const message = `the new key is in ${path}, but not flushed to the disk: ${reasonOf(cause)}`;
  const help = 'Save a copy of the key, because a crash of the machine could lose it. Then fix the cause.';
  const diagnostic = { severity: 'error', code: 'undelivered-key', message, help } as const;
  return { state: { outcome: 'failed', error: message }, file: path, diagnostics: [diagnostic] };
}

function stillKept(why: string, file: string, retried: boolean): DeliveryAttempt {
  const message = `${why}; it is kept in ${file}`;
  const help = retried
    ? 'Fix the cause, set `ROSTER_API_KEY` to the key in that file, and run `roster apply` again: it delivers the key.'
    : 'Move the key to its destination, and delete the file.';
  const diagnostic = { severity: 'error', code: 'undelivered-key', message, help } as const;
  return { state: { outcome: 'failed', error: message }, file, diagnostics: [diagnostic] };
}

/** The file holds a working key: if it cannot be removed, that must be known. */
function discard(keys: KeyKeeping, held: HeldKey): readonly Diagnostic[] {
  try {
    keys.discard(held);
    return [];
  } catch (failure) {
    const message = `the new key was delivered, but ${held.path} cannot be removed: ${reasonOf(failure)}`;
    return [{ severity: 'error', code: 'unwritable-file', message, help: 'Delete that file.' }];
  }
}

/** By the answer and by the list, because the answer may only repeat what was requested. */
async function checkScopes(newKey: NewKey, secret: Secret): Promise<ScopeCheck> {
  const { delivery, writer, kind } = newKey;
  const isWrong = (scopes: readonly string[] | null) => scopes !== null && !isRequested(scopes, delivery);
  try {
    // There is no need to wait for the list when the answer itself shows other scopes.
    if (isWrong(secret.scopes) && secret.id !== null)
      return await revoke(newKey, secret.id, secret.scopes ?? []);
    const listed = await findListed(newKey, secret);
    const scopes = listed === null ? null : (kind.secret?.scopesOf(listed) ?? null);
    const id = secret.id ?? listed?.id ?? null;
    for (const shown of [secret.scopes, scopes])
      if (isWrong(shown)) return await revoke(newKey, id, shown ?? []);
    const why = listed === null ? 'the list does not show the key' : 'the list does not show its scopes';
    const isListed = listed !== null;
    if (scopes === null && secret.scopes === null) return unchecked(why, isListed);
    const diagnostics = scopes === null ? [knownFromAnswer(why)] : [];
    return { state: { outcome: 'done' }, isListed, lockedOut: false, diagnostics };
  } catch (failure) {
    return unchecked(writer.judge(failure).message, false);
  }
}

/** It works, and may do more than was reviewed: a person has to check. */
function unchecked(why: string, isListed: boolean): ScopeCheck {
  const error = `the scopes of the new key could not be checked: ${why}; ${CHECK_BY_HAND}`;
  return { state: { outcome: 'unknown', error }, isListed, lockedOut: false, diagnostics: [] };
}

const CHECK_BY_HAND = 'check them in the dashboard (account menu, API keys), or revoke the key there';

function knownFromAnswer(why: string): Diagnostic {
  const message = `the scopes of the new key are known only from the response to its creation: ${why}`;
  return { severity: 'warning', code: 'not-converged', message, help: `To be sure, ${CHECK_BY_HAND}.` };
}

function isRequested(scopes: readonly string[], { scopes: requested }: Delivery): boolean {
  return canonical([...new Set(scopes)].sort()) === canonical([...requested].sort());
}

/** By its id if the answer showed one, else by what a list shows of a key: its first characters. */
async function findListed({ kind, writer, sleep }: NewKey, { id, value }: Secret): Promise<Observed | null> {
  const isOwn = (each: Observed) => {
    const prefix = each.facts['keyPrefix'];
    return each.id !== null && id !== null
      ? each.id === id
      : typeof prefix === 'string' && isPrefixOf(prefix, value);
  };
  const look = async () => {
    const listed = await writer.reader.readAll(kind.list());
    return listed.filter((each) => exists(kind, each) && isOwn(each));
  };
  const found = await pollUntil(look, ({ length }) => length === 1, sleep);
  return found.length === 1 ? (found[0] ?? null) : null;
}

async function revoke(newKey: NewKey, id: string | null, scopes: readonly string[]): Promise<ScopeCheck> {
  const { kind, writer, delivery } = newKey;
  const has = scopes.length === 0 ? "the user's full access" : `the scopes ${scopes.join(', ')}`;
  const requested = delivery.scopes.length === 0 ? 'full access' : delivery.scopes.join(', ');
  const what = `the new key has ${has}, but ${requested} was requested`;
  const revokeNow = 'Revoke it in the dashboard now';
  if (id === null) return failed(`${what}; it has no id. ${revokeNow}`);
  try {
    for (const { request } of kind.remove({ id, rawId: id, before: null })) await writer.send(request);
  } catch (failure) {
    return failed(
      `${what}; it could not be revoked: ${writer.judge(failure).message}. ${revokeNow}`,
      'unknown',
    );
  }
  return failed(`${what}; it was revoked immediately. Generate a key in the dashboard to continue`);
}

function failed(error: string, outcome: 'failed' | 'unknown' = 'failed'): ScopeCheck {
  return { state: { outcome, error }, isListed: true, lockedOut: true, diagnostics: [] };
}

/** Nobody may use a key that can do other things than were reviewed. Reports a file that cannot be removed. */
function removeRevoked({ keys, delivery }: NewKey, held: HeldKey): string {
  try {
    keys.withdraw(delivery, held.key);
    keys.discard(held);
    return '';
  } catch (failure) {
    return `; a file that holds it cannot be removed: ${reasonOf(failure)}`;
  }
}
