import { digestOfParts, digestPart, hashed, type ValueHasher, valueHasher } from '../model/digest.js';
import type { CreateIntent, InventoryEntry, InventoryRecord } from '../model/inventory.js';
import { byCodeUnit, canonical, type Json, type JsonObject } from '../model/json.js';
import { fieldValue, isExpired, type Kind, nameOf, ruleOf } from '../model/kind.js';
import { type Change, changeOf, type Plan, type PlanSubject, type Step } from '../model/plan.js';
import { type Address, type Desired, isPending, objectKey, pathInProject } from '../model/resource.js';
import { diff } from './diff.js';
import { ignoredParts, recordWithIgnored, withoutIgnored } from './ignore.js';
import { order } from './order.js';
import type { AgentLookup } from './references.js';
import { secretPlaces, unrecordedFields, withoutSecrets } from './secret-values.js';
import { type Comparison, isOwnedElsewhere, type Match, type ResourceDiff } from './world.js';

/**
 * `sha256:` of what would change, from what, to what, and where, and of the settings that a pull request may not change
 * unseen. It is the same for the same plan on any machine at any time. Values from the environment are left out even as
 * hashes, and the templates of manifests count in their place: a digest is public, and a short secret could be guessed.
 */
export function digestOf(
  subject: PlanSubject,
  ordered: OrderedChanges,
  diffs: readonly ResourceDiff[],
): Pick<Plan, 'digest' | 'digestParts'> {
  const digestParts = digestPartsOf(ordered, diffs, { hasher: valueHasher(subject) });
  return { digest: digestOfParts(subject, digestParts), digestParts };
}

/** The changes of a plan, and the steps that carry them out. */
export interface OrderedChanges {
  readonly changes: readonly Change[];
  readonly steps: readonly Step[];
}

/** How values count. */
interface DigestOptions {
  readonly hasher: ValueHasher;
  /** What a field will refer to, in its canonical form. Default: as it is. */
  readonly reference?: (value: Json) => Json;
}

/** A hash of each acting change, in the order of the plan. */
function digestPartsOf(
  plan: OrderedChanges,
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
  /** The other project that has the object in its inventory, and because of which it is forgotten or risky. Null for none. */
  readonly owner: string | null;
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
  const isOthers = observed !== null && (entry !== null || change.action === 'forget');
  const owner = isOthers && isOwnedElsewhere(match) ? (match.elsewhere?.project ?? null) : null;
  return { hashed: hashedFields, values: values.map((each) => [...each]), isRefused, owner };
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
  const parts = {
    action,
    address,
    adopted,
    calls: change.steps.map((step) => requests.get(step) ?? ''),
    fields,
    id,
    name,
    protected: values?.isRefused ?? false,
    values: values?.values ?? [],
  };
  return canonical(values?.owner == null ? parts : { ...parts, owner: values.owner });
}

/**
 * The digest parts of a plan as they were while the unfinished apply had yet to create what changes refer to: for
 * `--resume`. An object counts as created by it if its create, as its entry would have it now, is a part of that apply, and
 * nothing is left to change in it. An address that has become that of another object refers to something else.
 */
export function restParts(
  subject: PlanSubject,
  ordered: OrderedChanges,
  { basis, names, diffs }: Comparison,
): Pick<Plan, 'restParts'> {
  const { intent } = basis.inventory;
  const isReferring = ({ change, match }: ResourceDiff) =>
    change.action !== 'none' && match.kind.references !== undefined;
  if (intent === undefined || !diffs.some(isReferring)) return {};
  const hasher = valueHasher(subject);
  const referred = new Set(basis.kinds.flatMap(({ references }) => references?.kinds ?? []));
  const intended = new Set(intent.digestParts);
  const created = new Map(
    diffs.flatMap((each): [string, Address][] => {
      const { kind, observed, address } = each.match;
      const before = referred.has(kind.name) ? beforeCreate(each) : null;
      const create = before && diff(before, basis, names);
      if (create === null || !intended.has(partOf(create, hasher))) return [];
      return [[objectKey(kind.name, observed?.id ?? null), address]];
    }),
  );
  if (created.size === 0) return {};
  const reference = (value: Json) => asPending(value, created);
  return { restParts: digestPartsOf(ordered, diffs, { hasher, reference }) };
}

/** What was known of an object that exists and is as declared before it was created; null for any other. */
function beforeCreate({ match, change }: ResourceDiff): Match | null {
  if (change.action !== 'none' || match.entry === null || match.observed?.id == null) return null;
  const nothing = { observed: null, rule: null, known: null, record: null, renamedFrom: null } as const;
  return { ...match, ...nothing, createInterrupted: false, misdescribed: false, wasProtected: false };
}

function partOf(create: ResourceDiff, hasher: ValueHasher): string {
  const { steps, stepsOf } = order([create]);
  const { address } = create.change;
  const own = changeOf(create.change, { steps: stepsOf.get(address) });
  return digestPartsOf({ changes: [own], steps }, [create], { hasher })[0] ?? '';
}

