import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeIfPossible, temporaryFor } from './new-file.js';
import { writeSecret } from './secret-file.js';

/**
 * Permissions do not show a full or read-only disk: this does with other content what will be done with a secret. Throws
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
