import type { Diagnostic } from '../../model/diagnostic.js';
import type { Hold } from '../../model/hold.js';
import type { Inventory, InventoryEntry } from '../../model/inventory.js';
import type { Kind } from '../../model/kind.js';
import {
  type Address,
  type Declared,
  type Desired,
  type KindName,
  type Observed,
  objectKey,
  type Prune,
} from '../../model/resource.js';
import type { Rule } from '../../model/why.js';
import { effectiveEntry } from '../ignore/effective-entry.js';
import { comparableRecord } from '../ignore/ignored-records.js';
import type { AgentLookup } from './agent-lookup.js';
import { ComparedValues } from './compared-values.js';
import { findExternal } from './external.js';
import type { KeptObjects } from './interrupted-create.js';
import { type Pairing, pair } from './pair.js';
import { Records } from './recorded.js';
import { formerAddress, inventoryEntry, type RecordedObject, RecordedObjects } from './recorded-objects.js';
import { ReferenceResolver } from './reference-resolver.js';
import { findUndeclared } from './undeclared.js';

/** One resource: what is declared, what exists, and what was applied last. At least one of the three is set. */
export interface Match {
  readonly address: Address;
  readonly kind: Kind;
  readonly entry: Desired | null;
  readonly observed: Observed | null;
  readonly rule: Rule | null;
  /** Under its address, or else under that of `renamedFrom`. */
  readonly known: InventoryEntry | null;
  /** It is on hold: what `entry` wants is paused. */
  readonly hold?: Hold;
  /** `entry` without its hold. Missing when it has none. */
  readonly unheld?: Desired;
  /** It was on hold, and nothing has been applied since that ended. */
  readonly endedHold?: Hold;
  /** What the inventory says of the observed object, under whatever address; `known` where it says nothing. */
  readonly record: InventoryEntry | null;
  /** The ignored properties of the entry that differ. Missing when it ignores none. */
  readonly ignoredDifferences?: readonly string[];
  /** With what somebody else manages by now: it may hold values from the environment. Missing where that is `record`. */
  readonly wholeRecord?: InventoryEntry | null;
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
}

export interface Matches {
  readonly list: readonly Match[];
  /** External entries with their objects. */
  readonly externals: ReadonlyMap<Address, Observed>;
  readonly diagnostics: readonly Diagnostic[];
}

export interface MatchInputs {
  readonly kinds: readonly Kind[];
  readonly entries: readonly Declared[];
  readonly objects: ReadonlyMap<KindName, readonly Observed[]>;
  readonly inventory: Inventory;
  readonly agents: AgentLookup;
  readonly prune: Prune;
  /** The ids in the inventory may be those of another account. */
  readonly otherAccount: boolean;
  readonly kept: KeptObjects;
}

/** Matches everything declared with everything that exists, kind by kind: objects come before what refers to them. */
export function match(inputs: MatchInputs): Matches {
  const matcher = new Matcher(inputs);
  for (const kind of inputs.kinds) matcher.matchKind(kind);
  return matcher;
}

class Matcher implements Matches {
  readonly list: Match[] = [];
  readonly externals = new Map<Address, Observed>();
  readonly diagnostics: Diagnostic[] = [];
  private readonly resolver: ReferenceResolver;
  private readonly recorded: RecordedObjects;
  private readonly protectedObjects: ReadonlySet<string>;

  constructor(private readonly inputs: MatchInputs) {
    this.resolver = new ReferenceResolver(inputs.agents, this.diagnostics);
    this.recorded = new RecordedObjects(inputs.inventory);
    const entries = [...inputs.inventory.entries.values()];
    this.protectedObjects = new Set(
      entries.flatMap(({ protect, kind, id }) => (protect && id !== null ? [objectKey(kind, id)] : [])),
    );
  }

  matchKind(kind: Kind): void {
    const entries = this.inputs.entries.filter((entry) => entry.kind === kind.name);
    const objects = this.inputs.objects.get(kind.name) ?? [];
    const managed = entries.filter((entry) => !entry.external);
    const external = entries.filter((entry) => entry.external);
    if (external.length > 0) this.matchExternal(kind, external, managed);
    const desired = managed.flatMap((entry) => this.resolver.resolve(kind, entry));
    const taken = new Set(this.externals.values());
    const observed = objects.filter((each) => !taken.has(each));
    const paired = this.pairDesired(kind, desired, observed);
    this.addUndeclared(kind, managed, observed, paired);
  }

