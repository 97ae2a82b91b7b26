import type { Diagnostic } from '../model/diagnostic.js';
import type { Allowances, Finding } from '../model/finding.js';
import type { Hold } from '../model/hold.js';
import type { Checkout, CommittedInventory, Inventory, InventoryEntry } from '../model/inventory.js';
import type { Kind, PlannedRequest } from '../model/kind.js';
import type { Difference, MatchRule } from '../model/plan.js';
import type { PolicyCheck } from '../model/policy.js';
import type {
  Address,
  Declared,
  Desired,
  InventorySetting,
  KindName,
  Names,
  Observed,
  Project,
  Prune,
} from '../model/resource.js';
import type { AgentStarts, Answered, NextRuns, StartsPerWeek } from '../model/schedule.js';
import type { Siblings } from '../model/sibling.js';
import type { AgentLookup } from './references.js';

/** One resource: what is declared, what exists, and what was applied last. At least one of the three is set. */
export interface Match {
  readonly address: Address;
  readonly kind: Kind;
  readonly entry: Desired | null;
  readonly observed: Observed | null;
  readonly rule: MatchRule | null;
  /** Under its address, or else under that of `renamedFrom`. */
  readonly known: InventoryEntry | null;
  /** What the inventory says of the observed object, under whatever address; `known` where it says nothing. */
  readonly record: InventoryEntry | null;
  /** The address in the inventory of an object whose entry has another key now. */
  readonly renamedFrom: Address | null;
  /** An earlier run was about to create it, and ended before it could record the result. */
  readonly createInterrupted: boolean;
  /** False for what is neither declared nor in the inventory: only `prune: all` may change it. */
  readonly ours: boolean;
  /** The object is not what the inventory recorded: it may be someone else's. */
  readonly misdescribed: boolean;
  /** An apply has protected the object, under whatever address. */
  readonly wasProtected: boolean;
  /** It is on hold: what `entry` wants is paused. */
  readonly hold?: Hold;
  /** `entry` without its hold. Missing when it has none. */
  readonly unheld?: Desired;
  /** It was on hold, and nothing has been applied since that ended. */
  readonly endedHold?: Hold;
  /** The ignored properties of the entry that differ. Missing when it ignores none. */
  readonly ignoredDifferences?: readonly string[];
  /** `record` with what somebody else manages by now: it may hold values from the environment. Missing where that is the same. */
  readonly wholeRecord?: InventoryEntry | null;
  /** An earlier run kept its key, which can still be delivered. Missing when none did. */
  readonly kept?: KeptKeyFile;
  /** What another project of the repository has to do with the object. Missing when none has. */
  readonly elsewhere?: Elsewhere;
  /** The hold that another project of the repository has of the object. Missing when none has. */
  readonly heldElsewhere?: HeldElsewhere;
  /**
   * The entry with an error whose object this is, or may be: `entry` is null, and nothing is planned for it. Missing for
   * every other match.
   */
  readonly broken?: Declared;
}

/** An object as another project of the repository knows it. */
export interface ObjectElsewhere {
  /** `travel`, or `travel (production)`. */
  readonly project: string;
  readonly environment: string | null;
  /** Its project file, as messages name it. */
  readonly file: string;
  /** As that project knows the object. */
  readonly address: Address;
}

/** What another project of the repository has to do with an object. */
export interface Elsewhere extends ObjectElsewhere {
  /**
   * `managed`: it declares the object, and its inventory has it. `declared`: it declares the object, and no apply has
   * adopted it. `kept`: its inventory has the object, and it leaves it on the service. `dropped`: its inventory has the
   * object, and its next apply deletes it. `owned`: its inventory has the object; what it declares was not read.
   */
  readonly claim: 'managed' | 'declared' | 'kept' | 'owned' | 'dropped';
  /** The hold that its inventory has of the object. Missing when it has none. */
  readonly hold?: Hold;
}

/** The object stays on hold until no project of the repository has it on hold. */
export interface HeldElsewhere extends ObjectElsewhere {
  readonly hold: Hold;
}

/** Whether the object is in the inventory of another project. */
export function isOwnedElsewhere({ elsewhere }: Match): boolean {
  return elsewhere !== undefined && elsewhere.claim !== 'declared';
}

/** A file that an earlier run kept the key of an object in, because it could not deliver it. */
export interface KeptKeyFile {
  /** Relative to the project. */
  readonly file: string;
  /** The list shows it as active. */
  readonly observed: Observed;
}

/** What declared entries are matched from, and with. */
export interface MatchBasis {
  readonly kinds: readonly Kind[];
  readonly project: Project;
  /** The origin and base path. */
  readonly service: string;
  readonly agents: AgentLookup;
  readonly objects: ReadonlyMap<KindName, readonly Observed[]>;
  readonly inventory: Inventory;
  /** `destroy`: what is owned is deleted, whatever the manifests declare. */
  readonly prune: Prune | 'destroy';
  /** Keys that earlier runs could not deliver, by entry. */
  readonly kept: ReadonlyMap<Address, KeptKeyFile>;
  readonly siblings: Siblings;
  /** By the service's clock: holds end, keys expire and schedules start by it. */
  readonly now: Date;
}

