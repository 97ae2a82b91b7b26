import type { RetryBudget, RetryEvent, RetrySettings } from './retry.js';

export interface ClientSettings {
  /** Checked again by `serviceUrl`. */
  readonly baseUrl: URL | string;
  /** Where it comes from, for messages: `ROSTER_URL`, or a place such as roster.yaml:3. */
  readonly urlFrom?: string | undefined;
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
  /** Once aborted, nothing is retried, and requests in progress have a few seconds left. */
  readonly signal?: AbortSignal | undefined;
  /** Shared by the clients of one run. */
  readonly budget?: RetryBudget | undefined;
  readonly random?: (() => number) | undefined;
  readonly sleep?: RetrySettings['sleep'] | undefined;
  /** The largest body; 32 MB by default. */
  readonly maxBytes?: number | undefined;
  /** Of all bodies that are kept; 128 MB by default. */
  readonly maxTotalBytes?: number | undefined;
}
