import { writeSync } from 'node:fs';
import { problem } from '../model/diagnostic.js';
import { Secrets } from './secrets.js';

/**
 * The one door to the terminal and to files that people read. Secrets are taken out of values before a view makes text
 * of them (`hidden`), in plain, JSON-escaped, URL-encoded, base64 and hexadecimal form. Whatever goes through the door
 * is looked through again, for what cannot be anything but a secret.
 */
export class Output {
  private readonly secrets = new Secrets();
  /** True once stdout takes no more: its reader has gone away (`| head`), which is no error, or its disk is full. */
  private closed = false;

  /** False when nothing that is written to stdout arrives any more. */
  get arrives(): boolean {
    return !this.closed;
  }

  hide(secrets: Iterable<string>): void {
    this.secrets.add(secrets);
  }

  /** The result of the command. */
  out(text: string): void {
    this.write(1, text);
  }

  /** Everything else: progress, diagnostics, questions. */
  err(text: string): void {
    this.write(2, text);
  }

  /** A value as views may have it: no text in it holds a secret. */
  hidden<T>(value: T): T {
    return this.secrets.inValue(value);
  }

  /** A text that a view has made, looked through again. */
  redact(text: string): string {
    return this.secrets.inLaidOut(text);
  }

  private write(file: 1 | 2, text: string): void {
    if (text === '' || (file === 1 && this.closed)) return;
    try {
      writeAll(file, Buffer.from(this.redact(text)));
    } catch (failure) {
      const code = (failure as NodeJS.ErrnoException).code ?? 'unknown';
      // Without stderr there is no one to tell; without stdout the result is lost, which must not look like success.
      if (file === 2) return;
      this.closed = true;
      if (code !== 'EPIPE')
        throw problem(
          'unwritable-file',
          `the output cannot be written: ${code}`,
          'Check where stdout leads.',
        );
    }
  }
}

function writeAll(file: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(file, bytes, written);
    } catch (failure) {
      // A pipe that was made non-blocking by its other end is full: wait for it to be read.
      if ((failure as NodeJS.ErrnoException).code !== 'EAGAIN') throw failure;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
