import type { Dispatcher } from 'undici';
import { type ByteMeter, ReceivedBody } from './byte-budget.js';
import type { ConnectionSettings } from './connections.js';

/** A request as it goes over a connection. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With base path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface SendOptions {
  /** Asked at the last moment, when the request has a connection. */
  readonly guard?: SendGuard | undefined;
  /** Counts the body of a response that is kept. */
  readonly meter?: ByteMeter | undefined;
}

export interface Exchange extends HttpRequest, SendOptions {
  /** How many times the request has been sent, including this one. */
  readonly attempt: number;
}

/** Why no request may be sent now, as at the end of `was not sent: …`; null when one may. */
export type SendGuard = () => string | null;

export interface ReplyHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Reply extends ReplyHead {
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

/** The guard did not let the request start. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
}

/** How long requests in progress may take after an interrupt: a person is waiting. */
const GRACE_MS = 4_000;
/** What a request has in any case that starts after the interrupt, such as a look at what was just created. */
const LAST_MS = 1_000;

export interface TransportSettings extends ConnectionSettings {
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
  let pool: Promise<Dispatcher> | null = null;
  const interrupt = interruptOf(settings.signal);
  return {
    async exchange(exchange) {
      pool ??= import('./connections.js').then(({ openPool }) => openPool(settings));
      return dispatch(await pool, exchange, settings, interrupt);
    },
    async close() {
      interrupt.end();
      const open = await pool;
      await open?.destroy();
    },
  };
}

interface Interrupt {
  /** Functions to call when the signal fires. One listener for all: many on one signal look like a leak. */
  readonly inFlight: Set<() => void>;
  /** How long a request that starts now may take. */
  limit(timeoutMs: number): number;
  /** The signal may outlive the transport. */
  end(): void;
}

function interruptOf(signal: AbortSignal | undefined): Interrupt {
  const inFlight = new Set<() => void>();
  let end = Number.POSITIVE_INFINITY;
  const onAbort = () => {
    end = performance.now() + GRACE_MS;
    for (const abortSoon of inFlight) abortSoon();
  };
  signal?.addEventListener('abort', onAbort);
  return {
    inFlight,
    end: () => signal?.removeEventListener('abort', onAbort),
    limit: (timeoutMs) => Math.min(timeoutMs, Math.max(LAST_MS, end - performance.now())),
  };
}

const INTERRUPTED = `no response within ${GRACE_MS / 1000} s after the interrupt`;

/**
 * `dispatch` rather than `request`, because only it reports when a request gets a connection: one that fails before was
 * never sent, so that even a create may be sent again.
 */
function dispatch(
  pool: Dispatcher,
  { method, path, headers, body, guard, meter }: Exchange,
  { origin, timeoutMs }: TransportSettings,
  { inFlight, limit }: Interrupt,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let head: ReplyHead | null = null;
    let expired = false;
    let settled = false;
    const received = new ReceivedBody(meter);

    const settle = (error: Error | null) => {
      settled = true;
      clearTimeout(timer);
      inFlight.delete(abortSoon);
      if (error !== null) received.refund();
      if (head === null) reject(new NoReply(error ?? new Error('no answer'), controller !== null));
      else resolve({ body: received.whole(), truncated: error, ...head });
    };
    const expireNow = (words: string) => {
      if (settled) return;
      expired = true;
      const error = new DeadlineError(words);
      settle(error);
      controller?.abort(error);
    };
    // A process that was stopped finds its timers due and the answer waiting: the answer is read first.
    const expire = (words: string) => void setImmediate(expireNow, words);
    const allowed = limit(timeoutMs);
    let timer = setTimeout(() => expire(`no response within ${Math.ceil(allowed) / 1000} s`), allowed);
    const abortSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => expire(INTERRUPTED), Math.min(GRACE_MS, timeoutMs));
    };
    inFlight.add(abortSoon);

    pool.dispatch(
      { origin, method, path, headers: { ...headers }, body },
      {
        onRequestStart(started) {
          const why = guard?.() ?? null;
          // It waited for a connection until its deadline, and was reported as not sent: it must not be sent now.
          if (expired) started.abort(new DeadlineError('it was too late'));
          else if (why !== null) started.abort(new NotAllowed(why));
          else controller = started;
        },
        onResponseStart(_controller, status, headers) {
          // A 1xx only announces the answer.
          if (status >= 200) head = { status, headers };
        },
        onResponseData(receiving, chunk) {
          const over = received.add(chunk);
          if (over !== null) receiving.abort(over);
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

/** One attempt at a request, as `-v` logs it: neither headers nor a body. */
export interface AttemptEvent {
  readonly method: string;
  /** With base path and query. */
  readonly path: string;
  /** Null when there was no answer. */
  readonly status: number | null;
  readonly milliseconds: number;
  /** From 1. */
  readonly attempt: number;
}

/** Reports every attempt when it has ended, except those that were not allowed to start. */
export function logged(
  transport: Transport,
  onAttempt: ((event: AttemptEvent) => void) | undefined,
): Transport {
  if (onAttempt === undefined) return transport;
  return {
    ...transport,
    async exchange(exchange) {
      const { method, path, attempt } = exchange;
      const began = performance.now();
      const log = (status: number | null) =>
        onAttempt({ method, path, attempt, status, milliseconds: performance.now() - began });
      try {
        const reply = await transport.exchange(exchange);
        log(reply.status);
        return reply;
      } catch (error) {
        if (!(error instanceof NoReply && error.cause instanceof NotAllowed)) log(null);
        throw error;
      }
    },
  };
}
