import type { Link } from '../model/graph.js';
import type { Kind } from '../model/kind.js';
import { type Declared, isPending, type Names } from '../model/resource.js';
import type { Match } from './match.js';

/** What entries of these kinds point to, as the manifests say it. What came from the environment is left out. */
export function linksOf(entries: readonly Declared[], kinds: readonly Kind[]): Link[] {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  return entries.flatMap(({ address, kind, declared, sensitive }) => {
    const { field, to, ordered } = byName.get(kind)?.links(declared) ?? nothing;
    if (sensitive.includes(field)) return [];
    return to.map((each, index) => ({ from: address, to: each, stage: ordered ? index + 1 : null }));
  });
}

/** What objects that go point to, of what the service says; agents are not among it. */
export function linksOfGone(matches: readonly Match[], names: Names): Link[] {
  return matches.flatMap(({ address, kind, entry, observed, known }) => {
    // A value that came from the environment may have named the target.
    if (entry !== null || observed?.spec == null || (known?.sensitive.length ?? 0) > 0) return [];
    return kind.targets(observed.spec).flatMap(({ kind: target, id }) => {
      if (isPending(id)) return [];
      return [{ from: address, to: names.object(target, id), stage: null }];
    });
  });
}

const nothing = { field: '', to: [], ordered: false } as const;
