import { resolve } from 'node:path';
import { deliver, removeDelivered, undeliverable as undeliverableReason } from '../apply/deliver.js';
import type { MayReplace } from '../apply/deliver-file.js';
import type { KeyKeeping } from '../apply/writer.js';
import { reasonOf } from '../files/errno.js';
import { kinds } from '../kinds/index.js';
import type { Objection, Plan } from '../model/plan.js';
import type { Address, Declared, Project } from '../model/resource.js';
import type { Redactor } from '../redact/redactor.js';
import { discardKept, keepKey, keptKey } from './kept-keys.js';

export interface DeliveryCheck {
  /** Tests the destinations by writing to them. Otherwise, only permissions are checked. */
  readonly prove: boolean;
  /** Absolute paths of files that the caller writes. */
  readonly outputs: readonly string[];
  /** Which keys the new key of an entry may replace. */
  readonly former: (address: Address) => MayReplace;
}

/** Refuses a plan with keys that could not be delivered: those that it creates, and those that earlier runs have kept. */
export function undeliverable(plan: Plan, project: Project, check: DeliveryCheck): Objection[] {
  const creating = plan.steps.filter((step) => step.delivery !== null).flatMap((step) => step.addresses);
  return [...creating, ...Object.keys(plan.undelivered ?? {})].flatMap((address) => {
    const entry = project.entries.find((each) => each.address === address);
    const reason = entry === undefined ? null : reasonAgainst(entry, project, check);
    if (reason === null) return [];
    const message = `${address}: the new key could not be delivered: ${reason}`;
    const help =
      'The service shows a key only once: set `deliver:` to a file that can be written, or to a command that exists.';
    return [{ code: 'undeliverable-key', message, help, address }];
  });
}

/** Why the key of an entry cannot be delivered; null where it can. */
function reasonAgainst(
  { address, kind, declared }: Declared,
  { root, inventory }: Project,
  { prove, outputs, former }: DeliveryCheck,
): string | null {
  const secret = kinds.find(({ name }) => name === kind)?.secret;
  if (secret === undefined) return null;
  const path = 'file' in inventory ? resolve(root, inventory.file) : null;
  const reserved = [...(path === null ? [] : [path, `${path}.lock`]), ...outputs];
  const delivery = { to: secret.deliverTo(declared), scopes: [] };
  try {
    return undeliverableReason(delivery, { root, prove, reserved, mayReplace: former(address) });
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
