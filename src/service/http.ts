import type { Dispatcher, Pool } from 'undici';

export interface Exchange {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With base path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
  /** Why the body is incomplete; null when it is complete. */
  readonly truncated: Error | null;
}

/** There was no answer. `sent` is false only when the request certainly never was on a connection. */
export class NoReply extends Error {
  readonly code: string | null;

  constructor(
    cause: Error,
    readonly sent: boolean,
  ) {
    super(cause.message, { cause });
    this.name = 'NoReply';
    this.code = codeOf(cause);
  }
}

/** The total deadline of one attempt has passed: `no answer within 30 s`. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** How long requests in progress may take after an interrupt: a person is waiting. */
const GRACE_MS = 4_000;

export interface TransportSettings {
  readonly origin: string;
  readonly connections: number;
  /** For one whole attempt, from connecting to the last byte of the body. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Once aborted, requests in progress have a few seconds left. */
  readonly signal?: AbortSignal | undefined;
}

export interface Transport {
  /** Never follows a redirect, never retries, never inflates. Throws `NoReply`. */
  exchange(exchange: Exchange): Promise<Reply>;
  close(): Promise<void>;
}

/** undici's own timeouts see idle time only, so one timer for each attempt replaces them. */
export function createTransport(settings: TransportSettings): Transport {
  let pool: Promise<Pool> | null = null;
  const inFlight = abortedBy(settings.signal);
  return {
    async exchange(exchange) {
      pool ??= openPool(settings);
      return dispatch(await pool, exchange, settings.timeoutMs, inFlight);
    },
    async close() {
      const open = await pool;
      await open?.destroy();
    },
  };
}

/** A set of functions to call when the signal fires. One listener for all: many on one signal look like a leak. */
function abortedBy(signal: AbortSignal | undefined): Set<() => void> {
  const inFlight = new Set<() => void>();
  signal?.addEventListener('abort', () => {
    for (const abortSoon of inFlight) abortSoon();
  });
  return inFlight;
}

/** Only the pool: the package's entry also loads fetch, WebSocket and caches, and takes twice as long to start. */
export async function openPool({
  origin,
  connections,
  timeoutMs,
  maxBytes,
}: TransportSettings): Promise<Pool> {
  const { default: UndiciPool } = await import('undici/lib/dispatcher/pool.js');
  return new UndiciPool(origin, {
    connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: Math.min(timeoutMs, 10_000) },
    maxResponseSize: maxBytes,
  });
}

/**
 * `dispatch` rather than `request`, because only it reports when a request gets a connection: one that fails before was
 * never sent, so that even a create may be sent again.
 */
function dispatch(
  pool: Pool,
  exchange: Exchange,
  timeoutMs: number,
  inFlight: Set<() => void>,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let head: Pick<Reply, 'status' | 'headers'> | null = null;
    let expired = false;
    const chunks: Buffer[] = [];

    const settle = (error: Error | null) => {
      clearTimeout(timer);
      inFlight.delete(abortSoon);
      if (head === null) reject(new NoReply(error ?? new Error('no answer'), controller !== null));
      else resolve({ ...head, body: Buffer.concat(chunks), truncated: error });
    };
    const expire = (words: string) => {
      expired = true;
      const error = new DeadlineError(words);
      settle(error);
      controller?.abort(error);
    };
    let timer = setTimeout(() => expire(`no response within ${timeoutMs / 1000} s`), timeoutMs);
    const abortSoon = () => {
      clearTimeout(timer);
      const words = `no response within ${GRACE_MS / 1000} s after the interrupt`;
      timer = setTimeout(() => expire(words), Math.min(GRACE_MS, timeoutMs));
    };
    inFlight.add(abortSoon);

    pool.dispatch(
      { ...exchange },
      {
        onRequestStart(started) {
          // It waited for a connection until its deadline, and was reported as not sent: it must not be sent now.
          if (expired) started.abort(new DeadlineError('it was too late'));
          else controller = started;
        },
        onResponseStart(_controller, status, headers) {
          // A 1xx only announces the answer.
          if (status >= 200) head = { status, headers };
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd: () => settle(null),
        onResponseError: (_controller, error) => settle(error),
      },
    );
  });
}

export function firstHeader(reply: Reply, name: string): string | null {
  const value = reply.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

/** The system's or undici's name for it. */
export function codeOf(error: Error): string | null {
  const code: unknown = 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}
