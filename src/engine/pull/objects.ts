import { kinds } from '../../kinds/index.js';
import { exists } from '../../model/kind.js';
import { type Address, type KindName, type Observed, objectKey } from '../../model/resource.js';
import type { PullObject } from '../../pull/import-entries.js';
import type { Wording } from '../../pull/write-back.js';
import { agentLookup } from '../../reconcile/references.js';
import type { Observation } from '../observe.js';

/** What exists, with what declares it. */
export function objectsOf({ state, comparison }: Observation): ReadonlyMap<KindName, readonly PullObject[]> {
  const known = new Map<Observed, Pick<PullObject, 'declared' | 'owned'>>();
  for (const { address, entry, observed, ours } of comparison.matches)
    if (observed !== null)
      known.set(observed, { declared: entry === null ? null : address, owned: entry === null && ours });
  for (const [address, observed] of comparison.externals)
    known.set(observed, { declared: address, owned: false });
  return new Map(
    kinds.map((kind) => {
      const objects = (state.objects.get(kind.name) ?? []).filter((each) => exists(kind, each));
      return [
        kind.name,
        objects.map((observed) => ({
          observed,
          ...(known.get(observed) ?? { declared: null, owned: true }),
        })),
      ];
    }),
  );
}

/** Agents by their externalAgentId, where that names this agent and no other; objects by their address. */
export function wordingOf({ state, comparison }: Observation): Wording {
  const lookup = agentLookup(state.agents, () => null);
  const find = (text: string) => {
    const result = lookup.find(text);
    return 'agent' in result ? result.agent.id : undefined;
  };
  const addresses = new Map<string, Address>();
  for (const { address, kind, entry, observed } of comparison.matches)
    if (entry !== null && observed !== null) addresses.set(objectKey(kind.name, observed.id), address);
  for (const [address, { kind, id }] of comparison.externals) addresses.set(objectKey(kind, id), address);
  return {
    agentId: find,
    names: {
      agent(id) {
        const external = lookup.byId(id)?.externalAgentId ?? '';
        return external.trim() !== '' && find(external) === id ? external : id;
      },
      object: (kind, id) => addresses.get(objectKey(kind, id)) ?? `${kind}/${id}`,
    },
  };
}