/** The ids in the inventory may be those of another account: objects that it does not describe are not ours. */
export function isOtherService({ inventory, service }: MatchBasis): boolean {
  return inventory.service !== null && inventory.service !== service;
}

/** An address or glob, an owner, or a file from the command line. */
export interface Selector {
  /** For messages: `schedule/*`, `--owner @acme/retail`. */
  readonly pattern: string;
  matches(address: Address): boolean;
  /** What to say if it matches nothing. Missing for addresses. */
  unmatched?(): Pick<Diagnostic, 'message' | 'help'>;
  /** Whether it selects all that a file declares. Missing for addresses: what a file with an error declares is not known. */
  matchesFile?(shown: string): boolean;
  /** It leaves out what it matches. */
  readonly excludes?: true;
}

/** Everything a plan is made from. Planning uses no clock, network or file: what it needs from them is in here. */
export interface PlanBasis extends MatchBasis {
  /** Whose keys the service lists. Null where it lists none. */
  readonly account: string | null;
  /** What the inventory forgets although it exists (`removed:` of the project). */
  readonly removed: ReadonlySet<Address>;
  /** Files that git does not ignore, and that a new key would be delivered to, by entry. */
  readonly exposed: ReadonlyMap<Address, string>;
  /** Null where it is not compared. */
  readonly checkout: Checkout | null;
  /** Null where the inventory is not a file that git has. */
  readonly committed: CommittedInventory | null;
  /** What policies say of what is declared. Null where they do not matter. */
  readonly policies: PolicyCheck | null;
  /** By this machine's clock, which recorded when objects were created that no list shows yet. */
  readonly ownNow: Date;
  readonly allow: Allowances;
  /** What the user selected. Null for everything. */
  readonly selected: readonly Selector[] | null;
  /** Where a snapshot found its inventory. Null without a snapshot, and where it does not say. */
  readonly readFrom: InventorySetting | null;
}

/** The difference in one resource, with the requests that remove it, before they are ordered. */
export interface ResourceDiff {
  readonly match: Match;
  readonly change: Difference;
  readonly requests: readonly PlannedRequest[];
  /** Why the object is replaced although nothing may differ. Null otherwise. */
  readonly reason: string | null;
}

/** What is declared, matched with what exists. */
export interface Matched {
  readonly basis: MatchBasis;
  /** Every resource of the project, and every object that nothing declares. */
  readonly matches: readonly Match[];
  /** External entries with their objects. */
  readonly externals: ReadonlyMap<Address, Observed>;
  /** Entries with an error, and those that refer to one: nothing is planned for them. */
  readonly broken: ReadonlyMap<Address, Declared>;
  /** What is wrong with entries. With an error in one that was selected, there is no plan. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The same, with the differences. The diagnostics also say what was selected in vain. */
export interface Comparison extends Matched {
  readonly basis: PlanBasis;
  readonly names: Names;
  /** What the plan holds, in reading order: what was selected, and what that needs. */
  readonly diffs: readonly ResourceDiff[];
}

export interface WeeklyStarts {
  readonly startsPerWeek: StartsPerWeek;
  /** The agents of which more or fewer start, the largest change first. */
  readonly byAgent: readonly AgentStarts[];
  /** What starts more agents than before, and how many more. */
  readonly growing: readonly { readonly address: Address; readonly starts: number }[];
  /** Whether the plan starts more agents, as far as is known: what is not known must not look like a decrease. */
  readonly isMore: boolean;
}

/** What was asked and tried for a plan once its changes were known. */
export interface Answers {
  /** What the service says of the next runs of what changes. Null where the plan is not to show next runs. */
  readonly previews: readonly Answered[] | null;
  /** Why the new keys of entries could not be delivered, in the order of the changes. */
  readonly undeliverable: ReadonlyMap<Address, string>;
  /** Of the changes whose owners are known. */
  readonly owners: ReadonlyMap<Address, readonly string[]>;
}

export const nothingAsked: Answers = { previews: null, undeliverable: new Map(), owners: new Map() };

/** The comparison and the answers, with what several rules count. */
export interface World extends Comparison {
  readonly answers: Answers;
  readonly starts: WeeklyStarts;
  /** Of what is new or changed. */
  readonly nextRuns: ReadonlyMap<Address, NextRuns>;
}

/** One concern about plans. The list of all rules is rules/index.ts. */
export interface Rule {
  readonly name: string;
  /** Errors that nothing else can change: with one of them, nothing is asked. They come before what `examine` finds. */
  stops?(comparison: Comparison): readonly Diagnostic[];
  examine(world: World): readonly Finding[];
}