/** The canonical form of a reference is its kind with its id. */
function asPending(value: Json, created: ReadonlyMap<string, Address>): Json {
  const [kind, id] = Array.isArray(value) ? value : [];
  if (typeof kind !== 'string' || typeof id !== 'string') return value;
  const address = created.get(objectKey(kind, id));
  return address === undefined ? value : [kind, { pending: address }];
}

/** What an apply records about what is declared: before it creates an object, and once the change is done. */
export function intentsAndRecords({ diffs, basis }: Comparison): Pick<Plan, 'records' | 'createIntents'> {
  const records: Record<Address, InventoryRecord> = {};
  const createIntents: Record<Address, CreateIntent> = {};
  for (const { match: each, change } of diffs) {
    if (each.entry === null) continue;
    const expired = isExpired(each.kind, each.entry.declared, basis.now);
    const record = recordOf(each, each.entry, {
      expired,
      file: pathInProject(basis.project, each.entry.source.file),
      agents: basis.agents,
    });
    records[change.address] = record;
    if (!needsIntent(each, change)) continue;
    createIntents[change.address] = createIntent(each.kind, each.entry, record);
  }
  return { records, createIntents };
}

/** So that a later plan can show what is ignored in addition. */
function ignoredAtApply(entry: Desired): Pick<InventoryEntry, 'ignore'> {
  const paths = ignoredParts(entry).map(({ path }) => path);
  return paths.length === 0 ? {} : { ignore: paths.sort(byCodeUnit) };
}

/** A run may be killed after it created the object, or changed what the inventory knows it by. */
function needsIntent({ kind, known }: Match, { action, fields }: ResourceDiff['change']): boolean {
  if (action === 'create' || action === 'replace') return true;
  const identifies = ({ path }: { readonly path: string }) => kind.identity.fields.includes(path);
  return action === 'update' && known !== null && fields.some(identifies);
}

/** What a draft says of the new object must be found there, so templates are left out. */
function createIntent(kind: Kind, entry: Desired, { name, applied }: InventoryRecord): CreateIntent {
  const identity = kind.identity.of(entry.spec);
  const values = Object.entries(applied).filter(([field]) => entry.templates[field] === undefined);
  return { identity, draft: { kind: kind.name, name, identity, applied: Object.fromEntries(values) } };
}

interface RecordedFacts {
  readonly expired: boolean;
  readonly file: string;
  readonly agents: AgentLookup;
}

/** What was expected, and of which versions of its agents: so that it can be said what has changed since. */
function expectedAtApply(
  kind: Kind,
  { expect, spec }: Desired,
  agents: AgentLookup,
): Pick<InventoryRecord, 'expect' | 'versions'> {
  if (expect === undefined) return {};
  const target = kind.startByHand?.target?.(spec).of;
  const direct = target?.kind === 'agent' && !isPending(target.id) ? [target.id] : [];
  const versions: Record<string, string> = {};
  for (const id of [...(kind.runs?.agents(spec) ?? direct)].sort(byCodeUnit)) {
    const version = agents.byId(id)?.version ?? null;
    if (version !== null) versions[id] = version;
  }
  return Object.keys(versions).length === 0 ? { expect } : { expect, versions };
}

/**
 * The inventory entry of a declared resource after its change: what was applied, or for an expired entry what exists.
 * Where values from the environment belong, it holds the template.
 */
function recordOf(match: Match, entry: Desired, { expired, file, agents }: RecordedFacts): InventoryRecord {
  const { kind } = match;
  const spec = expired ? match.observed?.spec : entry.spec;
  const applied: Record<string, Json> = {};
  for (const field of Object.keys(kind.fields)) {
    const template = entry.templates[field];
    if (template === undefined && spec != null) applied[field] = fieldValue(kind, spec, field);
    // What exists of an expired entry may hold a former value from the environment.
    else if (template !== undefined && !expired) applied[field] = template;
  }
  const pausing = kind.pausing?.field ?? '';
  const former = match.known === null ? match.unheld?.spec : undefined;
  const before = former === undefined ? match.known?.applied[pausing] : fieldValue(kind, former, pausing);
  // Somebody else has paused it, not this apply: it is drift again when the hold ends.
  if (match.hold?.wasPaused === true && before !== undefined) applied[pausing] = before;
  const record = {
    kind: kind.name,
    name: nameOf(kind, entry.spec),
    protect: entry.protect,
    file,
    applied: applied as JsonObject,
    sensitive: Object.keys(entry.templates),
    ...ignoredAtApply(entry),
    ...expectedAtApply(match.kind, entry, agents),
    ...(match.hold === undefined ? {} : { hold: match.hold }),
  };
  return match.observed === null ? record : recordWithIgnored(entry, record, match.known);
}
