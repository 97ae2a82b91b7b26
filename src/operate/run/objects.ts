import { type Observation, observeAndPlan } from '../../engine/plan.js';
import { selectedOf, selectorsOf } from '../../engine/selectors.js';
import type { ReadSession } from '../../engine/session.js';
import { kinds } from '../../kinds/index.js';
import { type Diagnostic, Problem, problem } from '../../model/diagnostic.js';
import type { Kind } from '../../model/kind.js';
import {
  type Address,
  type Agent,
  addressOf,
  type Declared,
  type Desired,
  type ObjectRef,
  type Observed,
  type Project,
} from '../../model/resource.js';
import { heldDiagnostics } from '../../reconcile/hold/held-changes.js';
import { listAgents } from '../../service/operations/agents.js';

/** Agents need no entry: they are named as in manifests. */
export const AGENT = 'agent/';

/** A declared object that exists on the service. */
export interface StartableObject {
  readonly address: Address;
  readonly kind: Kind;
  readonly observed: Observed;
  /** Null for what the project only refers to. */
  readonly entry: Desired | null;
}

/** What addresses mean on the service. */
export interface KnownObjects {
  readonly agents: readonly Agent[];
  /** The agents that were named themselves, without the prefix. */
  readonly agentNames: readonly string[];
  readonly selected: readonly StartableObject[];
  /** Notes about the selected ones that are on hold: they can be run all the same. */
  readonly notes: readonly Diagnostic[];
  byId(ref: ObjectRef): StartableObject | undefined;
}

/** Reads only what the addresses need: agents alone need one list. Throws a Problem. */
export async function findObjects(session: ReadSession, addresses: readonly string[]): Promise<KnownObjects> {
  const agentNames = unique(addresses.filter(isAgent).map((each) => each.slice(AGENT.length)));
  refuseGlobs(agentNames);
  const others = addresses.filter((each) => !isAgent(each));
  if (others.length === 0) {
    const agents = await session.client.reader().readAll(listAgents());
    return { agents, agentNames, selected: [], notes: [], byId: () => undefined };
  }
  const wanted = wantedEntries(session.project, others);
  const observation = await observeAndPlan(session, { isForView: true });
  refuseOtherAccount(observation);
  const existing = existingOf(observation);
  const selected = wanted.map((entry) => existing.get(entry.address) ?? entry.address);
  const missing = selected.filter((each) => typeof each === 'string');
  if (missing.length > 0) throw new Problem(missingObjects(missing, observation));
  const found = selected.filter((each) => typeof each !== 'string');
  const all = [...existing.values()];
  return {
    agents: observation.state.agents,
    agentNames,
    selected: found,
    notes: heldNotes(found, observation),
    byId: (ref) => all.find((each) => isObject(each, ref)) ?? undeclared(ref, observation),
  };
}

/** The names of agents are those of the account: a glob might start hundreds that nobody has thought of. */
function refuseGlobs(names: readonly string[]): void {
  const glob = names.find((name) => name.includes('*'));
  if (glob === undefined) return;
  const help = 'Name the agents, or declare a group of them and use `group/<key>`.';
  throw problem('usage', `globs of agents are not supported: ${AGENT}${glob}`, help);
}

function heldNotes(selected: readonly StartableObject[], { reconciled }: Observation): readonly Diagnostic[] {
  const names = new Set(selected.map(({ address }) => address));
  const held = reconciled.matches.flatMap(({ address, hold }) =>
    hold !== undefined && names.has(address) ? [[address, hold] as const] : [],
  );
  return heldDiagnostics(Object.fromEntries(held));
}

function isObject({ observed }: StartableObject, { kind, id }: ObjectRef): boolean {
  return observed.kind === kind && observed.id === id;
}

/** What a schedule was pointed to outside roster. */
function undeclared({ kind, id }: ObjectRef, { state }: Observation): StartableObject | undefined {
  const observed = state.objects.get(kind)?.find((each) => each.id === id);
  return observed && { address: addressOf(kind, String(id)), kind: kindNamed(kind), observed, entry: null };
}

function isAgent(address: string): boolean {
  return address.startsWith(AGENT);
}

function unique<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}

/** A glob selects what can be started, and an address that cannot be is an error. Checked before anything is read. */
function wantedEntries({ entries, existsIn }: Project, addresses: readonly string[]): readonly Declared[] {
  const all = entries.map((each) => each.address);
  const isSelected = selectedOf(selectorsOf(addresses), { addresses: all, existsIn });
  const selected = entries.filter(({ address }) => isSelected(address));
  const canStart = ({ kind }: Declared) => kindNamed(kind).startByHand !== undefined;
  const impossible = selected.filter((each) => !canStart(each) && addresses.includes(each.address));
  const wanted = selected.filter(canStart);
  if (impossible.length === 0 && wanted.length > 0) return wanted;
  const named = impossible.map((each) => each.address).join(', ') || addresses.join(', ');
  throw problem('usage', `${named} cannot be run`, 'Agents, groups, pipelines and schedules can be run.');
}

function kindNamed(name: string): Kind {
  const found = kinds.find((kind) => kind.name === name);
  if (found === undefined) throw new Error(`there is no kind ${name}`);
  return found;
}

/** Objects of another account may have the same names. */
function refuseOtherAccount({ reconciled }: Observation): void {
  const objections = (reconciled.plan?.objections ?? reconciled.otherAccount).map(
    ({ code, message, help }): Diagnostic => ({ severity: 'error', code, message, help }),
  );
  const found = [...reconciled.diagnostics, ...objections].filter(
    ({ severity, code }) => severity === 'error' && code === 'inventory-mismatch',
  );
  if (found.length > 0) throw new Problem(found);
}

function existingOf({ reconciled }: Observation): ReadonlyMap<Address, StartableObject> {
  const found = new Map<Address, StartableObject>();
  for (const { address, kind, observed, entry } of reconciled.matches)
    if (observed !== null && entry !== null) found.set(address, { address, kind, observed, entry });
  for (const [address, observed] of reconciled.externals)
    found.set(address, { address, kind: kindNamed(observed.kind), observed, entry: null });
  return found;
}

/** An error in the manifests may be the reason that an entry was not matched. */
function missingObjects(addresses: readonly Address[], { reconciled }: Observation): readonly Diagnostic[] {
  const errors = reconciled.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return errors;
  return addresses.map((address) => ({
    severity: 'error',
    code: 'unknown-reference',
    message: `${address} is declared, but does not exist on the service`,
    help: 'Create it with `roster apply`, then run it.',
  }));
}
