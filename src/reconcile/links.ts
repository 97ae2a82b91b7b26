import type { Link } from '../model/graph.js';
import { type Kind, referencesOf } from '../model/kind.js';
import { type Declared, isPending, type Names } from '../model/resource.js';
import type { Match } from './match/match.js';

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
