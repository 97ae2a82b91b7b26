import { groupBy } from '../../model/group-by.js';
import { namedIds } from '../../model/named-ids.js';
import type { Agent, EntryProblem } from '../../model/resource.js';
import type { Suggest } from '../../model/suggest.js';

/** The agent, or why there is none. */
type AgentResult = { readonly agent: Agent } | Pick<EntryProblem, 'code' | 'message' | 'help'>;

/** Finds agents as manifests name them: by externalAgentId, else by id, else by a unique name (contract §2). */
export interface AgentLookup {
  find(written: string): AgentResult;
  byId(id: string): Agent | undefined;
  readonly suggest: Suggest;
}

export function agentLookup(agents: readonly Agent[], suggest: Suggest): AgentLookup {
  const byExternalId = new Map(agents.map((agent) => [agent.externalAgentId, agent]));
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const byName = groupBy(agents, nameOf);

  const find = (written: string): AgentResult => {
    const exact = byExternalId.get(written) ?? byId.get(written.toLowerCase());
    if (exact !== undefined) return { agent: exact };
    const named = byName.get(written.normalize('NFC').trim()) ?? [];
    const [only] = named;
    if (only !== undefined && named.length === 1) return { agent: only };
    return only === undefined ? unknownAgent(written) : ambiguousAgent(written, named);
  };
  const unknownAgent = (written: string): AgentResult => {
    const closest = suggest(written, [...byExternalId.keys(), ...byName.keys()]);
    const hint = closest === null ? '' : `Did you mean "${closest}"? `;
    return {
      code: 'unknown-agent',
      message: `no agent "${written}" is assigned to this account`,
      help: `${hint}Refer to the agent by its externalAgentId, its id or its name.`,
    };
  };
  return { find, byId: (id) => byId.get(id.toLowerCase()), suggest };
}

function ambiguousAgent(written: string, named: readonly Agent[]): AgentResult {
  const ids = namedIds(named.map((agent) => agent.externalAgentId));
  return {
    code: 'ambiguous-agent',
    message: `${named.length} agents are named "${written}"`,
    help: `Use one of their externalAgentIds: ${ids}.`,
  };
}

function nameOf(agent: Agent): string {
  return agent.name.normalize('NFC').trim();
}
