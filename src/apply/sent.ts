import type { InventoryRecord } from '../model/inventory.js';
import { equal, type JsonObject } from '../model/json.js';
import { type Kind, rulesOf } from '../model/kind.js';
import { resolveIdentity, resolveValues } from '../model/pending.js';
import type { Plan } from '../model/plan.js';
import type { Address, Observed } from '../model/resource.js';
import { fits } from '../model/template.js';

/** The canonical value of each field, as the inventory keeps them. */
export function valuesOf(kind: Kind, spec: unknown): JsonObject {
  const fields = spec as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(rulesOf(kind)).map(([field, rule]) => [field, rule.canonical(fields[field])]),
  );
}

/**
 * Whether an object has all of these values, whose references may be pending. Those of `sensitive` fields are templates,
 * which stand for any value that fits.
 */
export function hasValues(
  kind: Kind,
  spec: unknown,
  applied: JsonObject,
  ids: ReadonlyMap<Address, string>,
  sensitive: readonly string[] = [],
): boolean {
  if (spec === null) return false;
  const rules = rulesOf(kind);
  const fields = spec as Readonly<Record<string, unknown>>;
  return Object.entries(resolveValues(kind, applied, ids)).every(([field, value]) => {
    const own = rules[field]?.canonical(fields[field]) ?? null;
    return sensitive.includes(field) ? fits(own, value) : equal(own, value);
  });
}

/** What a create sent, to recognize its object. */
export interface SentCreate {
  readonly kind: Kind;
  readonly address: Address;
  /** The natural key of the created object, whose references may be pending. */
  readonly identity: string;
  readonly record: InventoryRecord;
  readonly ids: ReadonlyMap<Address, string>;
}

/** Null when the plan does not create it. */
export function sentCreate(
  plan: Plan,
  kind: Kind,
  address: Address,
  ids: ReadonlyMap<Address, string>,
): SentCreate | null {
  const [intent, record] = [plan.createIntents[address], plan.records[address]];
  if (intent === undefined || record === undefined) return null;
  return { kind, address, identity: intent.identity, record, ids };
}

/** Whether an object has the natural key and the values that the create has sent. */
export function isSent(observed: Observed, sent: SentCreate): boolean {
  return isNamed(observed, sent) && hasSent(observed, sent, settable(sent));
}

/**
 * Whether an object may be what a create has sent, with values that the service changed: in its natural key, or in what
 * is not part of it. Someone else's object differs in both, or in the fields that distinguish similar objects.
 */
export function isAltered(observed: Observed, sent: SentCreate): boolean {
  const { kind } = sent;
  if (observed.manageable === false || observed.spec === null) return false;
  if (!hasSent(observed, sent, kind.similarity?.within ?? [])) return false;
  const others = settable(sent).filter((field) => !kind.identity.fields.includes(field));
  return isNamed(observed, sent) || hasSent(observed, sent, others);
}

export function isNamed(observed: Observed, { kind, identity, ids }: SentCreate): boolean {
  const own = kind.identity.ofObserved(observed);
  // An identity without pending references is resolved already.
  return own === identity || own === resolveIdentity(kind, identity, ids);
}

function hasSent({ spec }: Observed, { kind, record, ids }: SentCreate, fields: readonly string[]): boolean {
  const values = Object.entries(record.applied).filter(([field]) => fields.includes(field));
  return hasValues(kind, spec, Object.fromEntries(values), ids, record.sensitive);
}

/** The fields that a create sets. */
function settable({ kind, record }: SentCreate): readonly string[] {
  return Object.keys(record.applied).filter((field) => kind.notSettableOnCreate?.includes(field) !== true);
}
