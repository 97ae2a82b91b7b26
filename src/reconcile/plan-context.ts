import type { Inventory } from '../model/inventory.js';
import type { Kind } from '../model/kind.js';
import type { Change, UnmanagedCounts } from '../model/plan.js';
import type { Address, Agent, Prune } from '../model/resource.js';
import type { Risk } from '../model/risk.js';
import type { ResourceDiff } from './diff.js';
import { lookAlikeRisks } from './look-alikes/look-alike-risks.js';
import type { Match } from './match/match.js';
import { renameNotes } from './renames/rename-notes.js';
import { brokenReferences } from './unmanaged/broken-references.js';
import { possibleDuplicates } from './unmanaged/near-misses.js';
import { countUnmanaged, isUnmanaged } from './unmanaged/unmanaged.js';

/** What is known of a change only next to all others, and to the objects that the plan leaves as they are. */
export interface PlanContext {
  risksOf(change: Omit<Change, 'steps'>, match: Match): readonly Risk[];
  notesOf(address: Address): readonly string[];
  readonly unmanaged: UnmanagedCounts;
}

export interface PlanContextInputs {
  readonly kinds: readonly Kind[];
  readonly agents: readonly Agent[];
  readonly inventory: Inventory;
  readonly prune: Prune;
}

/** `matches` are all of the project, `diffs` those that the plan holds. */
export function planContext(
  { kinds, agents, inventory, prune }: PlanContextInputs,
  matches: readonly Match[],
  diffs: readonly ResourceDiff[],
): PlanContext {
  const unmanaged = matches.filter((each) => isUnmanaged(each, prune));
  const finders = [
    lookAlikeRisks(matches, agents),
    possibleDuplicates(unmanaged),
    brokenReferences(unmanaged),
  ];
  const notes = renameNotes(diffs, inventory);
  return {
    risksOf: (change, match) =>
      change.action === 'none' ? [] : finders.flatMap((find) => find(change, match)),
    notesOf: (address) => notes.get(address) ?? [],
    unmanaged: countUnmanaged(kinds, unmanaged),
  };
}
