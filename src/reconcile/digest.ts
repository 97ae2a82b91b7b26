import { createHash } from 'node:crypto';
import { byCodeUnit, canonical, type Json } from '../model/json.js';
import type { Change, Plan } from '../model/plan.js';
import type { Decided } from './change.js';
import { fieldValue } from './fields.js';

/**
 * `sha256:` over what would be changed, from what, to what, where: the same for the same plan on any machine at any
 * time. Sensitive values are not in it, not even hashed: a digest is public, and a short secret could be guessed.
 */
export function digestOf(
  plan: Pick<Plan, 'project' | 'environment' | 'service' | 'account' | 'changes' | 'steps'>,
  decided: readonly Decided[],
): string {
  const values = new Map(decided.map((each) => [each.change.address, valuesOf(each)]));
  const requests = new Map(
    plan.steps.map((step) => [step.id, `${step.request.method} ${step.request.path}`]),
  );
  const changes = plan.changes
    .filter((change) => change.action !== 'none')
    .map((change) => digested(change, requests, values.get(change.address) ?? []))
    .sort(byCodeUnit);
  const { project, environment, service, account } = plan;
  const text = canonical({ project, environment, service, account, changes });
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/**
 * What a person is shown are names, which may come to mean another object; what is sent are ids. Both count, for the
 * fields that change.
 */
function valuesOf({ change, match: { kind, entry, observed } }: Decided): Json {
  const valueIn = (spec: unknown, field: string) =>
    spec === null || spec === undefined ? null : fieldValue(kind, spec, field);
  return change.fields
    .filter(({ path, sensitive }) => !sensitive && Object.hasOwn(kind.fields, path))
    .map(({ path }) => [path, valueIn(observed?.spec, path), valueIn(entry?.spec, path)]);
}

function digested(change: Change, requests: ReadonlyMap<string, string>, values: Json): string {
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
    values,
    calls: change.steps.map((step) => requests.get(step) ?? ''),
  });
}
