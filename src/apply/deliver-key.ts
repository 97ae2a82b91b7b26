import type { Diagnostic } from '../model/diagnostic.js';
import { canonical } from '../model/json.js';
import { isPrefixOf } from '../model/key-prefix.js';
import { exists, type Kind } from '../model/kind.js';
import type { Delivery, Observed } from '../model/resource.js';
import { looks } from './recover-create.js';
import type { StepState } from './run-steps.js';
import type { BackUp, KeyKeeping, Verdict, Writer } from './writer.js';

interface Keeping {
  readonly delivery: Delivery;
  readonly kind: Kind;
  /** The `data` of the answer to the create. */
  readonly data: unknown;
  readonly writer: Writer;
  readonly keys: KeyKeeping;
  judge(failure: unknown): Verdict;
  sleep(milliseconds: number): Promise<void>;
}

interface KeyDelivery {
  readonly state: StepState;
  readonly id: string | null;
  /** Nothing more is to be asked with the key that requests are made with now. */
  readonly lockedOut: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * What follows the creation of a key, in this order: it is delivered and flushed before anything else happens; the
 * rest of the run works with it; and it is revoked at once when it can do more, or less, than was asked for
 * (interface §5.5, §5.8). Its value goes nowhere else.
 */
export async function deliverKey(keeping: Keeping): Promise<KeyDelivery> {
  const secret = keeping.kind.secret?.of(keeping.data) ?? null;
  if (secret === null)
    return { state: lostKey('the answer held no key'), id: null, lockedOut: true, diagnostics: [] };
  const handed = await handOver(keeping, secret.value);
  keeping.writer.useKey(secret.value);
  const power = await checkPower(keeping, secret);
  const diagnostics = [...handed.diagnostics, ...power.diagnostics];
  if (power.state.outcome !== 'done') {
    const left = handed.state.outcome === 'done' ? whatIsLeft(keeping, power) : '';
    const state = { ...power.state, error: `${power.state.error}${left}` };
    return { ...power, state, id: state.outcome === 'failed' ? null : secret.id, diagnostics };
  }
  return {
    state: handed.state,
    id: handed.state.outcome === 'unknown' ? null : secret.id,
    lockedOut: false,
    diagnostics,
  };
}

/** What is to be said of where the key was delivered to. */
function whatIsLeft(keeping: Keeping, { lockedOut }: Power): string {
  if (lockedOut) return removeDelivered(keeping);
  const { to } = keeping.delivery;
  if (to === null) return '';
  return `; it was delivered to ${'file' in to ? to.file : `the command ${to.command[0]}`}`;
}

/** Nobody can read the new key, if there is one: the way on leads through the dashboard. */
export function lostKey(why: string): StepState {
  const steps =
    'a key may have been created that nobody can read: in the dashboard (account menu, API keys) revoke it, generate a new one for ROSTER_API_KEY, and run this again';
  return { outcome: 'unknown', error: `${why}; ${steps}` };
}

async function handOver(
  { delivery, keys }: Keeping,
  value: string,
): Promise<{ state: StepState; diagnostics: readonly Diagnostic[] }> {
  // A command may hang, or be killed with this run: until it has ended well the key is kept here as well.
  const kept = delivery.to !== null && 'command' in delivery.to ? keys.backUp(value) : null;
  try {
    await keys.deliver(delivery, value);
  } catch (failure) {
    const message = `the new key could not be delivered (${reasonOf(failure)})`;
    const backedUp = kept ?? keys.backUp(value);
    if (backedUp === null) return { state: lostKey(`${message}, nor kept anywhere else`), diagnostics: [] };
    const where = `${message}; it is kept in ${backedUp.file}`;
    const help = 'Take it from there, and delete the file.';
    const diagnostic = { severity: 'error', code: 'undeliverable-key', message: where, help } as const;
    return { state: { outcome: 'failed', error: where }, diagnostics: [diagnostic] };
  }
  return { state: { outcome: 'done' }, diagnostics: kept === null ? [] : discard(kept) };
}

/** It holds a key that works: that it is still there must be known. */
function discard(kept: BackUp): readonly Diagnostic[] {
  try {
    kept.discard();
    return [];
  } catch (failure) {
    const message = `the new key was delivered, and is still in ${kept.file}: ${reasonOf(failure)}`;
    return [{ severity: 'error', code: 'unreadable-file', message, help: 'Delete that file.' }];
  }
}

const reasonOf = (failure: unknown): string => (failure instanceof Error ? failure.message : String(failure));

type Secret = {
  readonly value: string;
  readonly id: string | null;
  readonly scopes: readonly string[] | null;
};

type Power = Pick<KeyDelivery, 'state' | 'lockedOut' | 'diagnostics'>;

/** By the answer, and by the list as well, since the answer may but repeat what was asked for. */
async function checkPower(keeping: Keeping, secret: Secret): Promise<Power> {
  const { delivery, judge, kind } = keeping;
  const isWrong = (scopes: readonly string[] | null) => scopes !== null && !isAsked(scopes, delivery);
  try {
    // Nothing is waited for when the answer itself says that it can do other than was asked for.
    if (isWrong(secret.scopes) && secret.id !== null)
      return await revoke(keeping, secret.id, secret.scopes ?? []);
    const listed = await findListed(keeping, secret);
    const scopes = listed === null ? null : (kind.secret?.scopesOf(listed) ?? null);
    const id = secret.id ?? listed?.id ?? null;
    for (const said of [secret.scopes, scopes])
      if (isWrong(said)) return await revoke(keeping, id, said ?? []);
    const why = listed === null ? 'the list does not show it' : 'the list does not tell them';
    if (scopes === null && secret.scopes === null) return unproven(why);
    const diagnostics = scopes === null ? [answerAlone(why)] : [];
    return { state: { outcome: 'done' }, lockedOut: false, diagnostics };
  } catch (failure) {
    return unproven(judge(failure).message);
  }
}

/** It works, and may do more than was agreed to: somebody has to look. */
function unproven(why: string): Power {
  const error = `the scopes of the new key could not be checked: ${why}; ${look}`;
  return { state: { outcome: 'unknown', error }, lockedOut: false, diagnostics: [] };
}

const look = 'check them in the dashboard (account menu, API keys), or revoke the key there';

function answerAlone(why: string): Diagnostic {
  const message = `the scopes of the new key are known from the answer to its creation alone: ${why}`;
  return { severity: 'warning', code: 'not-converged', message, help: `To be sure, ${look}.` };
}

function isAsked(scopes: readonly string[], { scopes: asked }: Delivery): boolean {
  return canonical([...new Set(scopes)].sort()) === canonical([...asked].sort());
}

/** By its id where the answer showed one, else by what a list shows of a key: its first characters. */
async function findListed({ kind, writer, sleep }: Keeping, { id, value }: Secret): Promise<Observed | null> {
  const isMine = (each: Observed) => {
    const prefix = each.facts['keyPrefix'];
    return each.id !== null && id !== null
      ? each.id === id
      : typeof prefix === 'string' && isPrefixOf(prefix, value);
  };
  for (const wait of looks) {
    if (wait > 0) await sleep(wait);
    const listed = await writer.reader.readAll(kind.list());
    const mine = listed.filter((each) => exists(kind, each) && isMine(each));
    if (mine.length === 1) return mine[0] ?? null;
  }
  return null;
}

async function revoke(keeping: Keeping, id: string | null, scopes: readonly string[]): Promise<Power> {
  const { kind, writer, delivery, judge } = keeping;
  const has = scopes.length === 0 ? "the user's full access" : `the scopes ${scopes.join(', ')}`;
  const asked = delivery.scopes.length === 0 ? 'full access' : delivery.scopes.join(', ');
  const what = `the new key has ${has}, asked for was ${asked}`;
  const now = 'Revoke it in the dashboard now';
  if (id === null) return failed(`${what}; it has no id. ${now}`);
  try {
    for (const { request } of kind.remove({ id, rawId: id, before: null })) await writer.send(request);
  } catch (failure) {
    return failed(`${what}; it could not be revoked: ${judge(failure).message}. ${now}`, 'unknown');
  }
  return failed(`${what}; it was revoked at once. Generate a key in the dashboard to go on`);
}

function failed(error: string, outcome: 'failed' | 'unknown' = 'failed'): Power {
  return { state: { outcome, error }, lockedOut: true, diagnostics: [] };
}

/** Nobody shall work with a key that can do other than was agreed to. What to say when the file does not go. */
function removeDelivered({ keys, delivery }: Keeping): string {
  try {
    keys.withdraw(delivery);
    return '';
  } catch (failure) {
    return `; the file that it was delivered to could not be removed (${reasonOf(failure)})`;
  }
}
