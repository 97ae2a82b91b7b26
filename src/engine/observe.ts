import { kinds } from '../kinds/index.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
import { refusalError } from '../model/finding.js';
import type { Inventory } from '../model/inventory.js';
import { removedAddresses } from '../model/removed.js';
import type { Reader } from '../model/request.js';
import { type Address, normalId, type Project } from '../model/resource.js';
import type { Siblings } from '../model/sibling.js';
import { compare } from '../reconcile/plan.js';
import { accountRefusals } from '../reconcile/rules/index.js';
import { judgedBy } from '../reconcile/select.js';
import type { Comparison } from '../reconcile/world.js';
import { type ObservedState, observe as read } from '../service/observe.js';
import { toDestroy } from './destroy.js';
import { inFileOrder, markUnchanged, noEnvironmentWarnings } from './diagnostics.js';
import { type DeliveryCheck, formerKeys } from './keys.js';
import {
  loadInventory,
  partOf,
  planBasis,
  type ReadOptions,
  type SelectionOptions,
  scopeOf,
} from './lookup.js';
import { selectionOf } from './selectors.js';
import type { LocalSession, ReadSession } from './session.js';

export interface ObserveOptions extends SelectionOptions, ReadOptions {
  /** Used instead of the stored one. */
  readonly inventory?: Inventory;
  /** Compares the checkout with the commit last applied. `record` also checks whether the manifests differ from their commit. */
  readonly checkout?: 'compare' | 'record';
  /** What is known of the other projects of the repository. Default: it is read. */
  readonly siblings?: Siblings | Promise<Siblings>;
  /** Default: the client's. */
  readonly reader?: Reader;
}

/** What was read. */
export interface ReadState {
  readonly inventory: Inventory;
  readonly state: ObservedState;
  /** Which keys in files the new ones may replace. */
  readonly former: DeliveryCheck['former'];
  /** What other projects of the repository manage. */
  readonly siblings: Siblings;
}

/** What was read, compared with what is declared. */
export interface Observation extends ReadState {
  readonly comparison: Comparison;
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
  const declared = mayLetGo(project, destroy ? inventory : known, destroy);
  const [state, siblings, checkout, committed, exposed, policies] = await Promise.all([
    read(options.reader ?? client.reader(), options.kinds ?? kinds, scope, session.callsWith),
    options.siblings ?? session.readSiblings({ declared }),
    compared === undefined || destroy ? null : session.readCheckout(inventory, compared),
    compared === undefined ? null : session.readCommitted(),
    compared === undefined ? new Map() : session.exposedKeys(),
    compared === undefined || destroy ? null : session.checkPolicies(),
  ]);
  const kept = session.keyPlaces.kept(state.objects);
  const basis = planBasis({ project, service, state, inventory: known, now: session.serviceNow() }, options, {
    kinds: options.kinds ?? kinds,
    kept,
    siblings,
    exposed,
    checkout,
    committed,
    policies,
    selected,
    ownNow: clock.now(),
  });
  const former = formerKeys(project, { state, inventory: known, kept });
  return { inventory, state, comparison: compare(basis), former, siblings };
}

/**
 * Whether a plan may delete something, be it only because an entry is bound to another object now, or forget something that
 * is on hold.
 */
export function mayLetGo(project: Project, inventory: Inventory, destroy: boolean): boolean {
  const { entries, prune } = project;
  if (destroy || prune === 'all') return true;
  if (prune === 'never')
    return [...removedAddresses(project, inventory)].some(
      (address) => inventory.entries.get(address)?.hold !== undefined,
    );
  const declared = new Map<Address, string | null>();
  for (const { address, id, external } of entries) if (!external) declared.set(address, id);
  const isLeft = (address: Address, id: string | null) => {
    const bound = declared.get(address);
    return bound === undefined || (bound !== null && normalId(bound) !== id);
  };
  for (const [address, { id }] of inventory.entries) if (isLeft(address, id)) return true;
  for (const address of inventory.drafts.keys()) if (isLeft(address, null)) return true;
  return false;
}

/** About the manifests and the service, in the order of the files. */
export function diagnosticsIn(
  { project, warnings }: LocalSession,
  { inventory, comparison }: Pick<Observation, 'inventory' | 'comparison'>,
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

/** Of a command that goes on without what the errors are about. */
export function errorsAsWarnings(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.map((each) => (each.severity === 'error' ? asWarning(each) : each));
}

export function asWarning(diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, severity: 'warning' };
}

/** Throws a Problem if the inventory cannot be about this service and account: what it says of objects means nothing. */
export function requireAccount({ comparison }: Observation): void {
  const refusals = accountRefusals(comparison);
  if (refusals.length > 0) throw new Problem(refusals.map((each) => refusalError(each)));
}
