import { limits } from '../../manifest/limits.js';
import { suggestWithin } from '../../manifest/suggest.js';
import { type Diagnostic, Problem } from '../../model/diagnostic.js';
import type { JsonObject } from '../../model/json.js';
import type { Call } from '../../model/request.js';
import { type Address, type Agent, isPending, type ObjectRef } from '../../model/resource.js';
import type { RunIdKind, StartByHand, StartedRun } from '../../model/run.js';
import { agentLookup } from '../../reconcile/match/agent-lookup.js';
import { startJob } from '../../service/operations/jobs.js';
import { inputProblems } from './inputs.js';
import { AGENT, type KnownObjects, type StartableObject } from './objects.js';

/** By what the run of a start is recognized when its answer was lost. */
export interface RunTraces {
  readonly idKind: RunIdKind;
  /** The id of the agent, group or pipeline that runs. */
  readonly objectId: string;
  /** The id of the schedule that was run; null for any other start. */
  readonly scheduleId: string | null;
  /** What the jobs show as their inputs; null where that is not known. */
  readonly inputs: JsonObject | null;
}

/** One start to be sent. */
export interface StartTarget {
  readonly address: Address;
  readonly call: Call<StartedRun>;
  readonly traces: RunTraces;
  /** The agents that it starts, in their order. */
  readonly agents: readonly Agent[];
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
  const context: Context = { known, options, report: (found) => void problems.push(...found) };
  const targets = [
    ...known.agentNames.flatMap((name) => agentTarget(name, context) ?? []),
    ...known.selected.flatMap((each) => objectTarget(each, context) ?? []),
  ];
  if (problems.length > 0) throw new Problem(problems);
  return distinct(targets);
}

/** An agent may be named in several ways. */
function distinct(targets: readonly StartTarget[]): readonly StartTarget[] {
  return [...new Map(targets.map((each) => [each.address, each])).values()];
}

interface Context {
  readonly known: KnownObjects;
  readonly options: TargetOptions;
  report(problems: readonly Diagnostic[]): void;
}

/** The agent that a name means. Throws a Problem. */
export function agentNamed(name: string, agents: readonly Agent[]): Agent {
  const found = agentLookup(agents, suggestWithin(limits.comparisons)).find(name);
  if ('agent' in found) return found.agent;
  const { code, message, help } = found;
  throw new Problem({ severity: 'error', code, message, ...(help === undefined ? {} : { help }) });
}

function agentTarget(name: string, { known, options, report }: Context): StartTarget | null {
  try {
    const agent = agentNamed(name, known.agents);
    const address = `${AGENT}${agent.externalAgentId}`;
    report(inputProblems(address, Object.keys(options.inputs), [agent]));
    return { address, ...agentStart(agent, options.inputs) };
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    report(failure.diagnostics);
    return null;
  }
}

function agentStart(agent: Agent, inputs: JsonObject): Omit<StartTarget, 'address'> {
  const { request, parse } = startJob(agent.externalAgentId, textOf(inputs));
  return {
    call: { request, parse: (data) => ({ ...parse(data), idKind: 'job' }) },
    traces: { idKind: 'job', objectId: agent.id, scheduleId: null, inputs },
    agents: [agent],
    starts: 1,
  };
}

/** Without inputs, each agent runs with its defaults. */
function textOf(inputs: JsonObject): string | undefined {
  return Object.keys(inputs).length === 0 ? undefined : JSON.stringify(inputs);
}

function objectTarget(found: StartableObject, context: Context): StartTarget | null {
  const { address, kind, observed } = found;
  const { startByHand } = kind;
  if (startByHand === undefined) return null;
  const through = startByHand.target;
  if (through !== undefined) return throughTarget(found, startByHand, context);
  const { inputs } = context.options;
  const agents = agentsOf(found, context.known);
  report(address, { keys: Object.keys(inputs), agents, takesInputs: startByHand.takesInputs }, context);
  return {
    address,
    ...objectStart(found, startByHand, inputs),
    agents,
    starts: startsOf(observed.spec, found),
  };
}

