import { type Finding, refusal } from '../../model/finding.js';
import { isExpired } from '../../model/kind.js';
import { mismatch } from '../recorded.js';
import type { Comparison, Rule } from '../world.js';
import { isUnseen } from './unseen.js';

/** Whether the inventory is about this service, this account and these objects: a pull request may have written it. */
export const account: Rule = {
  name: 'account',
  examine: (world) => [...accountFindings(world), ...misdescribed(world)],
};

/** Why what the inventory says cannot be about this service and account. Known without a plan. */
export function accountFindings(comparison: Comparison): readonly Finding[] {
  return [...otherService(comparison), ...mostlyMissing(comparison)];
}

/** Ids mean nothing on another service, even where all names are the same. */
function otherService({ basis: { service, inventory } }: Comparison): Finding[] {
  if (inventory.service === null || inventory.service === service) return [];
  const message = `the inventory belongs to the service ${inventory.service}, and this plan is for ${service}`;
  const help =
    'Check `--url`, ROSTER_URL and `service.url`. If the service has moved, use `--allow-account-change`: the inventory then belongs to the new one.';
  return [refusal('inventory-mismatch', null, message, help, 'accountChange')];
}

/** Most of what we own does not exist: another account's key is a more likely cause than that many deletes. */
function mostlyMissing({ basis, matches }: Comparison): Finding[] {
  const { inventory, now, ownNow } = basis;
  const destroys = basis.prune === 'destroy';
  // What an interrupted run has destroyed is missing.
  if (destroys && inventory.intent?.destroy === true) return [];
  // A key ends when another one is created, a `once` schedule when it has run, and an object that is no longer declared
  // is only forgotten, unless everything is to be destroyed.
  const known = matches.filter(
    ({ known: each, kind, entry, broken = entry }) =>
      each?.id != null &&
      kind.secret === undefined &&
      (broken === null ? destroys : !isExpired(kind, broken.declared, now)),
  );
  const missing = known.filter((each) => each.observed === null && !isUnseen(each, ownNow)).length;
  if (missing * 2 <= known.length) return [];
  const message = `${missing} of the ${known.length} objects in the inventory are not visible to this API key`;
  const help =
    'Check that `--url` and `ROSTER_API_KEY` belong to the right account. If the objects were deleted, use `--allow-account-change`.';
  return [refusal('inventory-mismatch', null, message, help, 'accountChange')];
}

/** Nothing is changed or deleted that the inventory describes wrongly. */
export function misdescribed({ diffs }: Comparison): Finding[] {
  return diffs
    .filter(({ change, match }) => match.misdescribed && (change.action === 'delete' || match.entry !== null))
    .flatMap(({ change: { address }, match: { known, observed, entry } }) => {
      if (known === null || observed === null) return [];
      const bound = `\`id: ${observed.id}\``;
      const help =
        entry === null
          ? `Restore the inventory. If it is the right object, declare it with ${bound}, apply, and then remove the entry.`
          : `If somebody has changed it, accept its values with \`roster pull ${address}\`, or bind the entry to revert them: ${bound}. If it is another object, restore the inventory.`;
      return [refusal('inventory-mismatch', address, mismatch(address, known, observed), help)];
    });
}
