import { createHash } from 'node:crypto';
import { byCodeUnit, canonical } from '../model/json.js';
import type { Change, Plan } from '../model/plan.js';

/**
 * `sha256:` over what would be changed, from what, to what, where: the same for the same plan on any machine at any
 * time. Sensitive values are not in it, not even hashed: a digest is public, and a short secret could be guessed.
 */
export function digestOf(
  plan: Pick<Plan, 'project' | 'environment' | 'service' | 'account' | 'changes' | 'steps'>,
): string {
  const requests = new Map(
    plan.steps.map((step) => [step.id, `${step.request.method} ${step.request.path}`]),
  );
  const changes = plan.changes
    .filter((change) => change.action !== 'none')
    .map((change) => digested(change, requests))
    .sort(byCodeUnit);
  const { project, environment, service, account } = plan;
  const text = canonical({ project, environment, service, account, changes });
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

function digested(change: Change, requests: ReadonlyMap<string, string>): string {
  const { address, action, id, name, adopted } = change;
  const fields = change.fields.map(({ path, before, after, sensitive }) => ({
    path,
    before,
    after,
    sensitive,
  }));
  return canonical({
    address,
    action,
    id,
    name,
    adopted,
    fields,
    calls: change.steps.map((step) => requests.get(step) ?? ''),
  });
}
