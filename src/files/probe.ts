import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeIfPossible, temporaryFor } from './new-file.js';
import { writeSecret } from './secret-file.js';

/**
 * Permissions do not reveal a full or read-only disk, so this writes a dummy secret in the same way. Throws
 * the system's error.
 */
export function proveWritable(folder: string): void {
  const probe = temporaryFor(join(folder, 'probe'));
  try {
    writeSecret(probe, 'x'.repeat(64));
    rmSync(probe);
  } catch (failure) {
    removeIfPossible(probe);
    throw failure;
  }
}
