import { kinds } from '../kinds/index.js';
import { limits } from '../manifest/limits.js';
import { suggestWithin } from '../manifest/suggest.js';
import { type Diagnostic, errorsIn, Problem } from '../model/diagnostic.js';
import { type Allowances, type Refusal, refusalError } from '../model/finding.js';
import { emptyInventory, type Inventory } from '../model/inventory.js';
import type { Kind } from '../model/kind.js';
import type { Reader } from '../model/request.js';
import { type Address, type KindName, normalId, type Project } from '../model/resource.js';
import { compare } from '../reconcile/plan.js';
import { agentLookup } from '../reconcile/references.js';
import { accountRefusals, inventoryRefusals } from '../reconcile/rules/index.js';
import { judgedBy } from '../reconcile/select.js';
import type { Comparison, PlanBasis } from '../reconcile/world.js';
import { type ObservedState, type ObserveScope, observe as read } from '../service/observe.js';
import { toDestroy } from './destroy.js';
import { inFileOrder, markUnchanged, noEnvironmentWarnings } from './diagnostics.js';
import { type DeliveryCheck, formerKeys, keptKeys } from './keys.js';
import { isNoProject } from './no-project.js';
import { type ProjectPart, selectionOf } from './selectors.js';
import type { ReadSession } from './session.js';

/** What a plan is made of, and may do. */
export interface SelectionOptions extends ProjectPart {
  /** What the guards let pass. Default: nothing. */
  readonly allow?: Partial<Allowances> | undefined;
  /** Everything is to be deleted that the inventory owns, whatever the manifests declare. Default: false. */
  readonly destroy?: boolean | undefined;
}

export interface ObserveOptions extends SelectionOptions {
  /** With those that they refer to. Nothing of other kinds is read or compared. Default: all. */
  readonly kinds?: readonly Kind[];
  /** Reads every object, or all of some kinds, not only those that a plan rests on. */
  readonly everything?: boolean | readonly Kind[];
  /** Used instead of the stored one. */
  readonly inventory?: Inventory;
  /** Compares the checkout with the commit last applied. `record` also checks whether the manifests differ from their commit. */
  readonly checkout?: 'compare' | 'record';
  /** Default: the client's. */
  readonly reader?: Reader;
}

/** What was read, compared with what is declared. */
export interface Observation {
  readonly inventory: Inventory;
  readonly state: ObservedState;
  readonly comparison: Comparison;
  /** Which keys in files the new ones may replace. */
  readonly former: DeliveryCheck['former'];
}

/** Reads the inventory and the service, and compares. Only a reader is used. */
export async function observe(session: ReadSession, options: ObserveOptions = {}): Promise<Observation> {
  const { service, client, clock } = session;
  const { destroy = false, checkout: compared } = options;
  const inventory = options.inventory ?? (await loadInventory(session));
  const selected = selectionOf(options, { project: session.project, cwd: session.cwd, inventory });
  const { project, inventory: known } = destroy
    ? toDestroy(session.project, inventory)
    : partOf(options.kinds, session.project, inventory);
  const scope = scopeOf(project, destroy ? inventory : known, options);
  const [state, checkout, committed, exposed, policies] = await Promise.all([
    read(options.reader ?? client.reader(), options.kinds ?? kinds, scope, session.callsWith),
    compared === undefined || destroy ? null : session.readCheckout(inventory, compared),
    compared === undefined ? null : session.readCommitted(),
    compared === undefined ? new Map() : session.exposedKeys(),
    compared === undefined || destroy ? null : session.checkPolicies(),
  ]);
  const kept = keptKeys(project, state.objects, session.redactor);
  const basis = planBasis({ project, service, state, inventory: known, now: session.serviceNow() }, options, {
    ...(options.kinds === undefined ? {} : { kinds: options.kinds }),
    ...{ kept, exposed, checkout, committed, policies, selected, ownNow: clock.now() },
  });
  const former = formerKeys(project, { state, inventory: known, kept });
  return { inventory, state, comparison: compare(basis), former };
}

