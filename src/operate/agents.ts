import { limits } from '../manifest/limits.js';
import { suggestWithin } from '../manifest/suggest.js';
import { problem } from '../model/diagnostic.js';
import type { Address, Agent } from '../model/resource.js';
import { agentLookup } from '../reconcile/references.js';

/** Agents need no entry: they are named as in manifests. */
export const AGENT = 'agent/';

/** Jobs show the name of their agent only. */
export function addressNamed(name: string | null, agents: readonly Agent[]): Address | null {
  const named = agents.filter((agent) => agent.name === name || agent.externalAgentId === name);
  const [only] = named;
  if (only !== undefined && named.length === 1) return addressOfAgent(only);
  return name === null || name === '' ? null : `${AGENT}${name}`;
}

export function addressOfAgent({ externalAgentId }: Agent): Address {
  return `${AGENT}${externalAgentId}`;
}

/** The agent that a name means. Throws a Problem. */
export function agentNamed(name: string, agents: readonly Agent[]): Agent {
  const found = agentLookup(agents, suggestWithin(limits.comparisons)).find(name);
  if ('agent' in found) return found.agent;
  const { code, message, help } = found;
  throw problem(code, message, help);
}
