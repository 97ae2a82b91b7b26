import type { Observation } from '../../engine/observe.js';
import type { ReadSession } from '../../engine/session.js';
import { runsOf } from '../../inventory/run-history.js';
import { type Hold, hasEnded } from '../../model/hold.js';
import { byCodeUnit } from '../../model/json.js';
import { isExpired, type Kind } from '../../model/kind.js';
import type { Action, Drifted } from '../../model/plan.js';
import {
  type Address,
  type Declared,
  type ObjectRef,
  type Observed,
  objectKey,
  type Project,
} from '../../model/resource.js';
import type { Sync } from '../../model/run.js';
import { driftOf } from '../../reconcile/drift.js';
import { inactiveTargets } from '../../reconcile/starts.js';
import type { Comparison, Match } from '../../reconcile/world.js';
import { readInstant } from '../../service/operations/record.js';
import { type Expected, expectedOf } from '../expect/origin.js';
import { kindsWithRuns } from '../run/targets.js';

/** A declared resource, with what the service and the inventory show of it. */
export interface DeclaredResource {
  readonly address: Address;
  readonly kind: Kind;
  /** Why it cannot be matched with an object; null where it can. */
  readonly unmatched: string | null;
  /** Null where it does not exist, or cannot be matched. */
  readonly observed: Observed | null;
  readonly sync: Sync;
  readonly hold: Hold | null;
  /** What a hold has paused that has ended since, and no apply has enabled. */
  readonly endedHold: Hold | null;
  /** What it starts; null for what runs itself, and where that cannot be read. */
  readonly target: ObjectRef | null;
  /** The address of its target, if that cannot be run. */
  readonly inactiveTarget: Address | null;
  /** Its timing was changed outside roster, nobody knows when. */
  readonly hasOtherTimes: boolean;
  /** Since when its starts are expected, as the inventory records it for it and its target. Null where it does not. */
  readonly since: string | null;
  /** What it and its target expect of its data. Undefined where they expect nothing. */
  readonly expect: Expected | undefined;
}

/** Everything declared that can run. A problem with one entry hides no other. */
export function declaredResources(
  { entries }: Project,
  observation: Observation,
  now: Date,
): readonly DeclaredResource[] {
  const unmatched = unmatchedResources(entries, observation, now);
  const addresses = new Set(unmatched.map(({ address }) => address));
  const matched = matchedResources(observation, now);
  return [...matched.filter(({ address }) => !addresses.has(address)), ...unmatched];
}

function matchedResources({ comparison }: Observation, now: Date): readonly DeclaredResource[] {
  const states = new SyncStates(comparison, now);
  const expectOf = expectations(comparison);
  const targetOfSpec = inactiveTargets(comparison, 'before');
  const inactiveTargetOf = (kind: Kind, observed: Observed | null) =>
    observed?.spec == null ? null : targetOfSpec(kind, observed.spec);
  const sinceOf = recordedSince(comparison);
  const managed = comparison.matches.flatMap((match): DeclaredResource[] => {
    const { address, kind, entry, observed, hold = null, endedHold = null } = match;
    if (entry === null || kind.startByHand === undefined) return [];
    const fields = kind.timetable?.fields ?? [];
    const sync = states.of(match);
    return [
      {
        address,
        kind,
        unmatched: null,
        observed,
        hold,
        expect: expectOf(match),
        sync,
        endedHold: sync === 'pending' ? endedHold : null,
        target: targetOf(kind, observed),
        inactiveTarget: inactiveTargetOf(kind, observed),
        hasOtherTimes: states.hasDrifted(address, fields),
        since: sinceOf(match),
      },
    ];
  });
  const others = [...comparison.externals].flatMap(([address, observed]): DeclaredResource[] => {
    const kind = kindsWithRuns.find(({ name }) => name === observed.kind);
    if (kind === undefined) return [];
    const target = targetOf(kind, observed);
    return [
      { ...unknownFacts, address, kind, observed, sync: 'external', unmatched: null, hold: null, target },
    ];
  });
  return [...managed, ...others];
}

/** Where no entry was matched with an object. */
const unknownFacts = {
  expect: undefined,
  endedHold: null,
  target: null,
  inactiveTarget: null,
  hasOtherTimes: false,
  since: null,
} as const;

