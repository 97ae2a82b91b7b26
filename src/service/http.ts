import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { type ByteMeter, ReceivedBody } from './byte-budget.js';
import type { SocketGate } from './connections.js';
import type { ConnectionSettings } from './proxy.js';

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
  /** The body of a 200 is not kept, but arrives while it is read, on a connection of its own. */
  readonly asStream?: boolean;
}

export interface Exchange extends HttpRequest, SendOptions {
  /** How many times the request has been sent, including this one. */
  readonly attempt: number;
  /** On a connection of its own, which is closed afterwards. */
  readonly ownConnection?: boolean;
}

/** Why no request may be sent now, as at the end of `was not sent: …`; null when one may. */
export type SendGuard = () => string | null;

export interface ReplyHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Reply extends ReplyHead {
  /** Empty for a stream. */
  readonly body: Uint8Array;
  /** Why the body is incomplete; null when it is complete. */
  readonly truncated: Error | null;
  /** For `asStream` and a 200. Whoever has it must read it to its end, or destroy it. */
  readonly stream?: Readable;
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

/** The time of one attempt is over: `no response within 30 s`. */
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

/** What is kept of an answer in place of a file: enough for the reason. */
const MOST_REFUSAL_BYTES = 65_536;

export interface TransportSettings extends ConnectionSettings {
  /** The largest body that is kept. */
  readonly maxBytes: number;
  /** Called when an attempt has ended, but for those that were not allowed to start. */
  readonly onAttempt?: ((event: AttemptEvent) => void) | undefined;
  /** Once aborted, requests in progress have a few seconds left. */
  readonly signal?: AbortSignal | undefined;
}

export interface Transport {
  /** Never follows a redirect, never retries, never inflates. Throws `NoReply`. */
  exchange(exchange: Exchange): Promise<Reply>;
  close(): Promise<void>;
}

export function createTransport(settings: TransportSettings): Transport {
  return new HttpTransport(settings);
}

class HttpTransport implements Transport {
  readonly #settings: TransportSettings;
  #connections: Promise<typeof import('./connections.js')> | null = null;
  #shared: Dispatcher | null = null;
  /** All that are open, of which one is shared. */
  readonly #pools = new Set<Dispatcher>();
  readonly #inFlight = new Set<HttpAttempt>();
  /** When all requests must have ended. */
  #end = Number.POSITIVE_INFINITY;

