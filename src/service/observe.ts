import { createHash } from 'node:crypto';
import { byCodeUnit, canonical } from '../model/json.js';
import { exists, type Kind } from '../model/kind.js';
import type { Reader } from '../model/request.js';
import type { Agent, KindName, Observed } from '../model/resource.js';
import type { Answered, Ask, Preview } from '../model/schedule.js';
import { ServiceFailure } from './failure.js';
import { listAgents } from './operations/agents.js';
import { createQueue } from './queue.js';

/** The current state of the service, complete as far as the plan depends on it. */
export interface ObservedState {
  readonly agents: readonly Agent[];
  readonly objects: ReadonlyMap<KindName, readonly Observed[]>;
  /** An opaque text that is the same for every key of one user; null where the service lists no keys. */
  readonly account: string | null;
  /** What the lists show although it no longer exists, such as revoked keys. Missing in a snapshot. */
  readonly gone?: readonly Observed[];
}

/** The objects that the plan depends on: only these are read by id when a list item is incomplete. */
export interface ObserveScope {
  /** From the inventory and from `id:` entries. Those that a list lacks are read by id, because lists hide some (interface §1.10). */
  readonly ids: ReadonlyMap<KindName, ReadonlySet<string>>;
  /** Whether an entry declares this natural key. */
  declares(kind: KindName, identity: string): boolean;
  /** All objects: `prune: all`, `pull`, `snapshot`. */
  readonly all: boolean;
  /** False where nothing of these kinds refers to agents: they are not read. Default: true. */
  readonly agents?: boolean;
}

/**
 * Reads all lists at once, then single objects only where a list item is incomplete (contract §8). Throws a Problem
 * when any of them cannot be read completely: nothing may be planned on a guess that an object is absent.
 */
export async function observe(
  reader: Reader,
  kinds: readonly Kind[],
  scope: ObserveScope,
  callsWith: (keyPrefix: string) => boolean,
): Promise<ObservedState> {
  const reads = kinds.map((kind) => observeKind(reader, kind, scope));
  const agentsRead = scope.agents === false ? Promise.resolve([]) : reader.readAll(listAgents());
  const settled = await Promise.allSettled([agentsRead, ...reads]);
  const failures: unknown[] = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  // Reports the first of several failures in order, not the quickest one, so that the report is always the same.
  if (failures.length > 0) throw failures.find((each) => !isConsequence(each)) ?? failures[0];
  const [agents, lists] = [await agentsRead, await Promise.all(reads)];
  const objects = new Map(
    kinds.map((kind, index) => [kind.name, markCaller(lists[index]?.objects ?? [], callsWith)]),
  );
  const all = lists.flatMap((each) => each.all);
  const gone = all.filter((each) => kinds.some((kind) => kind.name === each.kind && !exists(kind, each)));
  return { agents, objects, account: accountOf(all), gone };
}

/** Not sent because another request was answered with 401. */
const isConsequence = (failure: unknown) =>
  failure instanceof ServiceFailure && failure.status === 401 && failure.certainty === 'not-sent';

interface Listed {
  readonly objects: readonly Observed[];
  /** Includes objects that no longer exist, such as revoked keys. */
  readonly all: readonly Observed[];
}

async function observeKind(reader: Reader, kind: Kind, scope: ObserveScope): Promise<Listed> {
  const all = await reader.readAll(kind.list());
  const listed = all.filter((each) => exists(kind, each));
  const ids = scope.ids.get(kind.name) ?? new Set();
  const seen = new Set(listed.map((each) => each.id));
  const [complete, hidden] = await Promise.all([
    Promise.all(listed.map((each) => completed(reader, kind, each, scope))),
    Promise.all([...ids].filter((id) => !seen.has(id)).map((id) => readHidden(reader, kind, id))),
  ]);
  return { objects: [...complete, ...hidden.filter((each) => each !== null)], all };
}

async function completed(reader: Reader, kind: Kind, item: Observed, scope: ObserveScope): Promise<Observed> {
  if (item.spec !== null || item.id === null || kind.detail === undefined) return item;
  const identity = kind.identity.ofObserved(item);
  const needed =
    scope.all ||
    scope.ids.get(kind.name)?.has(item.id) ||
    (identity !== null && scope.declares(kind.name, identity));
  return needed ? reader.read(kind.detail(item.id)) : item;
}

/** An object that the list does not show: null if it does not exist, else the list hides it. */
async function readHidden(reader: Reader, kind: Kind, id: string): Promise<Observed | null> {
  if (kind.detail === undefined) return null;
  try {
    return await reader.read(kind.detail(id));
  } catch (failure) {
    if (failure instanceof ServiceFailure && failure.status === 404) return null;
    throw failure;
  }
}

/** The interface names no user. A list of keys is that of one user (§5.7), and a new key does not remove the oldest one. */
function accountOf(list: readonly Observed[]): string | null {
  const keys = list.filter(({ facts }) => facts['keyPrefix'] !== undefined);
  const marks = keys.map(({ id, facts }) =>
    canonical([facts['createdDate'] ?? null, id, facts['keyPrefix'] ?? null]),
  );
  const [oldest] = marks.sort(byCodeUnit);
  return oldest === undefined ? null : createHash('sha256').update(oldest).digest('hex').slice(0, 16);
}

/** Marks the key that roster uses; all keys when roster cannot determine which one that is. */
function markCaller(list: readonly Observed[], callsWith: (keyPrefix: string) => boolean): Observed[] {
  const prefixOf = (each: Observed) => each.facts['keyPrefix'];
  const isCaller = (each: Observed) => {
    const prefix = prefixOf(each);
    return typeof prefix === 'string' && callsWith(prefix);
  };
  // Only keys have prefixes, and there may be thousands of other objects.
  if (!list.some((each) => prefixOf(each) !== undefined)) return [...list];
  const known = list.some(isCaller);
  return list.map((each) =>
    prefixOf(each) === undefined ? each : { ...each, caller: known ? isCaller(each) : true },
  );
}

/** The service rejects the body (interface §4: "or 400 with the reason it is invalid"). */
const rejections = new Set([400, 422]);

/**
 * Asks the service when schedules would run. A service that cannot answer is not an error, because the times can be
 * computed: after its first failure it is not asked again. Throws for a rejected key and for a redirect.
 */
export async function askAll(reader: Reader, asks: readonly Ask[], concurrency: number): Promise<Answered[]> {
  let answers = true;
  const answered = await createQueue(concurrency).map(asks, async (ask) => {
    const preview = answers ? await previewOf(reader, ask) : null;
    answers &&= preview !== null;
    return preview === null ? [] : [{ ask, preview }];
  });
  return answered.flat();
}

async function previewOf(reader: Reader, { call }: Ask): Promise<Preview | null> {
  try {
    return { runs: await reader.read(call) };
  } catch (failure) {
    if (!(failure instanceof ServiceFailure)) throw failure;
    const status = failure.status ?? 0;
    // A redirect leads away from the service: that is more than a service without previews.
    if (status === 401 || (status >= 300 && status < 400)) throw failure;
    return rejections.has(status) ? { rejected: failure.facts.message } : null;
  }
}
