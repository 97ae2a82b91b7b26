import type { Diagnostic } from '../../model/diagnostic.js';
import type { Intent } from '../../model/inventory.js';
import type { Plan } from '../../model/plan.js';
import { isRestOf } from '../../model/plan-digest.js';
import type { Redactor } from '../../redact/redactor.js';
import { compareWithDigest, compareWithSaved, type SavedPlan, savedDigest } from '../saved-plan.js';

/** The plan that was reviewed, as the user names it, and whether the rest of it will do. */
interface Reviewed {
  readonly expect?: string | undefined;
  readonly saved?: SavedPlan | undefined;
  readonly resume?: boolean | undefined;
}

/** Whether the plan is accepted as the rest of the reviewed one, which the inventory says was begun. */
export function isAcceptedRest(plan: Plan, intent: Intent | undefined, reviewed: Reviewed): boolean {
  const { expect, saved, resume = false } = reviewed;
  const begun = expect ?? (saved && savedDigest(saved));
  return resume && intent?.digest === begun && intent !== undefined && isRestOf(plan, intent);
}

/** How the plan differs from the reviewed one. */
export function compareWithReviewed(
  plan: Plan,
  { expect, saved, resume = false }: Reviewed,
  redactor: Redactor,
): readonly Diagnostic[] {
  return [
    ...(expect === undefined ? [] : compareWithDigest(plan, expect, resume)),
    ...(saved === undefined ? [] : compareWithSaved(plan, saved, redactor, resume)),
  ];
}
