import { type Lookup, lookUp, withReferred } from '../../engine/lookup.js';
import { judgedBy, requireRead, selectedOf, selectorsOf } from '../../engine/selectors.js';
import type { ReadSession } from '../../engine/session.js';
import { kinds } from '../../kinds/index.js';
import { suggest } from '../../manifest/suggest.js';
import { type Diagnostic, errorsIn, Problem, problem } from '../../model/diagnostic.js';
import { writeJson } from '../../model/exact-number.js';
import type { Inventory } from '../../model/inventory.js';
import { byCodeUnit, type JsonObject } from '../../model/json.js';
import type { Kind } from '../../model/kind.js';
import type { Call } from '../../model/request.js';
import {
  type Address,
  type Agent,
  addressOf,
  type Declared,
  type Desired,
  isPending,
  type ObjectRef,
  type Observed,
  type Project,
} from '../../model/resource.js';
import type { StartByHand, StartedRun } from '../../model/run.js';
import { heldDiagnostics } from '../../reconcile/rules/holds.js';
import { listAgents } from '../../service/operations/agents.js';
import { startJob } from '../../service/operations/jobs.js';
import { AGENT, addressOfAgent, agentNamed } from '../agents.js';
import { type RunKind, type RunSubject, runKind } from './run-kinds.js';

/** What can run has a health. Keys have none. */
export const kindsWithRuns = kinds.filter(({ startByHand }) => startByHand !== undefined);

/** An object that can be started. */
export interface StartableObject {
  readonly address: Address;
  readonly kind: Kind;
  readonly startByHand: StartByHand;
  /** Null for what is not deployed yet, of which only the declared target can be started. */
  readonly observed: Observed | null;
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
  /** The records of the kinds that were needed; null where only agents were named. */
  readonly inventory: Inventory | null;
  byId(ref: ObjectRef): StartableObject | undefined;
}

/**
 * Reads only what the addresses need: agents alone need one list. `declared`: what starts something else need not be
 * deployed. Throws a Problem.
 */
export async function findObjects(
  session: ReadSession,
  addresses: readonly string[],
  declared = false,
): Promise<KnownObjects> {
  const agentNames = unique(addresses.filter(isAgent).map((each) => each.slice(AGENT.length)));
  refuseGlobs(agentNames);
  const others = addresses.filter((each) => !isAgent(each));
  if (others.length === 0) {
    const agents = await session.client.reader().readAll(listAgents());
    return { agents, agentNames, selected: [], notes: [], inventory: null, byId: () => undefined };
  }
  const wanted = wantedEntries(session.project, others);
  const lookup = await findEntries(session, wanted);
  const existing = existingOf(lookup, declared);
  const selected = wanted.map((entry) => existing.get(entry.address) ?? entry.address);
  const missing = selected.filter((each) => typeof each === 'string');
  if (missing.length > 0) throw new Problem(missingObjects(missing, lookup));
  const found = selected.filter((each) => typeof each !== 'string');
  const all = [...existing.values()];
  return {
    agents: lookup.state.agents,
    agentNames,
    selected: found,
    notes: heldNotes(found, lookup, session.project.environment),
    inventory: lookup.matched.basis.inventory,
    byId: (ref) => all.find((each) => isObject(each, ref)) ?? undeclared(ref, lookup),
  };
}

/**
 * Reads only the kinds of what is named and of what these refer to, unless it is in doubt whose the objects are: that, only
 * all that an apply has recorded can tell. Objects of another account may have the same names. Throws a Problem.
 */
async function findEntries(session: ReadSession, wanted: readonly Declared[]): Promise<Lookup> {
  const kindNames = new Set(wanted.map(({ kind }) => kind));
  const needed = withReferred(kinds.filter(({ name }) => kindNames.has(name)));
  const found = await lookUp(session, needed);
  const { matches, externals } = found.matched;
  const known = new Set(externals.keys());
  for (const { address, observed } of matches) if (observed !== null) known.add(address);
  const isClear = found.doubts.length === 0 && wanted.every(({ address }) => known.has(address));
  const lookup = isClear ? found : await lookUp(session, kindsWithRuns);
  if (lookup.doubts.length > 0) throw new Problem(lookup.doubts);
  return lookup;
}

