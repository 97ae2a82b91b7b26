import type { Diagnostic } from '../model/diagnostic.js';
import { canonical } from '../model/json.js';
import { isPrefixOf } from '../model/key-prefix.js';
import type { Kind } from '../model/kind.js';
import type { Delivery, Observed } from '../model/resource.js';
import type { StepState } from './schedule-steps.js';
import type { KeyKeeping, Verdict, Writer } from './writer.js';

interface Keeping {
  readonly delivery: Delivery;
  readonly kind: Kind;
  /** The `data` of the answer to the create. */
  readonly data: unknown;
  readonly writer: Writer;
  readonly keys: KeyKeeping;
  judge(failure: unknown): Verdict;
}

interface Kept {
  readonly state: StepState;
  readonly id: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * What follows the creation of a key, in this order: it is delivered and flushed before anything else happens; the
 * rest of the run works with it; and it is revoked at once when it can do more, or less, than was asked for
 * (interface §5.5, §5.8). Its value goes nowhere else.
 */
export async function keepSecret(keeping: Keeping): Promise<Kept> {
  const secret = keeping.kind.secret?.of(keeping.data) ?? null;
  if (secret === null) {
    const error =
      'the answer held no key; if one was created nobody can read it: revoke it in the dashboard and run this again';
    return { state: { outcome: 'unknown', error }, id: null, diagnostics: [] };
  }
  const problems = await handOver(keeping, secret.value);
  keeping.writer.useKey(secret.value);
  const state = await checkPower(keeping, secret);
  const delivered: StepState =
    problems.length === 0 ? state : { outcome: 'failed', error: problems[0]?.message ?? '' };
  const id = state.outcome === 'failed' ? null : secret.id;
  return { state: state.outcome === 'done' ? delivered : state, id, diagnostics: problems };
}

async function handOver({ delivery, keys }: Keeping, value: string): Promise<Diagnostic[]> {
  // A command may hang, or be killed with this run: until it has ended well the key is kept here as well.
  const kept = delivery.to !== null && 'command' in delivery.to ? keys.rescue(value) : null;
  try {
    await keys.deliver(delivery, value);
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    const { file } = kept ?? keys.rescue(value);
    const message = `the new key could not be delivered (${reason}); it is kept in ${file}`;
    const help = 'Take it from there, and delete the file.';
    return [{ severity: 'error', code: 'undeliverable-key', message, help }];
  }
  kept?.discard();
  return [];
}

type Secret = {
  readonly value: string;
  readonly id: string | null;
  readonly scopes: readonly string[] | null;
};

async function checkPower(keeping: Keeping, secret: Secret): Promise<StepState> {
  const { delivery, judge } = keeping;
  try {
    const listed =
      secret.scopes === null || secret.id === null ? await findListed(keeping, secret.value) : null;
    const scopes =
      secret.scopes ?? (listed === null ? null : (keeping.kind.secret?.scopesOf(listed) ?? null));
    if (scopes === null)
      return { outcome: 'unknown', error: 'the service does not say which scopes the new key has' };
    if (canonical([...scopes].sort()) === canonical(delivery.scopes)) return { outcome: 'done' };
    return await revoke(keeping, secret.id ?? listed?.id ?? null, scopes);
  } catch (failure) {
    return {
      outcome: 'unknown',
      error: `the scopes of the new key could not be checked: ${judge(failure).message}`,
    };
  }
}

async function findListed({ kind, writer }: Keeping, value: string): Promise<Observed | null> {
  const listed = await writer.reader.readAll(kind.list());
  const mine = listed.filter((each) => {
    const prefix = each.facts['keyPrefix'];
    return kind.exists(each) && typeof prefix === 'string' && isPrefixOf(prefix, value);
  });
  return mine.length === 1 ? (mine[0] ?? null) : null;
}

async function revoke(keeping: Keeping, id: string | null, scopes: readonly string[]): Promise<StepState> {
  const { kind, writer, keys, delivery, judge } = keeping;
  const has = scopes.length === 0 ? "the user's full access" : `the scopes ${scopes.join(', ')}`;
  const asked = delivery.scopes.length === 0 ? 'full access' : delivery.scopes.join(', ');
  const what = `the new key has ${has}, asked for was ${asked}`;
  if (id === null)
    return { outcome: 'failed', error: `${what}; it has no id: revoke it in the dashboard now` };
  try {
    for (const { request } of kind.remove({ id, rawId: id, before: null })) await writer.send(request);
  } catch (failure) {
    const error = `${what}; it could not be revoked: ${judge(failure).message}. Revoke it in the dashboard now`;
    return { outcome: 'unknown', error };
  }
  keys.withdraw(delivery);
  return {
    outcome: 'failed',
    error: `${what}; it was revoked at once. Generate a key in the dashboard to go on`,
  };
}
