import { createHash } from 'node:crypto';
import { byCodeUnit, canonical } from '../model/json.js';
import { exists, type Kind } from '../model/kind.js';
import type { Reader } from '../model/request.js';
import type { Agent, KindName, Observed } from '../model/resource.js';
import { ServiceFailure } from './failure.js';
import { listAgents } from './operations/agents.js';

/** What the service says now, complete as far as the plan rests on it. */
export interface ObservedState {
  readonly agents: readonly Agent[];
  readonly objects: ReadonlyMap<KindName, readonly Observed[]>;
  /** The same for every key of one user, and another for every other user; null where the service shows no keys. */
  readonly account: string | null;
}

/** Which objects the plan may rest on: only these are read by id when a list item lacks something. */
export interface ObserveScope {
  /** From the inventory and from `id:` entries. One that the list lacks is read by id: a list hides some (interface §1.10). */
  readonly ids: ReadonlyMap<KindName, ReadonlySet<string>>;
  /** Natural keys of declared entries. */
  readonly identities: ReadonlyMap<KindName, ReadonlySet<string>>;
  /** Everything is wanted: `prune: all`, `pull`, `snapshot`. */
  readonly all: boolean;
}

/**
 * Five lists at once, then single reads only where a list item lacks what is needed (contract §8). Throws a Problem
 * when any of them is not whole: absence must be proven before anything is planned on it.
 */
export async function observe(
  reader: Reader,
  kinds: readonly Kind[],
  wanted: ObserveScope,
  callsWith: (keyPrefix: string) => boolean,
): Promise<ObservedState> {
  const reads = kinds.map((kind) => observeKind(reader, kind, wanted));
  const agentsRead = reader.readAll(listAgents());
  const settled = await Promise.allSettled([agentsRead, ...reads]);
  const failures: unknown[] = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  // Of several that fail the first one is told, not the quickest: the same trouble gives the same words. What was not
  // even sent any more, after a 401 to another, is the echo of that one.
  if (failures.length > 0) throw failures.find((each) => !isEcho(each)) ?? failures[0];
  const [agents, lists] = [await agentsRead, await Promise.all(reads)];
  const objects = new Map(
    kinds.map((kind, index) => [kind.name, markCaller(lists[index]?.objects ?? [], callsWith)]),
  );
  return { agents, objects, account: accountOf(lists.flatMap(({ all }) => all)) };
}

const isEcho = (failure: unknown) =>
  failure instanceof ServiceFailure && failure.status === 401 && failure.certainty === 'not-sent';

interface Listed {
  readonly objects: readonly Observed[];
  /** With what is no more, such as revoked keys. */
  readonly all: readonly Observed[];
}

async function observeKind(reader: Reader, kind: Kind, wanted: ObserveScope): Promise<Listed> {
  const all = await reader.readAll(kind.list());
  const listed = all.filter((each) => exists(kind, each));
  const ids = wanted.ids.get(kind.name) ?? new Set();
  const complete = await Promise.all(listed.map((each) => completed(reader, kind, each, wanted)));
  const seen = new Set(listed.map((each) => each.id));
  const hidden = await Promise.all(
    [...ids].filter((id) => !seen.has(id)).map((id) => readHidden(reader, kind, id)),
  );
  return { objects: [...complete, ...hidden.filter((each) => each !== null)], all };
}

async function completed(
  reader: Reader,
  kind: Kind,
  item: Observed,
  wanted: ObserveScope,
): Promise<Observed> {
  if (item.spec !== null || item.id === null || kind.detail === undefined) return item;
  const identity = kind.identity.ofObserved(item);
  const needed =
    wanted.all ||
    wanted.ids.get(kind.name)?.has(item.id) ||
    (identity !== null && wanted.identities.get(kind.name)?.has(identity));
  return needed ? reader.read(kind.detail(item.id)) : item;
}

/** An object that the list does not show: really gone (null), or only hidden. */
async function readHidden(reader: Reader, kind: Kind, id: string): Promise<Observed | null> {
  if (kind.detail === undefined) return null;
  try {
    return await reader.read(kind.detail(id));
  } catch (failure) {
    if (failure instanceof ServiceFailure && failure.status === 404) return null;
    throw failure;
  }
}

/** The interface names no user. Keys are listed for one user alone (§5.7), and the oldest one outlives a new key. */
function accountOf(list: readonly Observed[]): string | null {
  const keys = list.filter(({ facts }) => facts['keyPrefix'] !== undefined);
  const marks = keys.map(({ id, facts }) =>
    canonical([facts['createdDate'] ?? null, id, facts['keyPrefix'] ?? null]),
  );
  const [oldest] = marks.sort(byCodeUnit);
  return oldest === undefined ? null : createHash('sha256').update(oldest).digest('hex').slice(0, 16);
}

/** Marks the key that roster calls with; all of them when none can be told to be it. */
function markCaller(list: readonly Observed[], callsWith: (keyPrefix: string) => boolean): Observed[] {
  const prefixOf = (each: Observed) => each.facts['keyPrefix'];
  const isCaller = (each: Observed) => {
    const prefix = prefixOf(each);
    return typeof prefix === 'string' && callsWith(prefix);
  };
  const known = list.some(isCaller);
  return list.map((each) =>
    prefixOf(each) === undefined ? each : { ...each, caller: known ? isCaller(each) : true },
  );
}
