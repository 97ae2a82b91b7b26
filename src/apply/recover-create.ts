import type { JsonObject } from '../model/json.js';
import { exists, type Kind } from '../model/kind.js';
import { namedIds } from '../model/named-ids.js';
import { resolveIdentity } from '../model/pending.js';
import { pollUntil } from '../model/poll.js';
import type { Reader } from '../model/request.js';
import type { Address, Observed } from '../model/resource.js';
import { hasValues, type RecordedValues } from './values.js';

/** What a create sent, to recognize its object. */
export interface SentCreate extends RecordedValues {
  readonly kind: Kind;
  /** The natural key of the created object, whose references may be pending. */
  readonly identity: string;
  readonly ids: ReadonlyMap<Address, string>;
}

export interface LostCreate extends SentCreate {
  readonly reader: Reader;
  /** The object that the answer named, if it may be the new one although the service has changed its values. */
  readonly altered: Observed | null;
  /** Ids that are known to be of other objects. */
  isTaken(id: string): boolean;
  sleep(milliseconds: number): Promise<void>;
}

/**
 * The id of the object of a create whose response was lost, had no id or cannot be trusted; otherwise, why the id is
 * unknown. The create is never sent again: roster looks for its object.
 */
export async function recoverCreate(
  lost: LostCreate,
): Promise<{ readonly id: string } | { readonly error: string }> {
  const { reader, kind, altered } = lost;
  const look = async () => candidatesIn(await reader.readAll(kind.list()), lost);
  const found = await pollUntil(look, (candidates) => candidates.length > 0, lost.sleep);
  const [only] = found;
  if (only === undefined) {
    const what = altered === null ? '' : `; the object ${altered.id} has other values`;
    return { error: `looked for the object and did not find it${what}` };
  }
  if (found.length === 1 && only.id !== null) return { id: only.id };
  const ids = namedIds(found.map((each) => each.id));
  return { error: `looked for the object and found ${found.length} candidates (${ids})` };
}

/** New objects that the create may have made: those with its natural key, else the one that the answer named. */
export function candidatesIn(
  listed: readonly Observed[],
  lost: Pick<LostCreate, keyof SentCreate | 'altered' | 'isTaken'>,
): readonly Observed[] {
  const { kind, altered } = lost;
  const fresh = listed.filter((each) => exists(kind, each) && (each.id === null || !lost.isTaken(each.id)));
  // Several objects may have the same natural key: only one that is equal in every field can be it.
  const own = fresh.filter(
    (each) => isNamed(each, lost) && (kind.similarity === undefined || isSent(each, lost)),
  );
  return own.length > 0 ? own : fresh.filter((each) => altered !== null && each.id === altered.id);
}

/** Whether an object has the natural key and the values that the create has sent. */
export function isSent(observed: Observed, sent: SentCreate): boolean {
  const { kind, ids } = sent;
  const applied = settable(kind, sent.applied);
  return isNamed(observed, sent) && hasValues(kind, observed.spec, { ...sent, applied }, ids);
}

/**
 * Whether an object may be what a create has sent, with values that the service changed: in its natural key, or in what
 * is not part of it. Someone else's object differs in both, or in the fields that distinguish similar objects.
 */
export function isAltered(observed: Observed, sent: SentCreate): boolean {
  const { kind, applied, ids } = sent;
  if (observed.manageable === false || observed.spec === null) return false;
  const has = (fields: readonly string[]) =>
    hasValues(kind, observed.spec, { ...sent, applied: only(applied, fields) }, ids);
  if (!has(kind.similarity?.within ?? [])) return false;
  const others = Object.keys(settable(kind, applied)).filter(
    (field) => !kind.identity.fields.includes(field),
  );
  return isNamed(observed, sent) || has(others);
}

function isNamed(observed: Observed, { kind, identity, ids }: SentCreate): boolean {
  const own = kind.identity.ofObserved(observed);
  // An identity without pending references is resolved already.
  return own === identity || own === resolveIdentity(kind, identity, ids);
}

function settable(kind: Kind, applied: JsonObject): JsonObject {
  if (kind.notSettableOnCreate === undefined) return applied;
  const fields = Object.keys(applied).filter((field) => kind.notSettableOnCreate?.includes(field) !== true);
  return only(applied, fields);
}

function only(values: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([field]) => fields.includes(field)));
}