/** Entries with a problem of their own, and those that refer to one of them. */
function unmatchedResources(
  entries: readonly Declared[],
  { inventory, comparison }: Observation,
  now: Date,
): readonly DeclaredResource[] {
  const reasons = new Map<Address, string>();
  for (const { severity, address, message } of comparison.diagnostics)
    if (severity === 'error' && address !== undefined && !reasons.has(address)) reasons.set(address, message);
  const matched = new Set([
    ...comparison.matches.flatMap(({ address, broken }) => (broken === undefined ? [address] : [])),
    ...comparison.externals.keys(),
  ]);
  return entries.flatMap(({ address, kind: name, declared }): DeclaredResource[] => {
    const kind = kindsWithRuns.find((each) => each.name === name);
    if (kind === undefined || (matched.has(address) && !reasons.has(address))) return [];
    const cause = kind.links?.(declared).to.find((each) => reasons.has(each));
    const inherited = cause === undefined ? 'cannot be matched' : `${cause} cannot be matched`;
    const hold = inventory.entries.get(address)?.hold;
    return [
      {
        ...unknownFacts,
        address,
        kind,
        unmatched: reasons.get(address) ?? inherited,
        observed: null,
        sync: 'unknown',
        hold: hold === undefined || hasEnded(hold, now) ? null : hold,
      },
    ];
  });
}

/** Since when its starts are expected: since it and its target are as they are now. All times have the same length. */
function recordedSince({ matches }: Comparison): (match: Match) => string | null {
  const recorded = new Map(
    matches.map(({ kind, observed, known }) => [objectKey(kind.name, observed?.id ?? null), known?.since]),
  );
  return ({ kind, observed, known }) => {
    const target = targetOf(kind, observed);
    const ofTarget = target === null ? undefined : recorded.get(objectKey(target.kind, String(target.id)));
    return (
      [known?.since, ofTarget]
        .flatMap((each) => each ?? [])
        .sort(byCodeUnit)
        .at(-1) ?? null
    );
  };
}

/** What an entry expects, over what its target does. */
function expectations({ matches }: Comparison): (match: Match) => Expected | undefined {
  const known = new Map(
    matches.flatMap(({ kind, observed, entry }) =>
      observed === null || entry?.expect === undefined
        ? []
        : [[objectKey(kind.name, observed.id), entry] as const],
    ),
  );
  return ({ kind, observed, entry }) => {
    if (entry === null) return undefined;
    const target = known.size === 0 ? null : targetOf(kind, observed);
    const started = target === null ? undefined : known.get(objectKey(target.kind, String(target.id)));
    return expectedOf(entry, started);
  };
}

/** What an object starts in place of itself. */
function targetOf(kind: Kind, observed: Observed | null): ObjectRef | null {
  const spec = observed?.spec ?? null;
  return spec === null ? null : (kind.startByHand?.target?.(spec).of ?? null);
}

/** How declared resources compare: as `roster drift` and `roster plan` see them. */
class SyncStates {
  readonly #drifted: ReadonlyMap<Address, Drifted>;
  readonly #actions: ReadonlyMap<Address, Action>;

  constructor(
    { matches, names, diffs }: Comparison,
    private readonly now: Date,
  ) {
    const { changes } = driftOf(matches, names, now);
    this.#drifted = new Map(changes.map((each) => [each.address, each]));
    this.#actions = new Map(diffs.map(({ change }) => [change.address, change.action]));
  }

  of({ address, kind, entry, observed, known }: Match): Sync {
    if (observed === null) {
      const isOver = entry !== null && isExpired(kind, entry.declared, this.now);
      return isOver ? 'in-sync' : 'missing';
    }
    if (known === null) return 'unmanaged';
    if (this.#drifted.has(address)) return 'drifted';
    return (this.#actions.get(address) ?? 'none') === 'none' ? 'in-sync' : 'pending';
  }

  /** Whether one of these fields was changed outside roster: nobody knows when. */
  hasDrifted(address: Address, fields: readonly string[]): boolean {
    return this.#drifted.get(address)?.fields.some(({ path }) => fields.includes(path)) === true;
  }
}

/** What the history of the inventory tells. Times in milliseconds, by the service's clock where it differed. */
export interface RecordedChanges {
  /** Null where no apply is recorded. */
  readonly lastApply: number | null;
  /** When roster last created, changed, held or resumed it. */
  readonly lastChange: ReadonlyMap<Address, number>;
}

/** Null for an inventory in a file, which remembers no runs. */
export async function recordedChanges({ store, clock }: ReadSession): Promise<RecordedChanges | null> {
  if (store.history === undefined) return null;
  const lastChange = new Map<Address, number>();
  let lastApply: number | null = null;
  for (const run of runsOf(await store.history(), clock.now())) {
    const time = readInstant(run.serviceTime ?? run.endedAt ?? run.startedAt ?? '');
    if (time === null) continue;
    if (run.command === 'apply' && run.outcome !== null) lastApply = time;
    for (const { address, outcome } of run.changes) if (outcome !== 'skipped') lastChange.set(address, time);
  }
  return { lastApply, lastChange };
}
