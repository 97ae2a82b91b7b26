import { type Kind, referencesOf } from '../model/kind.js';
import type { Link } from '../model/plan.js';
import {
  type Address,
  type Declared,
  isPending,
  type KindName,
  type Names,
  objectKey,
} from '../model/resource.js';
import type { Match, Matched } from './world.js';

/** Replaces ids by names: an agent's externalAgentId, an object's address, or its name and id. */
export function namesOf({ matches, externals, basis: { agents } }: Matched): Names {
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

/** What the entries of these kinds refer to in the manifests. */
export function linksOf(entries: readonly Declared[], kinds: readonly Kind[]): Link[] {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  return entries.flatMap(({ address, kind, declared }) => {
    const links = byName.get(kind)?.links?.(declared);
    if (links === undefined) return [];
    const { to, ordered } = links;
    return to.map((each, index) => ({ from: address, to: each, stage: ordered ? index + 1 : null }));
  });
}

/** What objects that will be deleted refer to on the service, except agents. */
export function linksOfDeleted(matches: readonly Match[], names: Names): Link[] {
  return matches.flatMap(({ address, kind, entry, observed }) => {
    if (entry !== null || observed?.spec == null) return [];
    return referencesOf(kind, observed.spec).flatMap((reference) =>
      isPending(reference.id)
        ? []
        : [{ from: address, to: names.object(reference.kind, reference.id), stage: null }],
    );
  });
}

/** What an object is or, if nothing declares it, was. */
export function inBrief({ kind, entry, observed }: Match, names: Names): string | undefined {
  const spec = entry?.spec ?? observed?.spec ?? null;
  return spec === null ? undefined : kind.brief?.(spec, names);
}
