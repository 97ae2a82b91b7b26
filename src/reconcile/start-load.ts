import type { Kind, TargetRef } from '../model/kind.js';
import { type Desired, isPending } from '../model/resource.js';
import type { Matches } from './match.js';

/** A declared entry that starts agents at times of its own. */
export interface StartLoad {
  readonly entry: Desired;
  readonly spec: unknown;
  /** How many, each time. */
  readonly starts: number;
}

/**
 * The entries of a kind that may be counted. When they run and how much they start is told, which must not be of
 * values from the environment: an entry with such a value is not among them, for its part would show in a sum.
 */
export function countable(kind: Kind, matches: Pick<Matches, 'list'>): Desired[] {
  const told = [...(kind.timetable?.fields ?? []), ...kind.identityFields];
  return matches.list
    .flatMap((match) => (match.kind === kind && match.entry !== null ? match.entry : []))
    .filter(({ sensitive }) => !told.some((field) => sensitive.includes(field)));
}

export function startLoads(
  kind: Kind,
  entries: readonly Desired[],
  { kinds, now }: { readonly kinds: readonly Kind[]; readonly now: Date },
  matches: Matches,
): StartLoad[] {
  const startsOf = targetStarts(kinds, matches);
  return entries
    .filter(({ declared }) => kind.expired(declared, now) === null)
    .map((entry) => ({ entry, spec: entry.spec, starts: kind.starts(entry.spec, startsOf) }));
}

/** How many agents a run of a target starts: as it is declared, or as it is there if it is somebody else's. */
function targetStarts(kinds: readonly Kind[], { list, externals }: Matches): (target: TargetRef) => number {
  const found = new Map<string, { readonly kind: Kind; readonly spec: unknown }>();
  for (const { address, kind, entry, observed } of list) {
    const key = observed?.id == null ? address : keyOf(kind.name, observed.id);
    if (entry !== null) found.set(key, { kind, spec: entry.spec });
  }
  for (const { kind: name, id, spec } of externals.values()) {
    const kind = kinds.find((each) => each.name === name);
    if (kind !== undefined && id !== null && spec !== null) found.set(keyOf(name, id), { kind, spec });
  }
  const startsOf = ({ kind, id }: TargetRef): number => {
    const target = found.get(isPending(id) ? id.pending : keyOf(kind, id));
    // An external one that the service shows in part is not counted.
    return target === undefined ? 0 : target.kind.starts(target.spec, startsOf);
  };
  return startsOf;
}

function keyOf(kind: string, id: string): string {
  return `${kind} ${id}`;
}
