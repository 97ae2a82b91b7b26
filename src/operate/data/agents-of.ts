import type { ReadSession } from '../../engine/session.js';
import type { Address, Agent } from '../../model/resource.js';
import { listAgents } from '../../service/operations/agents.js';
import { findObjects } from '../run/objects.js';
import { targetsOf } from '../run/targets.js';

export interface NamedAgents {
  /** Those of the addresses, in their order. */
  readonly named: readonly Agent[];
  /** All agents of the account. */
  readonly agents: readonly Agent[];
}

/** The agents that addresses stand for: those that a run of them would start. Throws a Problem. */
export async function agentsOf(session: ReadSession, addresses: readonly Address[]): Promise<NamedAgents> {
  if (addresses.length === 0)
    return { named: [], agents: await session.client.reader().readAll(listAgents()) };
  const known = await findObjects(session, addresses);
  const targets = targetsOf(known, { inputs: {}, declared: false });
  const named = new Map(targets.flatMap(({ agents }) => agents).map((agent) => [agent.id, agent]));
  return { named: [...named.values()], agents: known.agents };
}
