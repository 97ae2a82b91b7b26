import type { DiagnosticCode } from '../model/diagnostic.js';
import type { Agent } from '../model/resource.js';

type Found =
  | { readonly agent: Agent }
  | { readonly code: DiagnosticCode; readonly message: string; readonly help: string };

/** Finds agents by what manifests call them: externalAgentId, else id, else a name that only one agent has (contract §2). */
export interface AgentLookup {
  find(written: string): Found;
  byId(id: string): Agent | undefined;
  nearest(word: string, known: readonly string[]): string | null;
}

export function agentLookup(
  agents: readonly Agent[],
  nearest: (word: string, known: readonly string[]) => string | null,
): AgentLookup {
  const byExternalId = new Map(agents.map((agent) => [agent.externalAgentId, agent]));
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const byName = groupByName(agents);

  const find = (written: string): Found => {
    const exact = byExternalId.get(written) ?? byId.get(written.toLowerCase());
    if (exact !== undefined) return { agent: exact };
    const named = byName.get(written.normalize('NFC').trim()) ?? [];
    const [only] = named;
    if (only !== undefined && named.length === 1) return { agent: only };
    return only === undefined ? unknownAgent(written) : ambiguousAgent(written, named);
  };
  const unknownAgent = (written: string): Found => {
    const near = nearest(written, [...byExternalId.keys(), ...byName.keys()]);
    const hint = near === null ? '' : `Did you mean "${near}"? `;
    return {
      code: 'unknown-agent',
      message: `no agent "${written}" is assigned to this account`,
      help: `${hint}An agent is named by its externalAgentId, its id, or its name.`,
    };
  };
  return { find, byId: (id) => byId.get(id.toLowerCase()), nearest };
}

function ambiguousAgent(written: string, named: readonly Agent[]): Found {
  const ids = named.map((agent) => agent.externalAgentId).join(', ');
  return {
    code: 'ambiguous-agent',
    message: `${named.length} agents are named "${written}"`,
    help: `Use one of their externalAgentIds: ${ids}.`,
  };
}

function nameOf(agent: Agent): string {
  return agent.name.normalize('NFC').trim();
}

function groupByName(agents: readonly Agent[]): Map<string, Agent[]> {
  const groups = new Map<string, Agent[]>();
  for (const agent of agents) {
    const group = groups.get(nameOf(agent));
    if (group === undefined) groups.set(nameOf(agent), [agent]);
    else group.push(agent);
  }
  return groups;
}
