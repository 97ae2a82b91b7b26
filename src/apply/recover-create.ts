import type { JsonObject } from '../model/json.js';
import { exists, type Kind } from '../model/kind.js';
import { resolveIdentity } from '../model/pending.js';
import { pollUntil } from '../model/poll.js';
import type { Reader } from '../model/request.js';
import type { Address, Observed } from '../model/resource.js';
import { hasValues } from './values.js';

export interface LostCreate {
  readonly reader: Reader;
  readonly kind: Kind;
  /** The natural key of the created object, whose references may be pending. */
  readonly identity: string;
  /** Canonical values of its fields, as the inventory keeps them. */
  readonly applied: JsonObject;
  /** Ids that are known to be of other objects. */
  readonly others: ReadonlySet<string>;
  readonly ids: ReadonlyMap<Address, string>;
  sleep(milliseconds: number): Promise<void>;
}

/**
 * The id of the object that a create has made, whose answer was lost or showed no id; else why it is not known. The
 * create is never sent again: its object is looked for.
 */
export async function recoverCreate(
  lost: LostCreate,
): Promise<{ readonly id: string } | { readonly error: string }> {
  const found = await findCreated(lost);
  const [only] = found;
  if (only === undefined) return { error: 'looked for the object and did not find it' };
  if (found.length === 1 && only.id !== null) return { id: only.id };
  const ids = found.map((each) => each.id).join(', ');
  return { error: `looked for the object and found ${found.length} candidates (${ids})` };
}

/** New objects with the natural key, usually one. */
async function findCreated(lost: LostCreate): Promise<readonly Observed[]> {
  const { reader, kind, others, ids } = lost;
  const identity = resolveIdentity(kind, lost.identity, ids);
  const isCreated = (each: Observed) =>
    exists(kind, each) &&
    kind.identity.ofObserved(each) === identity &&
    (each.id === null || !others.has(each.id)) &&
    // Several objects may have the same natural key: only one that is equal in every field can be it.
    (kind.similarity === undefined || hasValues(kind, each.spec, lost.applied, ids));
  const look = async () => (await reader.readAll(kind.list())).filter(isCreated);
  return pollUntil(look, (found) => found.length > 0, lost.sleep);
}
