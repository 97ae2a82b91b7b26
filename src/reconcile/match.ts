import type { Diagnostic } from '../model/diagnostic.js';
import type { Inventory, InventoryDraft, InventoryEntry } from '../model/inventory.js';
import { canonical } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import { resolveIdentity, resolveValues } from '../model/pending.js';
import type {
  Address,
  Agent,
  Declared,
  Desired,
  IdOrPending,
  KindName,
  Observed,
  Prune,
  Resolver,
} from '../model/resource.js';
import { addressOf } from '../model/resource.js';
import type { Rule } from '../model/why.js';
import type { AgentLookup } from './agent-lookup.js';
import { entryDiagnostic } from './entry-diagnostic.js';
import { findExternal } from './external.js';
import { fieldValue } from './fields.js';
import { inventoryEntry, type Pair, pair } from './pair.js';

/** One resource: what is declared, what is there, and what was applied last. At least one of the three is set. */
export interface Match {
  readonly address: Address;
  readonly kind: Kind;
  readonly entry: Desired | null;
  readonly observed: Observed | null;
  readonly rule: Rule | null;
  readonly known: InventoryEntry | null;
  /** An earlier run was about to create it and did not live to tell what came of it. */
  readonly drafted: boolean;
  /** False for what nobody declared and the inventory does not know: only `prune: all` may touch it. */
  readonly ours: boolean;
}

export interface Matches {
  readonly list: readonly Match[];
  /** External entries and the objects that they stand for. */
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
}

/** Pairs all that is declared with all that is there, kind by kind, so that targets are known before what points to them. */
export function match(inputs: MatchInputs): Matches {
  const matcher = new Matcher(inputs);
  for (const kind of inputs.kinds) matcher.matchKind(kind);
  return matcher;
}

class Matcher implements Matches {
  readonly list: Match[] = [];
  readonly externals = new Map<Address, Observed>();
  readonly diagnostics: Diagnostic[] = [];
  private readonly names = new Map<KindName, readonly string[]>();
  private readonly ids = new Map<Address, IdOrPending>();
  private readonly agentsByAddress = new Map<Address, readonly Agent[]>();
  private readonly byKind: ReadonlyMap<KindName, readonly Declared[]>;

  constructor(private readonly inputs: MatchInputs) {
    const byKind = new Map<KindName, Declared[]>(inputs.kinds.map((kind) => [kind.name, []]));
    for (const entry of inputs.entries) byKind.get(entry.kind)?.push(entry);
    this.byKind = byKind;
  }

  matchKind(kind: Kind): void {
    const entries = this.byKind.get(kind.name) ?? [];
    const objects = this.inputs.objects.get(kind.name) ?? [];
    for (const entry of entries) if (entry.external) this.matchExternal(kind, entry, objects);
    const desired = entries.filter((entry) => !entry.external).flatMap((entry) => this.resolve(kind, entry));
    const external = new Set(this.externals.values());
    const manageable = objects.filter((each) => !external.has(each));
    const pairing = pair({
      kind,
      desired,
      observed: manageable,
      inventory: this.inputs.inventory,
      prune: this.inputs.prune,
      draftedIdentity: (each) => this.draftedIdentity(kind, each),
    });
    this.diagnostics.push(...pairing.diagnostics);
    for (const entry of desired) {
      if (!pairing.broken.has(entry.address)) this.add(kind, entry, pairing.pairs.get(entry.address));
    }
    const taken = new Set([...pairing.pairs.values()].map((each) => each.observed));
    const managed = new Set(entries.filter((each) => !each.external).map((each) => each.address));
    const left = new Set(manageable.filter((each) => !taken.has(each)));
    this.addOwned(kind, managed, left, new Set([...taken].map((each) => each.id)));
    this.addDrafted(kind, managed, left);
    this.addForeign(kind, left);
  }

  private add(kind: Kind, entry: Desired, found: Pair | undefined): void {
    this.ids.set(entry.address, found?.observed.id ?? { pending: entry.address });
    this.agentsByAddress.set(entry.address, this.agentsOfSpec(kind, entry.spec));
    this.list.push({
      address: entry.address,
      kind,
      entry,
      observed: found?.observed ?? null,
      rule: found?.rule ?? null,
      known: inventoryEntry(entry, this.inputs.inventory),
      drafted: this.inputs.inventory.drafts.has(entry.address),
      ours: true,
    });
  }

  /** What the inventory knows and no manifest declares any more. */
  private addOwned(
    kind: Kind,
    managed: ReadonlySet<Address>,
    left: Set<Observed>,
    takenIds: ReadonlySet<string | null>,
  ): void {
    const byId = new Map([...left].map((each) => [each.id, each]));
    for (const [address, known] of this.inputs.inventory.entries) {
      if (known.kind !== kind.name) continue;
      if (managed.has(address)) {
        this.addReplaced(kind, known, byId, takenIds, left);
        continue;
      }
      // Its object serves a declared entry now: the entry was renamed, and its pair says so.
      if (known.id !== null && takenIds.has(known.id)) continue;
      const observed = known.id === null ? this.onlyNamed(left, known) : byId.get(known.id);
      this.addUndeclared(kind, address, observed, known, true, left);
    }
  }

  /** The entry of that address is bound to another object now: the one that it had is ours, and nobody's entry. */
  private addReplaced(
    kind: Kind,
    known: InventoryEntry,
    byId: ReadonlyMap<string | null, Observed>,
    takenIds: ReadonlySet<string | null>,
    left: Set<Observed>,
  ): void {
    const observed = known.id === null || takenIds.has(known.id) ? undefined : byId.get(known.id);
    if (observed === undefined) return;
    this.addUndeclared(kind, addressOf(kind.name, known.id ?? ''), observed, known, true, left);
  }