  constructor(settings: TransportSettings) {
    this.#settings = settings;
    // One listener for all requests: many on one signal look like a leak.
    settings.signal?.addEventListener('abort', this.#interrupt);
  }

  async exchange(exchange: Exchange): Promise<Reply> {
    const { method, path, attempt } = exchange;
    const { onAttempt } = this.#settings;
    const began = performance.now();
    const log = (status: number | null) =>
      onAttempt?.({ method, path, attempt, status, milliseconds: performance.now() - began });
    try {
      const reply = await this.#send(exchange);
      log(reply.status);
      return reply;
    } catch (error) {
      if (!(error instanceof NoReply && error.cause instanceof NotAllowed)) log(null);
      throw error;
    }
  }

  async #send(exchange: Exchange): Promise<Reply> {
    const settings = this.#settings;
    const { method, path, headers, body, asStream = false, ownConnection = asStream } = exchange;
    this.#connections ??= import('./connections.js');
    const { openPool, SocketGate } = await this.#connections;
    if (asStream && settings.signal?.aborted === true) throw new NoReply(new Error('interrupted'), false);
    const gate = asStream ? new SocketGate() : null;
    const pool = (ownConnection ? null : this.#shared) ?? openPool(settings, gate);
    if (!ownConnection) this.#shared = pool;
    this.#pools.add(pool);
    const sent = new HttpAttempt(exchange, settings, gate, () => {
      this.#inFlight.delete(sent);
      // Not while undici reads the end of the response.
      if (ownConnection) setImmediate(() => this.#destroy(pool));
    });
    this.#inFlight.add(sent);
    sent.start(Math.min(settings.timeoutMs, Math.max(LAST_MS, this.#end - performance.now())));
    pool.dispatch({ origin: settings.origin, method, path, headers: { ...headers }, body }, sent);
    return sent.reply;
  }

  async close(): Promise<void> {
    // The signal may outlive the transport.
    this.#settings.signal?.removeEventListener('abort', this.#interrupt);
    await Promise.all([...this.#pools].map((pool) => this.#destroy(pool)));
  }

  async #destroy(pool: Dispatcher): Promise<void> {
    if (this.#pools.delete(pool)) await pool.destroy();
  }

  readonly #interrupt = (): void => {
    this.#end = performance.now() + GRACE_MS;
    for (const sent of this.#inFlight) sent.interrupt();
  };
}

/**
 * One request on its way, and its response. With `dispatch` rather than `request`, because only that reports when a request
 * gets a connection: one that fails before was never sent, so that even a create may be sent again.
 */
class HttpAttempt implements Dispatcher.DispatchHandler {
  readonly reply: Promise<Reply>;
  #resolve: (reply: Reply) => void = () => undefined;
  #reject: (failure: NoReply) => void = () => undefined;
  #controller: Dispatcher.DispatchController | null = null;
  #head: ReplyHead | null = null;
  #stream: Readable | null = null;
  #hasEnded = false;
  readonly #kept: ReceivedBody;
  readonly #timer = new Timer();

  constructor(
    private readonly exchange: Exchange,
    private readonly settings: TransportSettings,
    private readonly gate: SocketGate | null,
    private readonly onEnd: () => void,
  ) {
    const most = exchange.asStream === true ? MOST_REFUSAL_BYTES : settings.maxBytes;
    this.#kept = new ReceivedBody(most, exchange.meter);
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  start(allowedMs: number): void {
    this.#limit(allowedMs, `no response within ${Math.ceil(allowedMs) / 1000} s`);
  }

  /** A stream may take hours, and reading it again does no harm. */
  interrupt(): void {
    if (this.exchange.asStream === true) this.#fail(new Error('interrupted'));
    else
      this.#limit(
        Math.min(GRACE_MS, this.settings.timeoutMs),
        `no response within ${GRACE_MS / 1000} s after the interrupt`,
      );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const why = this.exchange.guard?.() ?? null;
    // It waited for a connection until its deadline, and was reported as not sent: it must not be sent now.
    if (this.#hasEnded) controller.abort(new DeadlineError('it was too late'));
    else if (why !== null) controller.abort(new NotAllowed(why));
    else this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ReplyHead['headers'],
  ): void {
    // A 1xx only announces the answer.
    if (status < 200 || this.#hasEnded) return;
    this.#head = { status, headers };
    if (this.exchange.asStream !== true || status !== 200) return;
    this.#awaitBytes();
    const stream = new Readable({
      read: () => {
        this.#awaitBytes();
        this.gate?.open();
      },
      destroy: (error, done) => {
        this.#fail(error ?? new Error('the download was cancelled'));
        done(error);
      },
    });
    // It may fail before somebody reads it, who gets the error then. Without a listener, that would end the process.
    stream.on('error', () => undefined);
    this.#stream = stream;
    this.#resolve({ status, headers, body: Buffer.alloc(0), truncated: null, stream });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasEnded) return;
    if (this.#stream === null) {
      const over = this.#kept.add(chunk);
      if (over !== null) this.#fail(over);
      return;
    }
    this.#awaitBytes();
    if (this.#stream.push(chunk)) return;
    // A slow disk is not a slow service: the time runs only while bytes are awaited.
    this.#timer.stop();
    this.gate?.shut();
  }

  onResponseEnd(): void {
    // undici takes a response without a length as complete when its connection is reset.
    this.#finish(this.gate?.error ?? null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish(error);
  }

  #limit(ms: number, words: string): void {
    this.#timer.start(ms, () => this.#fail(new DeadlineError(words)));
  }

  #awaitBytes(): void {
    const { timeoutMs } = this.settings;
    this.#limit(timeoutMs, `no response within ${timeoutMs / 1000} s`);
  }

  #fail(error: Error): void {
    const isOpen = !this.#hasEnded;
    this.#finish(error);
    if (isOpen) this.#controller?.abort(error);
  }

  /** undici reports an end again for what was aborted. */
  #finish(error: Error | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#timer.stop();
    this.onEnd();
    if (error !== null) this.#kept.refund();
    if (this.#head === null)
      this.#reject(new NoReply(error ?? new Error('no answer'), this.#controller !== null));
    else if (this.#stream === null)
      this.#resolve({ ...this.#head, body: this.#kept.whole(), truncated: error });
    else if (error === null) this.#stream.push(null);
    else this.#stream.destroy(error);
  }
}

/** undici's own time-outs see idle time only. */
class Timer {
  #timeout: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  start(ms: number, onEnd: () => void): void {
    this.stop();
    this.#timeout = setTimeout(() => {
      // A process that was stopped finds its timers due and bytes waiting: the bytes are read first.
      this.#immediate = setImmediate(onEnd);
    }, ms);
  }

  stop(): void {
    clearTimeout(this.#timeout);
    clearImmediate(this.#immediate);
  }
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
