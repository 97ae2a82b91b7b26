import { type Refusal, refusal } from '../../model/finding.js';
import { isExpired } from '../../model/kind.js';
import type { Observed } from '../../model/resource.js';
import { agree, count } from '../../model/words.js';
import { mismatch } from '../recorded.js';
import type { Comparison, Match, Rule } from '../world.js';
import { isUnseen } from './unseen.js';

/** Whether the inventory is about this service, this account and these objects: a pull request may have written it. */
export const account: Rule = {
  name: 'account',
  examine: (world) => [...accountFindings(world), ...misdescribed(world)],
};

/** What is known of objects without a plan. */
type Compared = Pick<Comparison, 'basis' | 'matches'>;

/** Reasons why the inventory belongs to another service or user. Known without a plan. */
export function accountFindings(compared: Compared): readonly Refusal[] {
  const elsewhere = otherService(compared);
  // On another service none of our objects exist, so missing objects prove nothing about the user.
  return elsewhere.length > 0 ? elsewhere : otherUser(compared);
}

/** Ids mean nothing on another service, even where all names are the same. */
function otherService({ basis: { service, inventory } }: Compared): Refusal[] {
  if (inventory.service === null || inventory.service === service) return [];
  const message = `the inventory belongs to the service ${inventory.service}, and this command uses ${service}`;
  const help =
    'Check `--url`, ROSTER_URL and `service.url`. If the service has moved, use `--allow-account-change`: the inventory then belongs to the new one.';
  return [refusal('inventory-mismatch', null, message, help, 'accountChange')];
}

/**
 * Most of what we own does not exist for this key, or belongs to someone else: the key of another user is a more likely
 * cause than that many deletes. Users of one company see each other's groups and pipelines, and cannot change them.
 */
function otherUser(compared: Compared): Refusal[] {
  const { inventory, prune } = compared.basis;
  // What an interrupted run has destroyed is missing.
  if (prune === 'destroy' && inventory.intent?.destroy === true) return [];
  const owned = ownedObjects(compared);
  const missing = owned.filter((each) => each === 'missing').length;
  const foreign = owned.filter((each) => each === 'foreign').length;
  if ((missing + foreign) * 2 <= owned.length) return [];
  const message = `${missing + foreign} of ${count(owned.length, 'object')} in the inventory ${whyOthers(missing, foreign)}`;
  const sameUser =
    'Everyone who plans or applies needs an API key of the same user. Check `ROSTER_API_KEY` and `--url`.';
  const help =
    foreign > 0 ? sameUser : `${sameUser} If the objects were deleted, use \`--allow-account-change\`.`;
  return [refusal('inventory-mismatch', null, message, help, 'accountChange')];
}

function whyOthers(missing: number, foreign: number): string {
  if (foreign === 0) return `${agree(missing, 'is', 'are')} not visible to this API key`;
  const belong = `${agree(missing + foreign, 'belongs', 'belong')} to a different user than this API key`;
  if (missing === 0) return `${belong}, which cannot change ${agree(foreign, 'it', 'them')}`;
  return `${belong}, which cannot see ${missing} of them and cannot change ${foreign}`;
}

/** `foreign`: the key can see it, and cannot change it. */
type ObjectState = 'own' | 'missing' | 'foreign';

/** The state of each object that the inventory knows and that can tell whose key this is. */
function ownedObjects({ basis, matches }: Compared): readonly ObjectState[] {
  const { now, ownNow, prune } = basis;
  const destroys = prune === 'destroy';
  // A key ends when another one is created, a `once` schedule when it has run, and an object that is no longer declared
  // is only forgotten, unless everything is to be destroyed.
  return matches.flatMap((each) => {
    const { known, entry, broken = entry, kind, observed } = each;
    if (known?.id == null || kind.secret !== undefined) return [];
    if (broken === null ? !destroys : isExpired(kind, broken.declared, now)) return [];
    return isUnseen(each, ownNow) ? ['own' as const] : stateOf(observed);
  });
}

/** Nothing where the service does not say whether the key may change it. */
function stateOf(observed: Observed | null): ObjectState[] {
  if (observed === null) return ['missing'];
  return observed.manageable === null ? [] : [observed.manageable ? 'own' : 'foreign'];
}

/** Nothing is changed or deleted that the inventory describes wrongly. */
export function misdescribed({ diffs }: Comparison): Refusal[] {
  const changed = diffs.filter(({ change, match }) => change.action === 'delete' || match.entry !== null);
  return wrongObjects(changed.map(({ match }) => match));
}

/** Which of these objects are not those that the inventory describes. Known without a plan. */
export function wrongObjects(matches: readonly Match[]): Refusal[] {
  return matches
    .filter((match) => match.misdescribed)
    .flatMap(({ address, known, observed, entry }) => {
      if (known === null || observed === null) return [];
      const bound = `\`id: ${observed.id}\``;
      const help =
        entry === null
          ? `Restore the inventory. If it is the right object, declare it with ${bound}, apply, and then remove the entry.`
          : `If somebody has changed it, accept its values with \`roster pull ${address}\`, or bind the entry to revert them: ${bound}. If it is another object, restore the inventory.`;
      return [refusal('inventory-mismatch', address, mismatch(address, known, observed), help)];
    });
}
