import { type Address, type KindName, type Names, objectKey } from '../model/resource.js';
import type { AgentLookup } from './match/agent-lookup.js';
import type { Match } from './match/match.js';

/** Replaces ids by names: an agent's externalAgentId, an object's address, or its name and id. */
export function namesOf(
  matches: readonly Match[],
  externals: ReadonlyMap<Address, { id: string | null }>,
  agents: AgentLookup,
): Names {
  const addresses = new Map<string, Address>();
  const descriptions = new Map<string, string>();
  for (const { kind, address, observed, ours } of matches) {
    if (observed === null || observed.id === null) continue;
    const key = objectKey(kind.name, observed.id);
    if (ours) addresses.set(key, address);
    else descriptions.set(key, `${kind.name} "${observed.name ?? ''}" (${observed.id})`);
  }
  for (const [address, observed] of externals) {
    addresses.set(objectKey(address.slice(0, address.indexOf('/')), observed.id), address);
  }
  return {
    agent: (id) => agents.byId(id)?.externalAgentId ?? id,
    object: (kind: KindName, id) =>
      addresses.get(objectKey(kind, id)) ?? descriptions.get(objectKey(kind, id)) ?? `${kind}/${id}`,
  };
}
