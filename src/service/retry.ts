import type { Effect } from '../model/request.js';
import { type FailureFacts, ServiceFailure } from './failure.js';

const attempts = 3;
const baseMs = 200;
const capMs = 5_000;
/** Longer than this nobody waits in silence: the run ends and says so. */
const patienceMs = 60_000;

/** Retries that a whole run may spend, so that a service in trouble is not asked three times as often. */
export interface RetryBudget {
  requests: number;
  retries: number;
}

export interface RetryEvent {
  readonly method: string;
  readonly path: string;
  /** Of the attempt to come: 2 or 3. */
  readonly attempt: number;
  readonly waitMs: number;
  readonly reason: string;
}

export interface RetrySettings {
  readonly budget: RetryBudget;
  readonly random: () => number;
  /** Ends early when `signal` fires. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly onRetry: (event: RetryEvent) => void;
  /** Once it has fired, no attempt is begun after a failed one. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends until it goes well, may not be sent again, or has been sent three times: full jitter, `Retry-After` honoured.
 * Throws the last failure.
 */
export async function withRetries<T>(
  subject: { readonly method: string; readonly path: string; readonly effect: Effect },
  settings: RetrySettings,
  send: () => Promise<T>,
): Promise<T> {
  settings.budget.requests += 1;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      const { facts } = error;
      const waitMs = Math.max(facts.retryAfterMs ?? 0, jitter(attempt, settings.random));
      const end = whyNot(subject.effect, facts, attempt, waitMs, settings);
      if (end !== null) throw concluded(facts, attempt, end);
      settings.budget.retries += 1;
      const { method, path } = subject;
      settings.onRetry({ method, path, attempt: attempt + 1, waitMs, reason: facts.message });
      await settings.sleep(waitMs, settings.signal);
      if (settings.signal?.aborted) throw concluded(facts, attempt, '');
    }
  }
}

/** Anywhere between nothing and a doubling bound: clients that failed together do not come back together. */
function jitter(attempt: number, random: () => number): number {
  return Math.floor(random() * Math.min(capMs, baseMs * 2 ** (attempt - 1)));
}

/** Why there is no further attempt, as an ending of the message; null when there is one. */
function whyNot(
  effect: Effect,
  facts: FailureFacts,
  attempt: number,
  waitMs: number,
  { budget, signal }: RetrySettings,
): string | null {
  if (!facts.transient || !maySendAgain(effect, facts)) return '';
  if (signal?.aborted || attempt >= attempts) return '';
  if (waitMs > patienceMs) return `; it asks to wait ${Math.ceil(waitMs / 1000)} s, which is too long`;
  const spent = budget.retries >= Math.max(10, Math.floor(budget.requests / 5));
  return spent ? '; too many requests of this run have failed to try again' : null;
}

/** A create goes out again only when the service cannot have taken it: never connected, or told to come back. */
function maySendAgain(effect: Effect, { certainty, status }: FailureFacts): boolean {
  return effect !== 'create' || certainty === 'not-sent' || status === 429;
}

function concluded(facts: FailureFacts, attempt: number, end: string): ServiceFailure {
  const times = attempt > 1 ? ` (tried ${attempt} times)` : '';
  return new ServiceFailure({ ...facts, message: `${facts.message}${times}${end}` }, attempt);
}