  private matchExternal(kind: Kind, external: readonly Declared[], managed: readonly Declared[]): void {
    const { inventory, agents } = this.inputs;
    const objects = this.inputs.objects.get(kind.name) ?? [];
    const names = objects.flatMap((each) => each.name ?? []);
    for (const entry of external) {
      const { suggest } = agents;
      const result = findExternal(kind, entry, { objects, names, managed, inventory, suggest });
      this.diagnostics.push(...result.diagnostics);
      if (result.found === null) continue;
      const { observed, id } = result.found;
      this.externals.set(entry.address, observed);
      this.resolver.add(entry.address, id, kind, observed.spec);
    }
  }

  /** Returns the objects that now have an entry. */
  private pairDesired(
    kind: Kind,
    desired: readonly Desired[],
    observed: readonly Observed[],
  ): ReadonlySet<Observed> {
    const { inventory, prune, otherAccount, kept } = this.inputs;
    const values = new ComparedValues(kind, this.recorded);
    const records = this.recordsOf(kind);
    const pairing = pair({ kind, desired, observed, inventory, prune, otherAccount, records, values, kept });
    this.diagnostics.push(...pairing.diagnostics);
    for (const entry of desired)
      if (!pairing.broken.has(entry.address)) this.addDeclared(kind, entry, pairing);
    return new Set([...pairing.pairs.values()].map((each) => each.observed));
  }

  private addDeclared(kind: Kind, entry: Desired, { pairs, misdescribed }: Pairing): void {
    const { inventory } = this.inputs;
    const { address } = entry;
    const found = pairs.get(address);
    const { observed = null, rule = null } = found ?? {};
    const own = inventoryEntry(entry, inventory);
    const former = own === null ? this.formerRecord(kind, observed) : null;
    const known = own ?? former?.entry ?? null;
    const createInterrupted = this.isInterruptedCreate(kind, address, observed);
    const wasProtected = this.wasProtected(kind, observed, known);
    const last = this.recordOf(observed) ?? known;
    const { differences, ...effective } = effectiveEntry(kind, entry, observed, last);
    const record = last && comparableRecord(entry, last);
    this.resolver.add(address, observed?.id ?? { pending: address }, kind, effective.entry.spec);
    const renamedFrom = former?.address ?? formerAddress(entry, observed, inventory);
    const state = { createInterrupted, ours: true, misdescribed: misdescribed.has(address), wasProtected };
    const each: Match = { address, kind, ...effective, observed, rule, known, record, renamedFrom, ...state };
    const ignoring = { ignoredDifferences: differences, wholeRecord: last };
    this.list.push(entry.ignore === undefined ? each : { ...each, ...ignoring });
  }

  private recordOf(observed: Observed | null): InventoryEntry | null {
    return observed && (this.recorded.of(observed)?.entry ?? null);
  }

  /** The record of a matched object whose entry the inventory does not know. */
  private formerRecord(kind: Kind, observed: Observed | null): RecordedObject | null {
    const found = observed && this.recorded.of(observed);
    if (observed === null || found === null) return null;
    return this.recordsOf(kind).describes(found.address, found.entry, observed) ? found : null;
  }

  /** A draft says nothing about an object that its create would not have made. */
  private isInterruptedCreate(kind: Kind, address: Address, observed: Observed | null): boolean {
    if (!this.inputs.inventory.drafts.has(address)) return false;
    return observed === null || this.recordsOf(kind).isIntended(address, observed);
  }

  private recordsOf(kind: Kind): Records {
    return new Records(kind, this.inputs.inventory, this.resolver);
  }

  private wasProtected(kind: Kind, observed: Observed | null, known: InventoryEntry | null): boolean {
    if (observed === null) return false;
    if (observed.id === null) return known?.protect ?? false;
    return this.protectedObjects.has(objectKey(kind.name, observed.id));
  }

  private addUndeclared(
    kind: Kind,
    managed: readonly Declared[],
    observed: readonly Observed[],
    paired: ReadonlySet<Observed>,
  ): void {
    const { list, diagnostics } = findUndeclared({
      kind,
      inventory: this.inputs.inventory,
      declared: new Set(managed.map((each) => each.address)),
      takenIds: new Set([...paired].map((each) => each.id)),
      free: observed.filter((each) => !paired.has(each)),
      records: this.recordsOf(kind),
      otherAccount: this.inputs.otherAccount,
    });
    this.diagnostics.push(...diagnostics);
    for (const each of list) {
      const rule = each.ours ? 'inventory' : null;
      const wasProtected = this.wasProtected(kind, each.observed, each.known);
      const record = this.recordOf(each.observed) ?? each.known;
      this.list.push({
        ...{ ...each, kind, entry: null, rule, record },
        ...{ renamedFrom: null, createInterrupted: false, wasProtected },
      });
    }
  }
}
