import { visibleAgent } from './access.js';
import { type Answer, type Call, type Core, notFound, type Route } from './api.js';
import type { AgentRecord } from './world.js';

/** Agents (interface.md §4, Agents): read-only. An agent that is not assigned to the caller does not exist for it. */
export const agentRoutes: readonly Route[] = [
  { method: 'GET', path: '/api/scraper-agents', scoped: true, handle: listAgents },
  { method: 'GET', path: '/api/scraper-agents/:id', scoped: true, handle: readAgent },
];

function listAgents({ world }: Core): Answer {
  const assigned = [...world.agents.values()].filter((agent) => agent.assigned);
  return { data: assigned.map(showAgent) };
}

/** By GUID only: an externalAgentId here gives 404 (§2, Agent). */
function readAgent({ world }: Core, { params }: Call): Answer {
  const agent = visibleAgent(world, params.id ?? '');
  if (!agent) throw notFound('The agent');
  return { data: showAgent(agent) };
}

function showAgent({ assigned: _hidden, ...shown }: AgentRecord): Omit<AgentRecord, 'assigned'> {
  return structuredClone(shown);
}
