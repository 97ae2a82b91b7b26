import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { DeadlineError, type Exchange, NoReply, type Reply } from './http.js';
import { IdleTimer } from './idle-timer.js';
import { SocketGate } from './socket-gate.js';

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

/** Opens a connection for one request, which is to be the only one. */
export type OpenConnection = (
  onSocket: (socket: Socket) => void,
) => Promise<{ readonly pool: Dispatcher; readonly origin: string; close(): void }>;

/** Sends a request, and resolves when the head of the answer is there. Throws `NoReply`. */
export async function openStream(
  open: OpenConnection,
  { method, path, headers, body }: Omit<Exchange, 'attempt'>,
  limits: StreamLimits,
): Promise<StreamedReply> {
  const receiver = new Receiver(limits);
  receiver.reply.catch(() => undefined);
  if (limits.signal?.aborted === true) return receiver.reply;
  const { pool, origin, close } = await open((socket) => receiver.gate.watch(socket)).catch(
    (error: Error) => {
      // Ends its timer, and no longer listens to the signal.
      receiver.fail(error);
      throw error;
    },
  );
  receiver.onClose = close;
  pool.dispatch(
    { origin, method, path, headers: { ...headers }, body },
    {
      onRequestStart: (control) => receiver.start(control),
      onResponseStart: (_control, status, received) => receiver.head(status, received),
      onResponseData: (_control, chunk) => receiver.data(chunk),
      onResponseEnd: () => receiver.end(),
      onResponseError: (_control, error) => receiver.fail(error),
    },
  );
  return receiver.reply;
}

/** One response: first its head, then its body. */
class Receiver {
  readonly reply: Promise<StreamedReply>;
  readonly gate = new SocketGate((error) => {
    this.#socketError = error;
  });
  /** Called when nothing more is to arrive. */
  onClose: () => void = () => undefined;
  readonly #timer: IdleTimer;
  readonly #signal: AbortSignal | undefined;
  #resolve: (reply: StreamedReply) => void = () => undefined;
  #reject: (failure: NoReply) => void = () => undefined;
  #control: Dispatcher.DispatchController | null = null;
  #body: Readable | null = null;
  /** Why it ended early. */
  #failure: Error | null = null;
  #socketError: Error | null = null;
  #isComplete = false;

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

  start(control: Dispatcher.DispatchController): void {
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
        this.gate.open();
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

  data(chunk: Uint8Array): void {
    this.#timer.restart();
    if (this.#body?.push(chunk) !== false) return;
    // A slow disk is not a slow service: the time runs only while bytes are awaited.
    this.#timer.stop();
    this.gate.shut();
  }

  end(): void {
    // undici takes a response without a length as complete when its connection is reset.
    const reset = this.#socketError;
    this.#isComplete = reset === null;
    this.#control = null;
    if (reset !== null) this.fail(reset);
    this.#close();
    this.#body?.push(null);
  }

  fail(error: Error): void {
    // The connection may end with an error as soon as all is there.
    if (this.#isComplete) return;
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
    // Not while undici reads the end of the response.
    setImmediate(this.onClose);
  }
}
