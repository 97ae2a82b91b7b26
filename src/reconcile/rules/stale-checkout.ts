import { type Finding, refusal } from '../../model/finding.js';
import { type AppliedBy, type Checkout, isDirty, shortCommit } from '../../model/inventory.js';
import { instantText } from '../../model/words.js';
import type { ResourceDiff, Rule } from '../world.js';

/** What others have applied since would be undone: a colleague's new group is one that no manifest here declares. */
export const staleCheckout: Rule = {
  name: 'stale-checkout',
  examine: ({ basis: { checkout }, diffs }) =>
    checkout === null ? [] : [...refusals(checkout, diffs), ...warnings(checkout, diffs)],
};

const code = 'stale-checkout';
const UPDATE = 'Update the checkout with `git pull`, or rebase your branch, and plan again.';

/** A replace deletes the former object. A new key revokes one as well, which `--allow-self-revoke` guards. */
function refusals({ commit, applied, state, by }: Checkout, diffs: readonly ResourceDiff[]): Finding[] {
  if (state !== 'stale' || applied === null) return [];
  const count = diffs.filter(({ change: { action } }) => action === 'delete' || action === 'replace').length;
  if (count === 0) return [];
  const message = `the plan deletes or replaces ${count === 1 ? '1 object' : `${count} objects`}, and the checkout${nameOf(commit)} does not contain the commit last applied, ${shortCommit(applied)}${applierOf(by)}`;
  const help = `${UPDATE} If that commit was abandoned on purpose, use \`--allow-stale-checkout\`.`;
  return [refusal(code, null, message, help, 'staleCheckout')];
}

function warnings(
  { commit, applied, state, reason = '', by }: Checkout,
  diffs: readonly ResourceDiff[],
): Finding[] {
  if (state === 'current') return uncommittedNotes(applied, diffs);
  if (applied === null) return trackedInventoryNotes(diffs);
  if (state === 'unknown') {
    const message = `cannot tell whether the manifests include the commit last applied, ${shortCommit(applied)}: ${reason}`;
    const help =
      'Review deletes carefully, or plan in a full clone: `git fetch --unshallow` completes a shallow one.';
    return [{ severity: 'info', code, message, help }];
  }
  const message = `the checkout${nameOf(commit)} does not contain the commit last applied, ${shortCommit(applied)}${applierOf(by)}: the plan may undo what has been added since`;
  return [{ severity: 'warning', code, message, help: UPDATE }];
}

/** Changes that somebody applied before committing them are in no checkout but theirs. */
function uncommittedNotes(applied: string | null, diffs: readonly ResourceDiff[]): Finding[] {
  const undoes = ({ change: { action } }: ResourceDiff) =>
    action === 'update' || action === 'delete' || action === 'replace';
  if (applied === null || !isDirty(applied) || !diffs.some(undoes)) return [];
  const message = `the last apply, from commit ${shortCommit(applied)}, included changes that were not committed: the plan may undo them`;
  const help = 'If these changes are wanted, commit them where they were applied, and plan again.';
  return [{ severity: 'info', code, message, help }];
}

/** `prune: all` deletes what an old inventory does not know either: nothing tells whether somebody has added it since. */
function trackedInventoryNotes(diffs: readonly ResourceDiff[]): Finding[] {
  const count = diffs.filter(
    ({ change, match }) => change.action === 'delete' && match.known === null,
  ).length;
  if (count === 0) return [];
  const what =
    count === 1
      ? '1 object that the inventory does not know'
      : `${count} objects that the inventory does not know`;
  const message = `the plan deletes ${what}, and git tracks the inventory file: an old checkout does not know what has been applied since`;
  const help =
    'Check that the checkout is up to date, or keep the inventory on a git branch: `inventory: { git: {} }`.';
  return [{ severity: 'info', code, message, help }];
}

/** `(by Ada Lovelace, 2026-11-20 09:12 UTC)`. */
function applierOf(by: AppliedBy | undefined): string {
  if (by === undefined) return '';
  return ` (by ${by.name}${by.at === null ? '' : `, ${instantText(by.at)}`})`;
}

function nameOf(commit: string | null): string {
  return commit === null ? '' : ` (${shortCommit(commit)})`;
}
