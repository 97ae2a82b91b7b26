import { type Diagnostic, hasErrors } from '../../model/diagnostic.js';
import { type Finding, isRefusal, type Refusal, refusalError } from '../../model/finding.js';
import type { Comparison, PlanBasis, Rule, World } from '../world.js';
import { account, accountFindings, misdescribed } from './account.js';
import { adoption } from './adoption.js';
import { brokenReferences } from './broken-references.js';
import { deletes } from './deletes.js';
import { deliveries } from './deliveries.js';
import { duplicates } from './duplicates.js';
import { editedInventory } from './edited-inventory.js';
import { frequency } from './frequency.js';
import { gap } from './gap.js';
import { holds } from './holds.js';
import { inactiveTarget } from './inactive-target.js';
import { kinds } from './kinds.js';
import { load } from './load.js';
import { lookAlikes } from './look-alikes.js';
import { policies } from './policies.js';
import { previews } from './previews.js';
import { protection } from './protection.js';
import { renames } from './renames.js';
import { safeguards } from './safeguards.js';
import { secrets } from './secrets.js';
import { siblings } from './siblings.js';
import { staleCheckout } from './stale-checkout.js';
import { startsAgain } from './starts-again.js';
import { startsHeld } from './starts-held.js';
import { unseen } from './unseen.js';
import { weakerExpectation } from './weaker-expectation.js';

/** Everything that is said about a plan beyond the difference itself. What they say is listed in this order. */
export const rules: readonly Rule[] = [
  deletes,
  account,
  staleCheckout,
  safeguards,
  policies,
  protection,
  weakerExpectation,
  editedInventory,
  adoption,
  siblings,
  unseen,
  renames,
  kinds,
  startsAgain,
  startsHeld,
  gap,
  secrets,
  load,
  frequency,
  inactiveTarget,
  lookAlikes,
  duplicates,
  brokenReferences,
  holds,
  previews,
  deliveries,
];

/** Whether there may be a plan. Where entries or flags do not allow one, whatever the answers are, nothing is asked. */
export function mayBePlanned(comparison: Comparison): boolean {
  if (hasErrors(comparison.diagnostics)) return false;
  return !rules.some((rule) => hasErrors(rule.stops?.(comparison) ?? []));
}

/** What the rules find, without the refusals that the user allows. */
export function examine(world: World, list: readonly Rule[] = rules): readonly Finding[] {
  return withoutAllowed(
    list.flatMap((rule) => [...(rule.stops?.(world) ?? []), ...rule.examine(world)]),
    world.basis,
  );
}

function withoutAllowed<F extends Finding>(findings: readonly F[], { allow }: PlanBasis): readonly F[] {
  return findings.filter((each) => !isRefusal(each) || each.allowedBy === null || !allow[each.allowedBy]);
}

/** Why what the inventory says cannot be about this service and the user of this key. Known without a plan. */
export function accountRefusals(comparison: Pick<Comparison, 'basis' | 'matches'>): readonly Refusal[] {
  return withoutAllowed(accountFindings(comparison), comparison.basis);
}

/** With the inventory of another service or user, the errors of entries only follow from that: it is the one error. */
export function causesOf(
  diagnostics: readonly Diagnostic[],
  compared: Pick<Comparison, 'basis' | 'matches'>,
): readonly Diagnostic[] {
  if (!hasErrors(diagnostics)) return diagnostics;
  const refused = accountRefusals(compared);
  return refused.length === 0 ? diagnostics : refused.map((each) => refusalError(each));
}

/** The same, and the objects that the inventory does not describe. */
export function inventoryRefusals(comparison: Comparison): readonly Refusal[] {
  return withoutAllowed([...accountFindings(comparison), ...misdescribed(comparison)], comparison.basis);
}
