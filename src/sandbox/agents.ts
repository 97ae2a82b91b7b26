import { isAssigned, visibleAgent } from './access.js';
import { type Answer, type Call, type Core, notFound, type Route } from './api.js';
import type { Fields } from './body.js';
import type { AgentRecord } from './world.js';

/** Agents (interface.md §4, Agents): read-only. An agent that is not assigned to the caller does not exist for it. */
export const agentRoutes: readonly Route[] = [
  { method: 'GET', path: '/api/scraper-agents', scoped: true, handle: listAgents },
  { method: 'GET', path: '/api/scraper-agents/:id', scoped: true, handle: readAgent },
];

function listAgents({ world }: Core, { caller }: Call): Answer {
  const assigned = [...world.agents.values()].filter((agent) => isAssigned(world, agent, caller.user));
  return { data: assigned.map(showAgent) };
}

/** By GUID only: an externalAgentId here gives 404 (§2, Agent). */
function readAgent({ world }: Core, { params, caller }: Call): Answer {
  const agent = visibleAgent(world, params.id ?? '', caller.user);
  if (!agent) throw notFound('The agent');
  return { data: showAgent(agent) };
}

function showAgent({ id, externalAgentId, name, version, inputParameters }: AgentRecord): Fields {
  return { id, externalAgentId, name, version, inputParameters: structuredClone(inputParameters) };
}
