import { Readable } from 'node:stream';
import type { Connections, RequestControl } from './connections.js';
import { DeadlineError, type Exchange, NoReply, type Reply } from './http.js';
import { IdleTimer } from './idle-timer.js';

/** A reply whose body arrives while it is read. Whoever has it must read it to its end, or destroy it. */
export interface StreamedReply extends Pick<Reply, 'status' | 'headers'> {
  readonly body: Readable;
}

export interface StreamLimits {
  /** The longest time without a byte, because a large file may take as long as it takes. */
  readonly idleMs: number;
  /** Ends the request, and the body while it arrives: a download may take hours, and reading it again does no harm. */
  readonly signal: AbortSignal | undefined;
}

/** Sends a request, and resolves when the head of the answer is there. Throws `NoReply`. */
export function openStream(
  pool: Connections,
  { method, path, headers, body }: Omit<Exchange, 'attempt'>,
  limits: StreamLimits,
): Promise<StreamedReply> {
  const receiver = new Receiver(limits);
  if (limits.signal?.aborted !== true)
    pool.dispatch(
      { method, path, headers, body },
      {
        onRequestStart: (control) => receiver.start(control),
        onResponseStart: (_control, status, received) => receiver.head(status, received),
        onResponseData: (control, chunk) => receiver.data(control, chunk),
        onResponseEnd: () => receiver.end(),
        onResponseError: (_control, error) => receiver.fail(error),
      },
    );
  return receiver.reply;
}

/** One response: first its head, then its body. */
class Receiver {
  readonly reply: Promise<StreamedReply>;
  readonly #timer: IdleTimer;
  readonly #signal: AbortSignal | undefined;
  #resolve: (reply: StreamedReply) => void = () => undefined;
  #reject: (failure: NoReply) => void = () => undefined;
  #control: RequestControl | null = null;
  #body: Readable | null = null;
  /** Why it ended before its time. */
  #failure: Error | null = null;

  constructor({ idleMs, signal }: StreamLimits) {
    this.#signal = signal;
    this.#timer = new IdleTimer(idleMs, () =>
      this.fail(new DeadlineError(`no response within ${idleMs / 1000} s`)),
    );
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer.restart();
    signal?.addEventListener('abort', this.#interrupt, { once: true });
    if (signal?.aborted) this.#interrupt();
  }

  readonly #interrupt = (): void => this.fail(new Error('interrupted'));

  start(control: RequestControl): void {
    // It waited for a connection until its time was over: it must not be sent any more.
    if (this.#failure !== null) control.abort(this.#failure);
    else this.#control = control;
  }

  head(status: number, headers: Reply['headers']): void {
    // A 1xx only announces the answer.
    if (status < 200 || this.#failure !== null) return;
    this.#timer.restart();
    this.#body = new Readable({
      read: () => {
        this.#timer.restart();
        this.#control?.resume();
      },
      destroy: (error, done) => {
        this.#close();
        this.#control?.abort(error ?? new Error('the download was cancelled'));
        done(error);
      },
    });
    // It may fail before somebody reads it, who gets the error then. Without a listener, that would end the process.
    this.#body.on('error', () => undefined);
    this.#resolve({ status, headers, body: this.#body });
  }

  data(control: RequestControl, chunk: Uint8Array): void {
    this.#timer.restart();
    if (this.#body?.push(chunk) !== false) return;
    // A slow disk is not a slow service: the time runs only while bytes are awaited.
    this.#timer.stop();
    control.pause();
  }

  end(): void {
    this.#close();
    this.#body?.push(null);
  }

  fail(error: Error): void {
    this.#close();
    this.#failure ??= error;
    if (this.#body !== null) this.#body.destroy(error);
    else {
      this.#reject(new NoReply(error, this.#control !== null));
      this.#control?.abort(error);
    }
  }

  #close(): void {
    this.#timer.stop();
    this.#signal?.removeEventListener('abort', this.#interrupt);
  }
}
