import { createHash } from 'node:crypto';
import { byCodeUnit, canonical, type Json } from '../model/json.js';
import type { Change, Plan } from '../model/plan.js';
import { hashed, type ValueHasher, valueHasher } from '../model/value-hash.js';
import type { ResourceDiff } from './diff.js';
import { fieldValue } from './fields.js';

/**
 * `sha256:` over what would be changed, from what, to what, where: the same for the same plan on any machine at any
 * time. Sensitive values are not in it, not even hashed: a digest is public, and a short secret could be guessed.
 */
export function digestOf(
  plan: Pick<Plan, 'project' | 'environment' | 'service' | 'account' | 'changes' | 'steps'>,
  diffs: readonly ResourceDiff[],
): string {
  const hasher = valueHasher(plan);
  const facts = new Map(diffs.map((each) => [each.change.address, factsOf(each, hasher)]));
  const requests = new Map(
    plan.steps.map((step) => [step.id, `${step.request.method} ${step.request.path}`]),
  );
  const changes = plan.changes
    .filter((change) => change.action !== 'none')
    .map((change) => digested(change, requests, facts.get(change.address)))
    .sort(byCodeUnit);
  const { project, environment, service, account } = plan;
  const text = canonical({ project, environment, service, account, changes });
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

interface Facts {
  /** Fields of which the values before count as hashes, for a snapshot holds no more of them. */
  readonly hashed: readonly string[];
  readonly values: Json;
}

/**
 * What a person is shown are names, which may come to mean another object; what is sent are ids. Both count, for the
 * fields that change.
 */
function factsOf({ change, match: { kind, entry, observed } }: ResourceDiff, hasher: ValueHasher): Facts {
  const hashedFields = kind.saved.hashed;
  const valueIn = (spec: unknown, field: string) =>
    spec === null || spec === undefined ? null : fieldValue(kind, spec, field);
  const before = (field: string) => {
    const value = valueIn(observed?.spec, field);
    return value !== null && hashedFields.includes(field) ? hashed(value, hasher) : value;
  };
  const values = change.fields
    .filter(({ path, sensitive }) => !sensitive && Object.hasOwn(kind.fields, path))
    .map(({ path }) => [path, before(path), valueIn(entry?.spec, path)]);
  return { hashed: hashedFields, values };
}

function digested(change: Change, requests: ReadonlyMap<string, string>, facts: Facts | undefined): string {
  const { address, action, id, name, adopted } = change;
  const fields = change.fields.map(({ path, before, after, sensitive }) => ({
    path,
    before: facts?.hashed.includes(path) ? null : before,
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
    values: facts?.values ?? [],
    calls: change.steps.map((step) => requests.get(step) ?? ''),
  });
}
