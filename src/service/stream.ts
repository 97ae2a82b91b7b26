import { Readable } from 'node:stream';
import type { Connections } from './connections.js';
import { DeadlineError, type Exchange, NoReply, type Reply } from './http.js';

/** A reply whose body arrives while it is read. Whoever has it must read it to its end, or destroy it. */
export interface StreamedReply extends Pick<Reply, 'status' | 'headers'> {
  readonly body: Readable;
}

/** What pauses, resumes and ends a response. */
interface Control {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/**
 * Sends a request, and resolves when the head of the answer is there. `idleMs` is the longest time without a byte, because
 * a large file may take as long as it takes. Throws `NoReply`.
 */
export function openStream(
  pool: Connections,
  exchange: Omit<Exchange, 'attempt'>,
  idleMs: number,
): Promise<StreamedReply> {
  return new Promise((resolve, reject) => {
    let control: Control | null = null;
    let body: Readable | null = null;
    const fail = (error: Error) => {
      clearTimeout(timer);
      if (body === null) reject(new NoReply(error, control !== null));
      else body.destroy(error);
    };
    const timer = setTimeout(() => {
      const error = new DeadlineError(`no response within ${idleMs / 1000} s`);
      fail(error);
      control?.abort(error);
    }, idleMs);
    pool.dispatch(
      { method: exchange.method, path: exchange.path, headers: exchange.headers, body: exchange.body },
      {
        onRequestStart(started) {
          control = started;
        },
        onResponseStart(receiving, status, headers) {
          if (status < 200) return;
          body = bodyOf(receiving, timer);
          resolve({ status, headers, body });
        },
        onResponseData(receiving, chunk) {
          timer.refresh();
          if (body?.push(chunk) === false) receiving.pause();
        },
        onResponseEnd() {
          clearTimeout(timer);
          body?.push(null);
        },
        onResponseError: (_receiving, error) => fail(error),
      },
    );
  });
}

/** A slow reader is not a slow service: the timer only runs while bytes are awaited. */
function bodyOf(control: Control, timer: NodeJS.Timeout): Readable {
  const body = new Readable({
    read() {
      timer.refresh();
      control.resume();
    },
    destroy(error, done) {
      clearTimeout(timer);
      control.abort(error ?? new Error('the download was cancelled'));
      done(error);
    },
  });
  // It may fail before somebody reads it, who gets the error then. Without a listener, that would end the process.
  body.on('error', () => undefined);
  return body;
}
