import type { InventoryDraft } from '../model/inventory.js';
import { canonical } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { Reader } from '../model/request.js';
import type { Address, Observed } from '../model/resource.js';

export interface Looking {
  readonly reader: Reader;
  readonly kind: Kind;
  readonly draft: InventoryDraft;
  /** Ids that were there before the create was sent. */
  readonly before: ReadonlySet<string>;
  readonly ids: ReadonlyMap<Address, string>;
  /** Milliseconds to wait before each look: a list may lag behind a write. */
  readonly waits: readonly number[];
  sleep(milliseconds: number): Promise<void>;
}

/**
 * What became of a create whose answer was lost, or showed no id: the one new object with its natural key. It is never
 * sent again, it is looked for. Null when it did not appear; several when more than one did.
 */
export async function lookFor(looking: Looking): Promise<readonly Observed[]> {
  const identity = resolvedIdentity(looking.draft.identity, looking.ids);
  for (const wait of looking.waits) {
    await looking.sleep(wait);
    const listed = await looking.reader.readAll(looking.kind.list());
    const found = listed.filter(
      (each) =>
        looking.kind.exists(each) &&
        looking.kind.observedIdentity(each) === identity &&
        (each.id === null || !looking.before.has(each.id)),
    );
    if (found.length > 0) return found;
  }
  return [];
}

/** A natural key is written down before the ids of its targets are known. */
function resolvedIdentity(identity: string, ids: ReadonlyMap<Address, string>): string {
  if (!identity.includes('"pending"')) return identity;
  let text = identity;
  for (const [address, id] of ids)
    text = text.replaceAll(canonical({ pending: address }), JSON.stringify(id));
  return text;
}