/** The names of agents are those of the account: a glob might start hundreds that nobody has thought of. */
function refuseGlobs(names: readonly string[]): void {
  const glob = names.find((name) => name.includes('*'));
  if (glob === undefined) return;
  const help = 'Name the agents, or declare a group of them and use `group/<key>`.';
  throw problem('usage', `globs of agents are not supported: ${AGENT}${glob}`, help);
}

function heldNotes(
  selected: readonly StartableObject[],
  { matched }: Lookup,
  environment: string | null,
): readonly Diagnostic[] {
  const names = new Set(selected.map(({ address }) => address));
  const held = matched.matches.flatMap(({ address, hold }) =>
    hold !== undefined && names.has(address) ? [[address, hold] as const] : [],
  );
  return heldDiagnostics(Object.fromEntries(held), environment);
}

function isObject({ observed }: StartableObject, { kind, id }: ObjectRef): boolean {
  return observed?.kind === kind && observed.id === id;
}

/** What a schedule was pointed to outside roster. */
function undeclared({ kind, id }: ObjectRef, { state }: Lookup): StartableObject | undefined {
  const observed = state.objects.get(kind)?.find((each) => each.id === id);
  return observed && startable(addressOf(kind, String(id)), kindNamed(kind), observed, null);
}

function isAgent(address: string): boolean {
  return address.startsWith(AGENT);
}

function unique<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}