function objectStart(
  { observed }: StartableObject,
  startByHand: StartByHand,
  inputs: JsonObject,
): Pick<StartTarget, 'call' | 'traces'> {
  const id = observed.id ?? '';
  return {
    call: startByHand.start(id, textOf(inputs)),
    traces: {
      idKind: startByHand.makes ?? 'job',
      objectId: id,
      scheduleId: null,
      inputs: startByHand.takesInputs ? inputs : null,
    },
  };
}

/** What starts something else: run as it is deployed, or its declared target instead. */
function throughTarget(found: StartableObject, own: StartByHand, context: Context): StartTarget | null {
  const { known, options } = context;
  const isDeclared = options.declared && found.entry !== null;
  const spec = isDeclared ? found.entry?.spec : found.observed.spec;
  const meant = own.target?.(spec);
  if (meant === undefined) return null;
  const run = runnableAt(meant.of, known);
  if (run === null) {
    context.report([unknownTarget(found.address)]);
    return null;
  }
  const inputs = { ...meant.inputs, ...options.inputs };
  const checked = isDeclared && run.takesInputs ? inputs : options.inputs;
  report(found.address, { ...run, keys: Object.keys(checked) }, context);
  const parts = { agents: run.agents, starts: run.starts };
  if (isDeclared) {
    const made = run.begin(inputs);
    return { address: found.address, ...parts, ...made, call: withoutEcho(made.call, found) };
  }
  const given = Object.keys(options.inputs).length > 0;
  const id = found.observed.id ?? '';
  const traces = {
    idKind: run.idKind,
    objectId: run.objectId,
    scheduleId: id,
    inputs: run.takesInputs ? inputs : null,
  };
  return {
    address: found.address,
    ...parts,
    call: own.start(id, given ? textOf(inputs) : undefined),
    traces,
  };
}

/** Inputs of a manifest may come from the environment: what the service answers to them is not shown. */
function withoutEcho(call: Call<StartedRun>, { entry }: StartableObject): Call<StartedRun> {
  if (entry === null || Object.keys(entry.templates).length === 0) return call;
  return { ...call, request: { ...call.request, holdsSecrets: true } };
}

interface Runnable {
  readonly idKind: RunIdKind;
  readonly objectId: string;
  readonly agents: readonly Agent[];
  readonly starts: number;
  readonly takesInputs: boolean;
  begin(inputs: JsonObject): Pick<StartTarget, 'call' | 'traces'>;
}

/** What a reference leads to; null when it does not exist. */
function runnableAt(ref: ObjectRef, known: KnownObjects): Runnable | null {
  const { id } = ref;
  if (isPending(id)) return null;
  const agent = known.agents.find((each) => each.id === id);
  if (agent !== undefined) {
    const begin = (inputs: JsonObject) => agentStart(agent, inputs);
    return { idKind: 'job', objectId: id, agents: [agent], starts: 1, takesInputs: true, begin };
  }
  const found = known.byId(ref);
  const startByHand = found?.kind.startByHand;
  if (found === undefined || startByHand === undefined) return null;
  const { makes, takesInputs } = startByHand;
  return {
    idKind: makes ?? 'job',
    objectId: id,
    agents: agentsOf(found, known),
    starts: startsOf(found.observed.spec, found),
    takesInputs,
    begin: (inputs) => objectStart(found, startByHand, takesInputs ? inputs : {}),
  };
}

/** Null specs are those of lists that do not show everything. */
export function agentsOf({ kind, observed }: StartableObject, { agents }: KnownObjects): readonly Agent[] {
  if (observed.spec === null) return [];
  const ids = kind.runs?.agents(observed.spec) ?? [];
  return ids.flatMap((id) => agents.find((agent) => agent.id === id) ?? []);
}

function startsOf(spec: unknown, { kind }: StartableObject): number {
  return spec === null ? 1 : (kind.runs?.agents(spec).length ?? 1);
}

function report(
  address: Address,
  { keys, agents, takesInputs }: { keys: readonly string[]; agents: readonly Agent[]; takesInputs: boolean },
  context: Context,
): void {
  if (keys.length === 0) return;
  context.report(takesInputs ? inputProblems(address, keys, agents) : [noInputs(address)]);
}

function noInputs(address: Address): Diagnostic {
  return {
    severity: 'error',
    code: 'ignored-inputs',
    message: `${address} takes no inputs: the stages of a pipeline run with the inputs of their agents`,
    help: 'Leave the inputs out, or run an agent or a group.',
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
