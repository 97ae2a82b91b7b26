import { kinds } from '../../kinds/index.js';
import { type Address, type Agent, isPending } from '../../model/resource.js';
import type { RunIdKind } from '../../model/run.js';
import { AGENT, type KnownObjects, type StartableObject } from './objects.js';
import { agentNamed, agentsOf } from './targets.js';

/** Where the runs of an address are listed. */
export interface RunsSource {
  readonly address: Address;
  readonly idKind: RunIdKind;
  /** The id of the agent, group or pipeline that runs. */
  readonly objectId: string;
  /** Only the runs that this schedule started; null for all. */
  readonly scheduleId: string | null;
  /** The agents that take part, in their order; empty where they are not known. */
  readonly agents: readonly Agent[];
}

/** Unlike for a start, the target of a schedule need not be declared, and its inputs do not matter. Throws a Problem. */
export function sourcesOf(known: KnownObjects): readonly RunsSource[] {
  return [
    ...known.agentNames.map((name) => agentSource(agentNamed(name, known.agents))),
    ...known.selected.flatMap((each) => objectSource(each, known) ?? []),
  ];
}

function agentSource(agent: Agent): RunsSource {
  const address = `${AGENT}${agent.externalAgentId}`;
  return { address, idKind: 'job', objectId: agent.id, scheduleId: null, agents: [agent] };
}

function objectSource(object: StartableObject, known: KnownObjects): RunsSource | null {
  const { address, kind, observed } = object;
  const { startByHand } = kind;
  const id = observed.id ?? '';
  if (startByHand?.target === undefined)
    return {
      address,
      idKind: startByHand?.makes ?? 'job',
      objectId: id,
      scheduleId: null,
      agents: agentsOf(object, known),
    };
  const { of } = startByHand.target(observed.spec);
  if (isPending(of.id)) return null;
  const agent = known.agents.find((each) => each.id === of.id);
  const target = known.byId(of);
  const makes = kinds.find(({ name }) => name === of.kind)?.startByHand?.makes;
  return {
    address,
    idKind: agent === undefined ? (makes ?? 'job') : 'job',
    objectId: of.id,
    scheduleId: id,
    agents: agent !== undefined ? [agent] : target === undefined ? [] : agentsOf(target, known),
  };
}
