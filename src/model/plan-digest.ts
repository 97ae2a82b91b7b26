import { createHash } from 'node:crypto';
import type { Intent } from './inventory.js';
import { byCodeUnit, canonical, type JsonObject } from './json.js';
import type { Plan, PlanSubject } from './plan.js';

/** The digest of one change. */
export function digestPart(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The digest of a plan whose changes have these parts. */
export function digestOfParts(subject: PlanSubject, parts: readonly string[]): string {
  const { project, environment, service, account, inventory, safeguards, ignored, held } = subject;
  const { prune, limits } = safeguards;
  const changes = [...parts].sort(byCodeUnit);
  const text = canonical({
    ...{ project, environment, service, account, inventory },
    ...{ prune, limits: { ...limits }, changes },
    ...(ignored === undefined ? {} : { ignored: ignored.properties as JsonObject }),
    ...(held === undefined ? {} : { held: held as unknown as JsonObject }),
  });
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/**
 * Whether every change of a plan is also a change of the intended plan. Anyone who can edit the
 * inventory can write any intent: its parts count only if they are those of a plan with its digest. A change that refers
 * to what that plan had yet to create counts as it was then.
 */
export function isRestOf(plan: Plan, intent: Intent): boolean {
  const intended = new Set(intent.digestParts);
  return (
    plan.digestParts.every(
      (each, index) => intended.has(each) || intended.has(plan.restParts?.[index] ?? ''),
    ) && digestOfParts(plan, intent.digestParts) === intent.digest
  );
}
