import { setTimeout as wait } from 'node:timers/promises';
import type { AttemptEvent } from './http.js';
import type { HttpProxy } from './proxy.js';
import { RateLimiter, type RateLimitSettings } from './rate-limit.js';
import type { RetryBudget, RetryEvent, RetrySettings } from './retry.js';

export interface ClientSettings {
  /** Checked again by `serviceUrl`. */
  readonly baseUrl: URL | string;
  /** Where it comes from, for messages: `ROSTER_URL`, or a place such as roster.yaml:3. */
  readonly urlFrom?: string | undefined;
  /** The proxy to connect through; none by default. */
  readonly proxy?: HttpProxy | null | undefined;
  /** Null makes every request fail with `missing-setting`. */
  readonly apiKey: string | null;
  /** Requests on the wire at the same time. */
  readonly concurrency: number;
  /** For one whole attempt. Time in the queue does not count. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Masked in texts of the service, as the API key is. */
  readonly secrets?: readonly string[] | undefined;
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  readonly onAttempt?: ((event: AttemptEvent) => void) | undefined;
  /** Called when the service limits requests, and the client waits before it sends any other. */
  readonly onPause?: RateLimitSettings['onPause'] | undefined;
  /** How long rate limits may hold requests back in all; 30 minutes by default. */
  readonly deadlineMs?: number | undefined;
  /** Once aborted, nothing is retried, and requests in progress have a few seconds left. */
  readonly signal?: AbortSignal | undefined;
  /** Shared by the clients of one run. */
  readonly budget?: RetryBudget | undefined;
  readonly random?: (() => number) | undefined;
  readonly sleep?: RetrySettings['sleep'] | undefined;
  /** The largest body; 32 MB by default. */
  readonly maxBytes?: number | undefined;
  /** The most bytes of all bodies that are kept; 128 MB by default. */
  readonly maxTotalBytes?: number | undefined;
}

const DEFAULT_DEADLINE_MS = 30 * 60_000;

export function retrySettings(settings: ClientSettings): RetrySettings {
  return {
    budget: settings.budget ?? { requests: 0, retries: 0 },
    random: settings.random ?? Math.random,
    sleep: settings.sleep ?? sleep,
    onRetry: settings.onRetry ?? (() => {}),
    signal: settings.signal,
  };
}

export function rateLimiter(settings: ClientSettings): RateLimiter {
  return new RateLimiter({
    deadlineMs: settings.deadlineMs ?? DEFAULT_DEADLINE_MS,
    random: settings.random ?? Math.random,
    sleep: settings.sleep ?? sleep,
    onPause: settings.onPause ?? (() => {}),
    signal: settings.signal,
  });
}

/** A timer may fire a fraction early, but `Retry-After` must pass completely: hence the extra millisecond. */
async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(ms + 1, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
