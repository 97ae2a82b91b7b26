import { reasonOf } from '../files/errno.js';
import { prepareRescuedFolder, RESCUED_FOLDER, rescuedFolderFault } from '../files/own-folder.js';
import { proveWritable } from '../files/probe.js';
import type { Delivery } from '../model/resource.js';
import { commandFault, passToCommand } from './deliver-command.js';
import {
  type DeliveryChecks,
  type Destination,
  deliverToFile,
  fileFault,
  removeFile,
} from './deliver-file.js';
import type { HeldKey } from './writer.js';

/** Why a key could not be delivered; null when it can. A command is found or not: it is not run. */
export function undeliverable({ to }: Delivery, checks: DeliveryChecks): string | null {
  if (to === null) return 'the entry has no `deliver:`';
  const fault = 'file' in to ? fileFault(to.file, checks) : commandFault(to, checks);
  return fault ?? keepingFault(checks);
}

/**
 * Delivers the key, and returns when it is safe: flushed to the disk, or read by a command that ended with 0. A file
 * that holds the key is moved to its destination; for a command, it stays.
 */
export async function deliver({ to }: Delivery, into: Destination, held: HeldKey): Promise<void> {
  if (to === null) throw new Error('the entry has no `deliver:`');
  if ('file' in to) deliverToFile(to.file, into, held);
  else await passToCommand(to, into.root, held.key);
}

/** Removes a delivered file after its key was revoked. A command cannot be undone. */
export function removeDelivered({ to }: Delivery, root: string, key: string): void {
  if (to !== null && 'file' in to) removeFile(to.file, root, key);
}

/** A new key is kept until it is delivered: that must be possible before the key exists. */
function keepingFault({ root, prove }: DeliveryChecks): string | null {
  try {
    if (!prove) return rescuedFolderFault(root);
    proveWritable(prepareRescuedFolder(root));
    return null;
  } catch (failure) {
    return `the key could not be kept in ${RESCUED_FOLDER} until it is delivered: ${reasonOf(failure)}`;
  }
}
