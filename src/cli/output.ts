import { writeSync } from 'node:fs';
import { problem } from '../model/diagnostic.js';

/** Shorter values stand in ordinary text too often to be replaced there; the formats leave them out by themselves. */
const shortestSecret = 4;

/**
 * The one door to the terminal and to files that people read. Whatever goes through it has every secret replaced, in
 * plain, JSON-escaped, URL-encoded, base64 and hexadecimal form.
 */
export class Output {
  private readonly secrets = new Set<string>();
  /** True once stdout takes no more: its reader has gone away (`| head`), which is no error, or its disk is full. */
  private closed = false;

  /** False when nothing that is written to stdout arrives any more. */
  get arrives(): boolean {
    return !this.closed;
  }

  hide(secrets: Iterable<string>): void {
    for (const secret of secrets) for (const form of formsOf(secret)) this.secrets.add(form);
  }

  /** The result of the command. */
  out(text: string): void {
    this.write(1, text);
  }

  /** Everything else: progress, diagnostics, questions. */
  err(text: string): void {
    this.write(2, text);
  }

  /** The text as it may be shown. */
  redact(text: string): string {
    let redacted = text;
    // Long ones first: one secret may hold another.
    for (const secret of [...this.secrets].sort((a, b) => b.length - a.length)) {
      redacted = redacted.replaceAll(secret, '(sensitive)');
    }
    return redacted;
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
          'unreadable-file',
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

function formsOf(secret: string): string[] {
  if (secret.length < shortestSecret) return [];
  const bytes = Buffer.from(secret);
  const encoded =
    bytes.length < 8 ? [] : [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')];
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), ...encoded];
}
