import { resolve } from 'node:path';
import { deliver, type MayReplace, removeDelivered, undeliverable } from '../apply/deliver.js';
import type { KeyKeeping } from '../apply/run-state.js';
import { reasonOf } from '../files/errno.js';
import { kinds } from '../kinds/index.js';
import type { Address, Project } from '../model/resource.js';
import type { Redactor } from '../redact/redactor.js';
import { discardKept, keepKey, keptKey } from './kept-keys.js';

export interface DeliveryCheck {
  /** Entries whose destination is tested by writing to it. For all others, only permissions are checked. */
  readonly prove: ReadonlySet<Address>;
  /** Absolute paths of files that the caller writes. */
  readonly outputs: readonly string[];
  /** Which keys the new key of an entry may replace. */
  readonly former: (address: Address) => MayReplace;
}

/** Why the key of an entry cannot be delivered, for each entry where delivery would fail. */
export function undeliverableKeys(
  { root, inventory, entries }: Project,
  { prove, outputs, former }: DeliveryCheck,
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
      const checks = { root, prove: prove.has(address), reserved, mayReplace: former(address) };
      const reason = undeliverableReason(delivery, checks);
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

/** How a run delivers the keys that it creates, or that an earlier one has kept. */
export function keyKeeping(
  project: Project,
  redactor: Redactor,
  former: DeliveryCheck['former'],
): KeyKeeping {
  const { root } = project;
  return {
    keep: (address, key) => {
      redactor.hide([key]);
      return keepKey(project, address, key);
    },
    kept: (address, file) => {
      const held = keptKey(project, address, file);
      redactor.hide([held.key]);
      return held;
    },
    deliver: (delivery, held) => deliver(delivery, { root, mayReplace: former(held.address) }, held),
    withdraw: (delivery, key) => removeDelivered(delivery, root, key),
    discard: discardKept,
  };
}
