import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { deliver, removeDelivered, undeliverable } from '../apply/deliver.js';
import type { BackUp, KeyKeeping } from '../apply/writer.js';
import { reasonOf } from '../files/errno.js';
import { writeSecret } from '../files/secret-file.js';
import { kinds } from '../kinds/index.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type { Address, Project } from '../model/resource.js';
import type { Redactor } from '../redact/redactor.js';
import type { Clock } from './clock.js';

const prefix = 'roster-rescued-key-';

interface DeliveryCheck {
  /** Entries whose destination is tested by writing to it. For all others, only permissions are checked. */
  readonly prove: ReadonlySet<Address>;
  /** Absolute paths of files that the caller writes. */
  readonly outputs: readonly string[];
}

/** Why the key of an entry cannot be delivered, for each entry where delivery would fail. */
export function undeliverableKeys(
  { root, inventory, entries }: Project,
  { prove, outputs }: DeliveryCheck,
): ReadonlyMap<Address, string> {
  const path = 'file' in inventory ? resolve(root, inventory.file) : null;
  const own = path === null ? [] : [path, `${path}.lock`];
  const secrets = new Map(kinds.map((kind) => [kind.name, kind.secret]));
  return new Map(
    entries.flatMap(({ address, kind, declared, external }) => {
      const secret = secrets.get(kind);
      if (secret == null || external) return [];
      const delivery = { to: secret.deliverTo(declared), scopes: [] };
      const reserved = [...own, ...outputs];
      const reason = undeliverableReason(delivery, { root, prove: prove.has(address), reserved });
      return reason === null ? [] : [[address, reason] as const];
    }),
  );
}

/** Most entries have their key already: that its folder cannot be read must not keep the others from being planned. */
function undeliverableReason(...check: Parameters<typeof undeliverable>): string | null {
  try {
    return undeliverable(...check);
  } catch (failure) {
    return `the destination cannot be checked: ${reasonOf(failure)}`;
  }
}

/** How a run delivers the keys that it creates. */
export function keyKeeping(project: Project, redactor: Redactor, clock: Clock): KeyKeeping {
  return {
    deliver: (delivery, key) => {
      redactor.hide([key]);
      return deliver(delivery, project.root, key);
    },
    withdraw: (delivery) => removeDelivered(delivery, project.root),
    backUp: (key) => backUp(key, project, clock.now()),
  };
}

/** Keeps a key that could not be delivered next to the inventory, or wherever it can, readable by its owner alone. */
function backUp(key: string, project: Project, now: Date): BackUp | null {
  for (const folder of [...backUpFolders(project), tmpdir()]) {
    const path = join(folder, `${prefix}${now.getTime()}`);
    try {
      writeSecret(path, key);
      return { file: path, discard: () => rmSync(path, { force: true }) };
    } catch {
      // The next folder may be on another disk.
    }
  }
  return null;
}

/** Keys that an earlier run left behind: they work, and lie where they may be committed by mistake. */
export function backedUpKeys(project: Project): readonly Diagnostic[] {
  const files = backUpFolders(project).flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.startsWith(prefix))
      .map((name) => relative(project.root, resolve(folder, name))),
  );
  return files.map((file) => ({
    severity: 'warning',
    code: 'undeliverable-key',
    message: `${file} holds an API key that an earlier run could not deliver`,
    help: 'Move the key to where it belongs, or revoke it. Then delete the file. Never commit it.',
  }));
}

function backUpFolders({ inventory, root }: Project): readonly string[] {
  const nearInventory = 'file' in inventory ? [dirname(resolve(root, inventory.file))] : [];
  return [...new Set([...nearInventory, root])];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A folder that does not exist or cannot be read holds no key of ours.
    return [];
  }
}
