import { kinds } from '../kinds/index.js';
import { limits } from '../manifest/limits.js';
import { suggestWithin } from '../manifest/suggest.js';
import { type Diagnostic, errorsIn } from '../model/diagnostic.js';
import { type Allowances, allowNothing, refusalError } from '../model/finding.js';
import { emptyInventory, type Inventory } from '../model/inventory.js';
import type { Kind } from '../model/kind.js';
import { removedAddresses } from '../model/removed.js';
import { type KindName, normalId, type Project } from '../model/resource.js';
import { noSiblings } from '../model/sibling.js';
import { match } from '../reconcile/match.js';
import { agentLookup } from '../reconcile/references.js';
import { accountFindings, wrongObjects } from '../reconcile/rules/account.js';
import type { Matched, PlanBasis } from '../reconcile/world.js';
import { type ObservedState, type ObserveScope, observe as read } from '../service/observe.js';
import { isNoProject } from './no-project.js';
import type { ProjectPart } from './selectors.js';
import type { ReadSession } from './session.js';

/** The objects of entries, without their differences: enough for commands that plan nothing. */
export interface Lookup {
  readonly state: ObservedState;
  readonly matched: Matched;
  /** Why the objects may not be those that the entries mean. */
  readonly doubts: readonly Diagnostic[];
}

/** Finds the objects of the entries of some kinds. Nothing of other kinds is read or matched. */
export async function lookUp(session: ReadSession, only: readonly Kind[]): Promise<Lookup> {
  const { service, client, clock } = session;
  const { project, inventory } = partOf(only, session.project, await loadInventory(session));
  const scope = scopeOf(project, inventory, { kinds: only });
  const state = await read(client.reader(), only, scope, session.callsWith);
  const now = session.serviceNow();
  const more = { kinds: only, ownNow: clock.now() };
  const basis = planBasis({ project, service, state, inventory, now }, {}, more);
  const matched = match(basis);
  const { matches, diagnostics } = matched;
  const others = accountFindings({ basis, matches });
  const wrong = wrongObjects(matches.filter(({ entry }) => entry !== null));
  const refusals = [...others, ...wrong].map((each) => refusalError(each));
  // The errors of entries only follow from an inventory of another service or user.
  const mismatches = others.length > 0 ? [] : diagnostics.filter(({ code }) => code === 'inventory-mismatch');
  const news = errorsIn(mismatches).filter(({ message }) =>
    refusals.every((each) => each.message !== message),
  );
  return { state, matched, doubts: [...news, ...refusals] };
}

/** What a plan is made of, and may do. */
export interface SelectionOptions extends ProjectPart {
  /** What the guards let pass. Default: nothing. */
  readonly allow?: Partial<Allowances> | undefined;
  /** Everything is to be deleted that the inventory owns, whatever the manifests declare. Default: false. */
  readonly destroy?: boolean | undefined;
}

/** Only a project has an inventory: without a project, no file here is read as one. */
export function loadInventory({ store, project }: ReadSession): Promise<Inventory> | Inventory {
  return isNoProject(project) ? emptyInventory(project.name, project.environment) : store.load();
}

export interface ReadOptions {
  /** With those that they refer to. Nothing of other kinds is read or compared. Default: all. */
  readonly kinds?: readonly Kind[];
  /** Reads every object, or all of some kinds, not only those that a plan rests on. */
  readonly everything?: boolean | readonly Kind[];
}

/** What every plan needs, whether the state was observed now or comes from a snapshot. */
interface KnownState {
  readonly project: Project;
  readonly service: string;
  readonly state: ObservedState;
  readonly inventory: Inventory;
  readonly now: Date;
}

/** Everything that a plan is made from: the one place where it comes together. */
export function planBasis(
  { project, service, state, inventory, now }: KnownState,
  { allow = {}, destroy = false }: SelectionOptions,
  more: Partial<PlanBasis>,
): PlanBasis {
  return {
    kinds,
    project,
    service,
    inventory,
    now,
    ownNow: now,
    account: state.account,
    objects: state.objects,
    agents: agentLookup(state.agents, suggestWithin(limits.comparisons)),
    prune: destroy ? 'destroy' : project.prune,
    removed: removedAddresses(project, inventory),
    allow: { ...allowNothing, ...allow, ...(destroy ? allowDestroying : {}) },
    kept: new Map(),
    siblings: noSiblings,
    exposed: new Map(),
    checkout: null,
    committed: null,
    policies: null,
    selected: null,
    readFrom: null,
    ...more,
  };
}

/** The user asked for these deletes, so `limits.deletes` does not apply. */
const allowDestroying = { deletes: Number.POSITIVE_INFINITY, empty: true } as const;

/** The kinds, and those that they refer to: in the order of all kinds. */
export function withReferred(only: readonly Kind[]): readonly Kind[] {
  const names = new Set(only.flatMap((kind) => [kind.name, ...(kind.references?.kinds ?? [])]));
  return kinds.filter(({ name }) => names.has(name));
}

/** What a project declares and owns of some kinds; undefined for all. */
export function partOf(only: readonly Kind[] | undefined, project: Project, inventory: Inventory) {
  if (only === undefined) return { project, inventory };
  const names = new Set(only.map(({ name }) => name));
  const isPart = ({ kind }: { readonly kind: string }) => names.has(kind);
  const part = <T extends { readonly kind: string }>(all: ReadonlyMap<string, T>) =>
    new Map([...all].filter(([, each]) => isPart(each)));
  const { entries, drafts } = inventory;
  return {
    project: { ...project, entries: project.entries.filter(isPart) },
    inventory: { ...inventory, entries: part(entries), drafts: part(drafts) },
  };
}

/** What a plan of this project rests on, so that nothing else is read one by one. */
export function scopeOf(
  project: Project,
  inventory: Inventory,
  { everything = false, kinds: only = kinds }: ReadOptions,
): ObserveScope {
  const ids = new Map<KindName, Set<string>>(kinds.map((kind) => [kind.name, new Set()]));
  for (const { kind, id } of inventory.entries.values()) if (id !== null) ids.get(kind)?.add(id);
  for (const { kind, id } of project.entries) if (id !== null) ids.get(kind)?.add(normalId(id));
  const complete = typeof everything === 'boolean' ? [] : everything.map(({ name }) => name);
  let identities: ReturnType<typeof identitiesOf> | null = null;
  return {
    ids,
    all: everything === true || project.prune === 'all',
    // Only kinds with links name agents.
    agents: only.some(({ links }) => links !== undefined),
    declares(kind, identity) {
      if (complete.includes(kind)) return true;
      // Computed only if needed: the lists of most services show objects completely.
      identities ??= identitiesOf(project, inventory);
      return identities.get(kind)?.has(identity) === true;
    },
  };
}

function identitiesOf(
  { entries }: Project,
  { drafts }: Inventory,
): ReadonlyMap<KindName, ReadonlySet<string>> {
  const identities = new Map<KindName, Set<string>>(kinds.map((kind) => [kind.name, new Set()]));
  for (const { kind, identity } of drafts.values())
    if (identity !== null) identities.get(kind)?.add(identity);
  const byName = new Map<KindName, Kind>(kinds.map((kind) => [kind.name, kind]));
  for (const { kind, declared } of entries) {
    const identity = byName.get(kind)?.identity.ofDeclared(declared) ?? null;
    if (identity !== null) identities.get(kind)?.add(identity);
  }
  return identities;
}
