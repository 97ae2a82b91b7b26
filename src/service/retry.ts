import type { Effect, Request } from '../model/request.js';
import { waitText } from '../model/words.js';
import { type FailureFacts, ServiceFailure } from './failure.js';

const MAX_ATTEMPTS = 3;
const BASE_DELAY_MS = 200;
const MAX_DELAY_MS = 5_000;
/** A run does not wait longer than this: it ends and says so. */
const MAX_WAIT_MS = 60_000;

/** Limits the retries of a whole run, so that a failing service does not get three times the requests. */
export interface RetryBudget {
  requests: number;
  retries: number;
}

export interface RetryEvent {
  readonly method: string;
  readonly path: string;
  /** The number of the next attempt: 2 or 3. */
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
  /** Once aborted, a failed attempt is not repeated. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends a request until it succeeds, may not be sent again, or was sent three times: with full jitter, and after
 * `Retry-After`. Throws the last failure.
 */
export async function withRetries<T>(
  subject: { readonly method: string; readonly path: string; readonly effect: Effect },
  settings: RetrySettings,
  send: () => Promise<T>,
): Promise<T> {
  settings.budget.requests += 1;
  let mayHaveArrived = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      const facts = ofAllAttempts(error.facts, mayHaveArrived);
      mayHaveArrived = facts.certainty === 'unknown';
      const waitMs = Math.max(facts.retryAfterMs ?? 0, jitter(attempt, settings.random));
      const isRepeatable = facts.transient && maySendAgain(subject.effect, facts);
      const end = isRepeatable ? whyNoRetry(attempt, waitMs, settings) : '';
      if (end !== null) throw concluded(facts, attempt, end);
      settings.budget.retries += 1;
      const { method, path } = subject;
      settings.onRetry({ method, path, attempt: attempt + 1, waitMs, reason: facts.message });
      await settings.sleep(waitMs, settings.signal);
      if (settings.signal?.aborted) throw concluded(facts, attempt, '');
    }
  }
}

/** A last attempt that was not sent, or not taken because of a rate limit, says nothing about the ones before it. */
function ofAllAttempts(facts: FailureFacts, mayHaveArrived: boolean): FailureFacts {
  const saysNothing = facts.certainty === 'not-sent' || facts.status === 429;
  return mayHaveArrived && saysNothing ? { ...facts, certainty: 'unknown' } : facts;
}

/** A random delay up to a bound that doubles: clients that failed together do not return together. */
function jitter(attempt: number, random: () => number): number {
  return Math.floor(random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (attempt - 1)));
}

/** Why there is no further attempt after `waitMs`, to append to the message; null when there is one. */
function whyNoRetry(attempt: number, waitMs: number, { budget, signal }: RetrySettings): string | null {
  if (signal?.aborted || attempt >= MAX_ATTEMPTS) return '';
  if (waitMs > MAX_WAIT_MS) return `; the service asks to wait ${waitText(waitMs)}, which is too long`;
  const spent = budget.retries >= Math.max(10, Math.floor(budget.requests / 5));
  return spent ? '; not retried, because too many requests of this command have failed' : null;
}

/** A create is sent again only when it was not sent. A 429 never gets here: the rate limiter repeats the request. */
function maySendAgain(effect: Effect, { certainty }: FailureFacts): boolean {
  return effect !== 'create' || certainty === 'not-sent';
}

function concluded(facts: FailureFacts, attempt: number, end: string): ServiceFailure {
  const times = attempt > 1 ? ` (tried ${attempt} times)` : '';
  return new ServiceFailure({ ...facts, message: `${facts.message}${times}${end}` }, attempt);
}

/** Calls `send` with each method in turn, until one is allowed. */
export async function withOtherMethods<T>(
  request: Request,
  send: (request: Request) => Promise<T>,
): Promise<T> {
  const { otherMethods = [], ...first } = request;
  let sent: Request = first;
  for (const method of otherMethods) {
    try {
      return await send(sent);
    } catch (error) {
      if (!(error instanceof ServiceFailure) || error.status !== 405) throw error;
      // A plan holds no PATCH, so the type of its requests has none.
      sent = { ...first, method: method as Request['method'] };
    }
  }
  return send(sent);
}
