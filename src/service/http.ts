import type { Dispatcher, Pool } from 'undici';

/** One attempt, ready for the wire. */
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
  /** Why the body ended before its end; null when it is whole. */
  readonly truncated: Error | null;
}

/** No answer came. `sent` is false only when the request provably never was on a connection. */
export class NoReply extends Error {
  readonly sent: boolean;
  readonly code: string | null;

  constructor(cause: Error, sent: boolean) {
    super(cause.message, { cause });
    this.name = 'NoReply';
    this.sent = sent;
    this.code = codeOf(cause);
  }
}

/** The total deadline of one attempt has passed. */
export class DeadlineError extends Error {
  /** @param words `no answer within 30 s` */
  constructor(words: string) {
    super(words);
    this.name = 'DeadlineError';
  }
}

/** What is in flight when the run is told to end gets so long: who told it does not wait for ever. */
const graceMs = 4_000;

export interface TransportSettings {
  readonly origin: string;
  readonly connections: number;
  /** For one attempt in total, connecting and the last byte of the body included. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Once it has fired, what is in flight has a few seconds left. */
  readonly signal?: AbortSignal | undefined;
}

export interface Transport {
  /** Never follows a redirect, never retries, never inflates. Throws `NoReply`. */
  exchange(exchange: Exchange): Promise<Reply>;
  /** Ends all connections at once. */
  close(): Promise<void>;
}

/** undici's own timeouts see idle time only, so one timer for each attempt replaces them. */
export function createTransport(settings: TransportSettings): Transport {
  let pool: Promise<Pool> | null = null;
  const abortSoon = hurrying(settings.signal);
  return {
    async exchange(exchange) {
      pool ??= openPool(settings);
      return dispatch(await pool, exchange, settings.timeoutMs, abortSoon);
    },
    async close() {
      const open = await pool;
      await open?.destroy();
    },
  };
}

/** Calls each function of the set when the signal fires. One listener for all: many on one signal look like a leak. */
function hurrying(signal: AbortSignal | undefined): Set<() => void> {
  const inFlight = new Set<() => void>();
  signal?.addEventListener('abort', () => {
    for (const abortSoon of inFlight) abortSoon();
  });
  return inFlight;
}

/** The pool alone: the package's entry also loads fetch, WebSocket and caches, and takes twice as long to start. */
async function openPool({ origin, connections, timeoutMs, maxBytes }: TransportSettings): Promise<Pool> {
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
 * `dispatch` rather than `request`, because only it tells when a request is put on a connection: what fails before
 * that was never sent, and may be sent again whatever it is.
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
    let timer = setTimeout(() => expire(`no answer within ${timeoutMs / 1000} s`), timeoutMs);
    const abortSoon = () => {
      clearTimeout(timer);
      const words = `no answer within ${graceMs / 1000} s of the interrupt`;
      timer = setTimeout(() => expire(words), Math.min(graceMs, timeoutMs));
    };
    inFlight.add(abortSoon);

    pool.dispatch(
      { ...exchange },
      {
        onRequestStart(started) {
          // It waited for a connection until its deadline: it was reported as not sent, so it must not be.
          if (expired) started.abort(new DeadlineError('it was too late'));
          else controller = started;
        },
        onResponseStart(_controller, status, headers) {
          // 1xx only announce the answer.
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

function codeOf(error: Error): string | null {
  const code: unknown = 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}
