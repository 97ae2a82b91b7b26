import { writeSync } from 'node:fs';

export function writeAll(file: 1 | 2, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(file, bytes, written);
    } catch (failure) {
      // A non-blocking pipe is full: wait until it is read.
      if ((failure as NodeJS.ErrnoException).code !== 'EAGAIN') throw failure;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
