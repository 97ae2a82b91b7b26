import { type Checkout, shortCommit } from '../model/checkout.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type { Objection } from '../model/plan.js';
import type { ResourceDiff } from './diff.js';

/** What others have applied since would be undone: a colleague's new group is one that no manifest here declares. */
export function staleCheckoutWarnings({ commit, applied, state, reason = '' }: Checkout): Diagnostic[] {
  if (applied === null || state === 'current') return [];
  const code = 'stale-checkout';
  if (state === 'unknown') {
    const message = `cannot tell whether the manifests include the commit last applied, ${shortCommit(applied)}: ${reason}`;
    const help =
      'Review deletes with care, or plan in a full clone: `git fetch --unshallow` completes a shallow one.';
    return [{ severity: 'info', code, message, help }];
  }
  const message = `the checkout${nameOf(commit)} does not contain the commit last applied, ${shortCommit(applied)}: the plan may undo what has been added since`;
  return [{ severity: 'warning', code, message, help: UPDATE }];
}

const UPDATE = 'Update the checkout with `git pull`, or rebase your branch, and plan again.';

/** A replace deletes the former object, and a new key revokes the one before it. */
export function staleCheckoutObjections(
  { commit, applied, state }: Checkout,
  diffs: readonly ResourceDiff[],
  allowed: boolean,
): Objection[] {
  if (state !== 'stale' || applied === null || allowed) return [];
  const isDelete = ({ change: { action }, revokesCaller }: ResourceDiff) =>
    action === 'delete' || action === 'replace' || revokesCaller;
  const count = diffs.filter(isDelete).length;
  if (count === 0) return [];
  const message = `the plan deletes or replaces ${count === 1 ? '1 object' : `${count} objects`}, and the checkout${nameOf(commit)} does not contain the commit last applied, ${shortCommit(applied)}`;
  const help = `${UPDATE} If that commit was given up on purpose, use \`--allow-stale-checkout\`.`;
  return [{ code: 'stale-checkout', message, help, address: null }];
}

function nameOf(commit: string | null): string {
  return commit === null ? '' : ` (${shortCommit(commit)})`;
}
