import type { Inventory } from '../model/inventory.js';
import type { Kind } from '../model/kind.js';
import type { Change, UnmanagedCounts } from '../model/plan.js';
import type { Address, Agent, Observed } from '../model/resource.js';
import type { Risk } from '../model/risk.js';
import type { ResourceDiff } from './diff.js';
import { lookAlikeRisks } from './look-alikes/look-alike-risks.js';
import type { Match, Matches } from './match.js';
import { renameNotes } from './renames/rename-notes.js';
import { brokenReferences } from './unmanaged/broken-references.js';
import type { StayingObject } from './unmanaged/listed.js';
import { possibleDuplicates } from './unmanaged/near-misses.js';
import { deletedBy, undeclaredStaying } from './unmanaged/staying.js';
import { countUnmanaged } from './unmanaged/unmanaged.js';

/** What is known of a change only by comparing it with the others, and with the objects that the plan leaves unchanged. */
export interface PlanContext {
  risksOf(change: Omit<Change, 'steps'>, match: Match): readonly Risk[];
  notesOf(address: Address): readonly string[];
  readonly unmanaged: UnmanagedCounts;
}

export interface PlanContextInputs {
  readonly kinds: readonly Kind[];
  readonly agents: readonly Agent[];
  readonly inventory: Inventory;
  readonly now: Date;
}

/** The matches are all of the project, `diffs` those that the plan holds. */
export function planContext(
  { kinds, agents, inventory, now }: PlanContextInputs,
  { matches, externals }: { readonly matches: readonly Match[]; readonly externals: Matches['externals'] },
  diffs: readonly ResourceDiff[],
): PlanContext {
  const staying = undeclaredStaying(matches, deletedBy(diffs));
  const unmanaged = staying.filter(({ ours }) => !ours);
  const leftovers = staying.filter(({ ours }) => ours);
  const finders = [
    lookAlikeRisks(matches, agents),
    possibleDuplicates(unmanaged, 'not managed here', now),
    possibleDuplicates(leftovers, 'left alone', now),
    possibleDuplicates(listedExternals(kinds, externals), 'declared external', now),
    brokenReferences(unmanaged, now),
  ];
  const notes = renameNotes(diffs, inventory);
  return {
    risksOf: (change, match) =>
      change.action === 'none' ? [] : finders.flatMap((find) => find(change, match)),
    notesOf: (address) => notes.get(address) ?? [],
    unmanaged: countUnmanaged(kinds, unmanaged),
  };
}

function listedExternals(kinds: readonly Kind[], externals: ReadonlyMap<Address, Observed>): StayingObject[] {
  return [...externals].flatMap(([address, observed]) =>
    kinds.filter(({ name }) => name === observed.kind).map((kind) => ({ address, kind, observed })),
  );
}