  /**
   * What a run that ended too early may have created for an entry that was taken out since. It is ours only if it is
   * in all what was to be created: somebody else may have made one of that name.
   */
  private addDrafted(kind: Kind, managed: ReadonlySet<Address>, left: Set<Observed>): void {
    const { drafts, entries } = this.inputs.inventory;
    const open = [...drafts].filter(
      ([address, draft]) => draft.kind === kind.name && !managed.has(address) && !entries.has(address),
    );
    if (open.length === 0) return;
    const byIdentity = new Map<string | null, Observed[]>();
    for (const each of left) {
      const identity = kind.observedIdentity(each);
      byIdentity.set(identity, [...(byIdentity.get(identity) ?? []), each]);
    }
    for (const [address, draft] of open) {
      const identity = this.draftedIdentity(kind, address);
      const alike =
        identity === null ? [] : (byIdentity.get(identity) ?? []).filter((each) => left.has(each));
      const [only] = alike.filter((each) => this.isAsDrafted(kind, draft, each));
      const found = alike.length === 1 ? only : undefined;
      if (found === undefined && alike.length > 0) this.diagnostics.push(perhapsOurs(address, alike));
      const known = { ...draft, id: found?.id ?? null, protect: false, applied: {}, sensitive: [] };
      this.addUndeclared(kind, address, found, known, true, left);
    }
  }

  private isAsDrafted(kind: Kind, { applied }: InventoryDraft, { spec }: Observed): boolean {
    if (applied === undefined || spec === null) return false;
    return Object.entries(resolveValues(kind, applied, this.ids)).every(
      ([field, value]) =>
        kind.notSettableOnCreate.includes(field) ||
        canonical(fieldValue(kind, spec, field)) === canonical(value),
    );
  }

  private addForeign(kind: Kind, left: Set<Observed>): void {
    for (const observed of left) {
      const address = addressOf(kind.name, observed.id ?? observed.name ?? 'unknown');
      this.addUndeclared(kind, address, observed, null, false, left);
    }
  }

  private addUndeclared(
    kind: Kind,
    address: Address,
    observed: Observed | undefined,
    known: InventoryEntry | null,
    ours: boolean,
    left: Set<Observed>,
  ): void {
    if (observed !== undefined) left.delete(observed);
    const rule = ours ? 'inventory' : null;
    this.list.push({
      address,
      kind,
      entry: null,
      observed: observed ?? null,
      rule,
      known,
      drafted: false,
      ours,
    });
  }

  /** The natural key of an unfinished create, with the ids of the objects it refers to where they are known. */
  private draftedIdentity(kind: Kind, address: Address): string | null {
    const identity = this.inputs.inventory.drafts.get(address)?.identity ?? null;
    return identity === null ? null : resolveIdentity(kind, identity, this.ids);
  }

  private onlyNamed(left: ReadonlySet<Observed>, known: InventoryEntry): Observed | undefined {
    const named = [...left].filter((each) => each.name === known.name);
    return named.length === 1 ? named[0] : undefined;
  }

  private namesOf({ name }: Kind, objects: readonly Observed[]): readonly string[] {
    const names = this.names.get(name) ?? objects.flatMap((each) => each.name ?? []);
    this.names.set(name, names);
    return names;
  }

  private matchExternal(kind: Kind, entry: Declared, objects: readonly Observed[]): void {
    const managed = (this.byKind.get(kind.name) ?? []).filter((each) => !each.external);
    const { found, diagnostics } = findExternal(kind, entry, {
      objects,
      names: this.namesOf(kind, objects),
      managed,
      inventory: this.inputs.inventory,
      nearest: this.inputs.agents.nearest,
    });
    this.diagnostics.push(...diagnostics);
    if (found === null) return;
    this.externals.set(entry.address, found.observed);
    this.ids.set(entry.address, found.id);
    const { spec } = found.observed;
    if (spec !== null) this.agentsByAddress.set(entry.address, this.agentsOfSpec(kind, spec));
  }

  private resolve(kind: Kind, entry: Declared): Desired[] {
    const spec = kind.resolve(entry, this.resolverFor(entry));
    return spec === undefined ? [] : [{ ...entry, spec }];
  }

  private resolverFor(entry: Declared): Resolver {
    const { agents } = this.inputs;
    return {
      agent: (name, path) => {
        const found = agents.find(name);
        if ('agent' in found) return found.agent;
        this.diagnostics.push(entryDiagnostic(entry, 'error', found.code, path, found.message, found.help));
        return undefined;
      },
      // Undefined means that the target has an error of its own, which was told already.
      target: (address) => this.ids.get(address),
      agentsOf: (address) => {
        if (!address.startsWith('agent/')) return this.agentsByAddress.get(address) ?? [];
        const found = agents.find(address.slice('agent/'.length));
        return 'agent' in found ? [found.agent] : [];
      },
      tell: (...words) => this.diagnostics.push(entryDiagnostic(entry, ...words)),
      nearest: agents.nearest,
    };
  }

  private agentsOfSpec(kind: Kind, spec: unknown): readonly Agent[] {
    return kind.agents(spec).flatMap((id) => this.inputs.agents.byId(id) ?? []);
  }
}

function perhapsOurs(address: Address, alike: readonly Observed[]): Diagnostic {
  const ids = alike.map((each) => each.id).join(', ');
  return {
    severity: 'warning',
    code: 'left-alone',
    message: `${address} was about to be created by a run that ended too early, and is declared no more; ${ids} may be what came of it`,
    help: 'It is left alone, for it cannot be told from somebody else’s. Delete it by hand if nobody needs it.',
  };
}