/** Only a project has an inventory: without a project, no file here is read as one. */
function loadInventory({ store, project }: ReadSession): Promise<Inventory> | Inventory {
  return isNoProject(project) ? emptyInventory(project.name, project.environment) : store.load();
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
  { allow = {}, destroy = false }: ObserveOptions,
  more: Partial<PlanBasis>,
): PlanBasis {
  return {
    ...{ kinds, project, service, inventory, now, ownNow: now },
    ...{ account: state.account, objects: state.objects },
    agents: agentLookup(state.agents, suggestWithin(limits.comparisons)),
    prune: destroy ? 'destroy' : project.prune,
    removed: new Set(project.removed),
    allow: { ...allowNothing, ...allow, ...(destroy ? allowDestroying : {}) },
    ...{
      kept: new Map(),
      exposed: new Map(),
      checkout: null,
      committed: null,
      policies: null,
      selected: null,
      readFrom: null,
    },
    ...more,
  };
}

const allowNothing: Allowances = {
  deletes: null,
  selfRevoke: false,
  empty: false,
  accountChange: false,
  staleCheckout: false,
  editedInventory: false,
  exposedKey: false,
  policies: [],
};

/** The user asked for these deletes, so `limits.deletes` does not apply. */
const allowDestroying = { deletes: Number.POSITIVE_INFINITY, empty: true } as const;

/** About the manifests and the service, in the order of the files. */
export function diagnosticsIn(
  { project, warnings }: ReadSession,
  { inventory, comparison }: Observation,
  found: readonly Diagnostic[],
): Diagnostic[] {
  const all = inFileOrder(project, warnings, noEnvironmentWarnings(project, inventory), found);
  return markUnchanged(all, comparison);
}

/**
 * The diagnostics of a command that reads what exists and plans nothing: the errors are those of the entries that are meant,
 * and of what these refer to. An entry whose object is gone is a warning here: it says nothing of other entries.
 */
export function judgedMatches(
  session: ReadSession,
  observation: Observation,
  isMeant: (address: Address) => boolean,
): readonly Diagnostic[] {
  const { comparison } = observation;
  const diagnostics = withGoneAsWarnings(comparison);
  return diagnosticsIn(session, observation, judgedBy({ ...comparison, diagnostics }, isMeant));
}

function withGoneAsWarnings(comparison: Comparison): readonly Diagnostic[] {
  const gone = new Set(goneEntries(comparison));
  return comparison.diagnostics.map((each) => (gone.has(each) ? asWarning(each) : each));
}

/** What was reported of entries whose `id:` no object has. */
export function goneEntries({ matches, diagnostics }: Comparison): readonly Diagnostic[] {
  const without = matches.filter(({ entry, observed }) => entry !== null && observed === null);
  const addresses = new Set(without.map((each) => each.address));
  return diagnostics.filter(({ code, address = '' }) => code === 'unknown-id' && addresses.has(address));
}

export function asWarning(diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, severity: 'warning' };
}

/** Throws a Problem if the inventory cannot be about this service and account: what it says of objects means nothing. */
export function requireAccount({ comparison }: Observation): void {
  refuse(errorsOf(accountRefusals(comparison)));
}

/** The same, and if it does not describe some of the objects that it names. */
export function requireInventory({ comparison }: Observation): void {
  const refusals = errorsOf(inventoryRefusals(comparison));
  const isNews = ({ code, message }: Diagnostic) =>
    code === 'inventory-mismatch' && refusals.every((each) => each.message !== message);
  refuse([...errorsIn(comparison.diagnostics).filter(isNews), ...refusals]);
}

function errorsOf(refusals: readonly Refusal[]): readonly Diagnostic[] {
  return refusals.map((each) => refusalError(each));
}

function refuse(refusals: readonly Diagnostic[]): void {
  if (refusals.length > 0) throw new Problem(refusals);
}

/** The kinds, and those that they refer to: in the order of all kinds. */
export function withReferred(only: readonly Kind[]): readonly Kind[] {
  const names = new Set(only.flatMap((kind) => [kind.name, ...(kind.references?.kinds ?? [])]));
  return kinds.filter(({ name }) => names.has(name));
}

/** What a project declares and owns of some kinds; undefined for all. */
function partOf(only: readonly Kind[] | undefined, project: Project, inventory: Inventory) {
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
function scopeOf(
  project: Project,
  inventory: Inventory,
  { everything = false, kinds: only = kinds }: ObserveOptions,
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
