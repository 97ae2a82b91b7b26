import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { problem } from '../model/diagnostic.js';
import { MAX_FILE_BYTES, readRegular } from './atomic.js';
import { errnoOf } from './errno.js';

const POLL_MS = 20;
const PATIENCE_MS = 30_000;

/**
 * The text of a file that a person has named: a regular file, or a pipe such as `<(pass show roster)`, which is read until
 * its writer closes it. Null where there is none. Throws a Problem, also for a pipe that nobody writes to.
 */
export function readGiven(path: string, name: string, patienceMs = PATIENCE_MS): string | null {
  const isPipe = statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
  const text = isPipe ? readPipe(path, name, patienceMs) : readRegular(path, name);
  return text === null ? null : withoutMark(text, name);
}

/** Without the byte order mark that some editors put in front. Throws a Problem for UTF-16, in which others save. */
export function withoutMark(text: string, name: string): string {
  if (/^(?:\ufffd\ufffd|.?\0)/s.test(text))
    throw problem('unreadable-file', `${name} is UTF-16`, 'Save it as UTF-8.');
  return text.replace(/^\ufeff/, '');
}

/** Never waits longer for its writer: a read that blocks would not even end with Ctrl-C. */
function readPipe(path: string, name: string, patienceMs: number): string {
  const pipe = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const pieces: Buffer[] = [];
    let [bytes, hasWriter] = [0, false];
    for (let waited = 0; waited < patienceMs; ) {
      const piece = readPiece(pipe);
      if (piece?.length === 0 && hasWriter) return Buffer.concat(pieces).toString('utf8');
      hasWriter ||= piece === null || piece.length > 0;
      if (piece === null || piece.length === 0) waited += pause();
      else pieces.push(piece);
      bytes += piece?.length ?? 0;
      if (bytes > MAX_FILE_BYTES) throw problem('limit-exceeded', `${name} is larger than 256 MiB`);
    }
  } finally {
    closeSync(pipe);
  }
  const message = `${name} is a pipe, and its writer did not end within ${patienceMs / 1000} seconds`;
  throw problem('unreadable-file', message, 'Check the command that writes to it.');
}

/** Null while the writer has not written more; empty where there is no writer. */
function readPiece(pipe: number): Buffer | null {
  const buffer = Buffer.alloc(65_536);
  try {
    return buffer.subarray(0, readSync(pipe, buffer));
  } catch (failure) {
    if (errnoOf(failure) === 'EAGAIN') return null;
    throw failure;
  }
}

function pause(): number {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  return POLL_MS;
}