/** A glob selects what can be started, and an address that cannot be is an error. Checked before anything is read. */
function wantedEntries(project: Project, addresses: readonly string[]): readonly Declared[] {
  const { entries, existsIn, unread } = project;
  const selectors = selectorsOf(addresses);
  requireRead(project, selectors);
  const all = entries.map((each) => each.address);
  const isSelected = selectedOf(selectors, { addresses: all, existsIn, unread });
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

function existingOf({ matched }: Lookup, declared: boolean): ReadonlyMap<Address, StartableObject> {
  const managed = matched.matches.map(({ address, kind, observed, entry }) =>
    entry !== null && (observed !== null || (declared && kind.startByHand?.target !== undefined))
      ? startable(address, kind, observed, entry)
      : undefined,
  );
  const externals = [...matched.externals].map(([address, observed]) =>
    startable(address, kindNamed(observed.kind), observed, null),
  );
  return new Map(
    [...managed, ...externals].flatMap((each) => (each === undefined ? [] : [[each.address, each]])),
  );
}

function startable(
  address: Address,
  kind: Kind,
  observed: Observed | null,
  entry: Desired | null,
): StartableObject | undefined {
  const { startByHand } = kind;
  return startByHand && { address, kind, startByHand, observed, entry };
}

/** An error in the entry, or in what it refers to, may be the reason that it was not matched. */
function missingObjects(addresses: readonly Address[], { matched }: Lookup): readonly Diagnostic[] {
  const errors = errorsIn(judgedBy(matched, (address) => addresses.includes(address)));
  if (errors.length > 0) return errors;
  return addresses.map((address) => ({
    severity: 'error',
    code: 'unknown-reference',
    message: `${address} is declared but does not exist on the service`,
    help: 'Create it with `roster apply`, then run it.',
  }));
}

/** Where the runs of an address are listed. */
export interface RunSource extends RunSubject {
  readonly address: Address;
  readonly kind: RunKind;
  /** The id of the agent, group or pipeline that runs. */
  readonly objectId: string;
  /** Only the runs that this schedule started; null for all. */
  readonly scheduleId: string | null;
}

/** One start to be sent. When its answer is lost, its run is recognized by all but the call. */
export interface StartTarget extends RunSource {
  readonly call: Call<StartedRun>;
  /** What its jobs show as their inputs; null where that is not known. */
  readonly inputs: JsonObject | null;
  /** How many agents it starts; at least 1 where that is not known. */
  readonly starts: number;
}

export interface TargetOptions {
  /** From the command line. */
  readonly inputs: JsonObject;
  /** A schedule's target with the inputs of the manifest, instead of what is deployed. */
  readonly declared: boolean;
}

/** The starts for what was named. Throws a Problem with everything that is wrong. */
export function targetsOf(known: KnownObjects, options: TargetOptions): readonly StartTarget[] {
  const problems: Diagnostic[] = [];
  // An agent may be named in several ways.
  const targets = new Map<Address, StartTarget>();
  const add = (targetOf: () => StartTarget) => {
    try {
      const target = targetOf();
      targets.set(target.address, target);
    } catch (failure) {
      if (!(failure instanceof Problem)) throw failure;
      problems.push(...failure.diagnostics);
    }
  };
  for (const name of known.agentNames) add(() => agentTarget(name, known, options));
  for (const each of known.selected) add(() => objectTarget(each, known, options));
  if (problems.length > 0) throw new Problem(problems);
  return [...targets.values()];
}

function agentTarget(name: string, { agents }: KnownObjects, { inputs }: TargetOptions): StartTarget {
  const agent = agentNamed(name, agents);
  const address = addressOfAgent(agent);
  const run = runnableAgent(agent);
  checkInputs(address, inputs, run);
  return startOf(address, run, inputs);
}

function objectTarget(found: StartableObject, known: KnownObjects, options: TargetOptions): StartTarget {
  const { address, startByHand, entry, observed } = found;
  const isDeclared = options.declared && entry !== null;
  const meant = startByHand.target?.(isDeclared ? entry.spec : observed?.spec);
  if (meant !== undefined) return scheduleTarget(found, meant, known, { ...options, declared: isDeclared });
  const run = runnableObject(found, known);
  checkInputs(address, options.inputs, run);
  return startOf(address, run, options.inputs);
}

/** What starts something else: run as it is deployed, or its declared target instead. */
function scheduleTarget(
  found: StartableObject,
  meant: { readonly of: ObjectRef; readonly inputs: JsonObject },
  known: KnownObjects,
  options: TargetOptions,
): StartTarget {
  const { address, startByHand, observed } = found;
  const run = runnableAt(meant.of, known);
  if (run === null) throw new Problem(isPending(meant.of.id) ? newTarget(address) : unknownTarget(address));
  const inputs = { ...meant.inputs, ...options.inputs };
  checkInputs(address, options.declared && run.takesInputs ? inputs : options.inputs, run);
  const target = startOf(address, run, inputs);
  if (options.declared) return { ...target, call: withoutEcho(target.call, found) };
  const given = Object.keys(options.inputs).length > 0;
  const id = observed?.id ?? '';
  return { ...target, scheduleId: id, call: startByHand.start(id, given ? textOf(inputs) : undefined) };
}

/** Inputs of a manifest may come from the environment: what the service answers to them is not shown. */
function withoutEcho(call: Call<StartedRun>, { entry }: StartableObject): Call<StartedRun> {
  if (entry === null || Object.keys(entry.templates).length === 0) return call;
  return { ...call, request: { ...call.request, holdsSecrets: true } };
}

/** An agent, group or pipeline. */
interface Runnable {
  readonly kind: RunKind;
  readonly objectId: string;
  readonly agents: readonly Agent[];
  readonly starts: number;
  readonly takesInputs: boolean;
  /** `inputs`: as JSON in a text. */
  start(inputs: string | undefined): Call<StartedRun>;
}

function startOf(address: Address, run: Runnable, inputs: JsonObject): StartTarget {
  const { kind, objectId, agents, starts, takesInputs } = run;
  return {
    address,
    kind,
    objectId,
    agents,
    starts,
    scheduleId: null,
    inputs: takesInputs ? inputs : null,
    call: run.start(takesInputs ? textOf(inputs) : undefined),
  };
}

/** Without inputs, each agent runs with its defaults. */
function textOf(inputs: JsonObject): string | undefined {
  return Object.keys(inputs).length === 0 ? undefined : writeJson(inputs);
}

function runnableAgent(agent: Agent): Runnable {
  return {
    kind: runKind('job'),
    objectId: agent.id,
    agents: [agent],
    starts: 1,
    takesInputs: true,
    start(inputs) {
      const { request, parse } = startJob(agent.externalAgentId, inputs);
      return { request, parse: (data) => ({ ...parse(data), idKind: 'job' }) };
    },
  };
}

function runnableObject(
  { kind, startByHand, observed }: StartableObject,
  { agents }: KnownObjects,
): Runnable {
  const id = observed?.id ?? '';
  // Null specs are those of lists that do not show everything.
  const ids = observed?.spec == null ? undefined : kind.runs?.agents(observed.spec);
  return {
    kind: runKind(startByHand.makes ?? 'job'),
    objectId: id,
    agents: (ids ?? []).flatMap((each) => agents.find((agent) => agent.id === each) ?? []),
    starts: ids?.length ?? 1,
    takesInputs: startByHand.takesInputs,
    start: (inputs) => startByHand.start(id, inputs),
  };
}

/** What a reference leads to; null when it does not exist. */
function runnableAt(ref: ObjectRef, known: KnownObjects): Runnable | null {
  const agent = known.agents.find((each) => each.id === ref.id);
  if (agent !== undefined) return runnableAgent(agent);
  const found = isPending(ref.id) ? undefined : known.byId(ref);
  return found === undefined ? null : runnableObject(found, known);
}

/** Unlike for a start, the target of a schedule need not be declared, and its inputs do not matter. Throws a Problem. */
export function sourcesOf(known: KnownObjects): readonly RunSource[] {
  const agents = known.agentNames.map((name) => agentNamed(name, known.agents));
  return [
    ...agents.map((agent) => ({
      address: addressOfAgent(agent),
      kind: runKind('job'),
      objectId: agent.id,
      scheduleId: null,
      agents: [agent],
    })),
    ...known.selected.flatMap((each) => sourceOf(each, known) ?? []),
  ];
}

function sourceOf(object: StartableObject, known: KnownObjects): RunSource | null {
  const { address, startByHand, observed } = object;
  if (startByHand.target === undefined)
    return { address, scheduleId: null, ...runnableObject(object, known) };
  const { of } = startByHand.target(observed?.spec);
  const { id } = of;
  if (isPending(id)) return null;
  const makes = kinds.find(({ name }) => name === of.kind)?.startByHand?.makes;
  const unknown = { kind: runKind(makes ?? 'job'), objectId: id, agents: [] };
  return { address, scheduleId: observed?.id ?? '', ...(runnableAt(of, known) ?? unknown) };
}

/** Throws a Problem. */
function checkInputs(address: Address, inputs: JsonObject, { agents, takesInputs }: Runnable): void {
  const keys = Object.keys(inputs);
  if (keys.length === 0) return;
  const problems = takesInputs ? inputProblems(address, keys, agents) : [noInputs(address)];
  if (problems.length > 0) throw new Problem(problems);
}

/** An error for each input that no agent of the target has. Without known agents there is nothing to compare with. */
function inputProblems(
  address: Address,
  keys: readonly string[],
  agents: readonly Agent[],
): readonly Diagnostic[] {
  if (agents.length === 0) return [];
  const known = [...new Set(agents.flatMap((agent) => agent.inputKeys))].sort(byCodeUnit);
  const unknown = keys.filter((key) => !known.includes(key));
  return unknown.map((key) => ({
    severity: 'error',
    code: 'unknown-input',
    message: `${agents.length === 1 ? address : `no agent of ${address}`} has ${agents.length === 1 ? 'no' : 'an'} input "${key}"`,
    help: knownInputs(key, known),
  }));
}

function knownInputs(key: string, known: readonly string[]): string {
  const closest = suggest(key, known);
  if (closest !== null) return `Did you mean \`${closest}\`?`;
  if (known.length === 0) return 'It has no inputs.';
  return `Known inputs: ${known.map((each) => `\`${each}\``).join(', ')}.`;
}

function noInputs(address: Address): Diagnostic {
  return {
    severity: 'error',
    code: 'ignored-inputs',
    message: `${address} takes no inputs: the stages of a pipeline run with the inputs of their agents`,
    help: 'Leave the inputs out, or run an agent or a group.',
  };
}

function newTarget(address: Address): Diagnostic {
  return {
    severity: 'error',
    code: 'unknown-reference',
    message: `the target of ${address} is declared but does not exist on the service`,
    help: 'Create it with `roster apply`, then run it.',
  };
}

function unknownTarget(address: Address): Diagnostic {
  return {
    severity: 'error',
    code: 'unknown-reference',
    message: `the target of ${address} is neither an agent of this account nor declared in this project`,
    help: 'Declare the target, with `external: true` if somebody else manages it, or run it in the dashboard.',
  };
}
