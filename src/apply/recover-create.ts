import { canonical, type Json, type JsonObject } from '../model/json.js';
import { exists, type Kind } from '../model/kind.js';
import type { Reader } from '../model/request.js';
import type { Address, Observed } from '../model/resource.js';
import { pendingIn, resolveJson } from './resolve.js';
import { hasValues } from './values.js';

/** Milliseconds before each look for what was just created, in a list that may lag. */
export const looks = [0, 250, 1000, 2500];

export interface Looking {
  readonly reader: Reader;
  readonly kind: Kind;
  /** The natural key of what was created, with the addresses of targets that were not there yet. */
  readonly identity: string;
  /** The body that was sent, before the ids were put in. */
  readonly body: Json;
  /** Canonical values of the fields, as the inventory keeps them. */
  readonly applied: JsonObject;
  /** Ids that are known to be something else. */
  readonly others: ReadonlySet<string>;
  readonly ids: ReadonlyMap<Address, string>;
  /** Milliseconds to wait before each look: a list may lag behind a write. */
  readonly waits: readonly number[];
  sleep(milliseconds: number): Promise<void>;
}

/**
 * What became of a create whose answer was lost, or showed no id: the new objects with its natural key, mostly one. It
 * is never sent again, it is looked for. Empty when nothing appeared.
 */
export async function findCreated(looking: Looking): Promise<readonly Observed[]> {
  const { kind, others } = looking;
  const identity = resolvedIdentity(looking);
  for (const wait of looking.waits) {
    await looking.sleep(wait);
    const listed = await looking.reader.readAll(kind.list());
    const found = listed.filter(
      (each) =>
        exists(kind, each) &&
        kind.identity.ofObserved(each) === identity &&
        (each.id === null || !others.has(each.id)) &&
        // Objects of one natural key may stand side by side: only one that is equal in every field can be it.
        (kind.similarity === undefined || hasValues(kind, each.spec, looking.applied, looking.ids)),
    );
    if (found.length > 0) return found;
  }
  return [];
}

function resolvedIdentity({ identity, body, ids }: Looking): string {
  let text = identity;
  for (const address of pendingIn(body)) {
    text = text.replaceAll(
      canonical({ pending: address }),
      canonical(resolveJson({ pending: address }, ids)),
    );
  }
  return text;
}
