import { canonical, type Json } from '../model/json.js';
import type { Change, Plan } from '../model/plan.js';
import { digestOfParts, digestPart } from '../model/plan-digest.js';
import { hashed, type ValueHasher, valueHasher } from '../model/value-hash.js';
import type { ResourceDiff } from './diff.js';
import { fieldValue, ruleOf } from './fields.js';
import { withoutIgnored } from './ignore.js';
import { secretPlaces, unrecordedFields, withoutSecrets } from './secret-values.js';

/**
 * `sha256:` of what would change, from what, to what, and where, and of the settings that a pull request may not change
 * unseen. It is the same for the same plan on any machine at any time. Values from the environment are left out even as
 * hashes, and the templates of manifests count in their place: a digest is public, and a short secret could be guessed.
 */
export function digestOf(
  plan: Pick<
    Plan,
    | 'project'
    | 'environment'
    | 'service'
    | 'account'
    | 'inventory'
    | 'safeguards'
    | 'ignored'
    | 'held'
    | 'changes'
    | 'steps'
  >,
  diffs: readonly ResourceDiff[],
): Pick<Plan, 'digest' | 'digestParts'> {
  const digestParts = digestPartsOf(plan, diffs, { hasher: valueHasher(plan) });
  return { digest: digestOfParts(plan, digestParts), digestParts };
}

/** How values count. */
export interface DigestOptions {
  readonly hasher: ValueHasher;
  /** What a field will refer to, in its canonical form. Default: as it is. */
  readonly reference?: (value: Json) => Json;
}

/** A hash of each acting change, in the order of the plan. */
export function digestPartsOf(
  plan: Pick<Plan, 'changes' | 'steps'>,
  diffs: readonly ResourceDiff[],
  options: DigestOptions,
): readonly string[] {
  const changed = diffs.filter(({ change }) => change.action !== 'none');
  const values = new Map(changed.map((each) => [each.change.address, valuesOf(each, options)]));
  const requests = new Map(
    plan.steps.map((step) => [step.id, `${step.request.method} ${step.request.path}`]),
  );
  const acting = plan.changes.filter((change) => change.action !== 'none');
  return acting.map((change) => digestPart(digested(change, requests, values.get(change.address))));
}

interface DigestedValues {
  /** Fields whose values before the change count as hashes, because a snapshot holds nothing else. */
  readonly hashed: readonly string[];
  readonly values: Json;
  /** Whether apply would refuse to change it: a review of a refused plan must not count for one that is not. */
  readonly isRefused: boolean;
}

/** A person sees names, which may later belong to another object, and ids are sent: both count for fields that change. */
function valuesOf(
  { change, match }: ResourceDiff,
  { hasher, reference = (value) => value }: DigestOptions,
): DigestedValues {
  const { kind, entry, observed, wasProtected, misdescribed } = match;
  const hashedFields = [...(kind.snapshot.hashed ?? []), ...unrecordedFields(match)];
  const valueIn = (spec: unknown, field: string) =>
    spec === null || spec === undefined
      ? null
      : withoutIgnored(observed === null ? null : entry, field, fieldValue(kind, spec, field));
  const before = (field: string) => {
    const places = secretPlaces(match, field);
    const held = valueIn(observed?.spec, field);
    const value = held === null || places === undefined ? held : withoutSecrets(held, places);
    return value !== null && hashedFields.includes(field) ? hashed(value, hasher) : value;
  };
  const after = (field: string) => {
    const value = entry?.templates[field] ?? valueIn(entry?.spec, field);
    return ruleOf(kind, field).isReference === true ? reference(value) : value;
  };
  const values = change.fields
    .filter(({ path }) => Object.hasOwn(kind.fields, path))
    .map(({ path }) => [path, before(path), after(path)] as const);
  const isRefused = misdescribed || (change.action === 'delete' && wasProtected);
  return { hashed: hashedFields, values: values.map((each) => [...each]), isRefused };
}

function digested(
  change: Change,
  requests: ReadonlyMap<string, string>,
  values: DigestedValues | undefined,
): string {
  const { address, action, id, name, adopted } = change;
  // The keys are in the order in which they are written.
  const fields = change.fields.map(({ path, before, after, sensitive }) => ({
    after,
    before: sensitive || values?.hashed.includes(path) ? null : before,
    path,
    sensitive,
  }));
  return canonical({
    action,
    address,
    adopted,
    calls: change.steps.map((step) => requests.get(step) ?? ''),
    fields,
    id,
    name,
    protected: values?.isRefused ?? false,
    values: values?.values ?? [],
  });
}
