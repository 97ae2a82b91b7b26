import { isExpired, type Kind } from '../../model/kind.js';
import { type Desired, isPending, type ObjectRef, objectKey, type Project } from '../../model/resource.js';
import type { SpecLoad, Timetable } from '../../model/timetable.js';
import type { Matches } from '../match/match.js';

/** A declared entry that starts agents at certain times. */
export interface StartLoad extends SpecLoad<unknown> {
  readonly entry: Desired;
}

export interface TimedKind extends Kind {
  readonly timetable: Timetable<unknown>;
}

export function isTimed(kind: Kind): kind is TimedKind {
  return kind.timetable !== undefined;
}

/** The entries of a kind that are counted: all but those whose times cannot be computed here. */
export function countable(kind: TimedKind, matches: Pick<Matches, 'list'>): Desired[] {
  return matches.list
    .flatMap((match) => (match.kind === kind && match.entry !== null ? match.entry : []))
    .filter(({ spec }) => kind.timetable.frequency(spec) !== null);
}

export interface StartContext {
  readonly kinds: readonly Kind[];
  readonly project: Project;
  readonly now: Date;
}

export function startLoads(
  kind: TimedKind,
  entries: readonly Desired[],
  { kinds, now }: StartContext,
  matches: Matches,
): StartLoad[] {
  const startedBy = startsAtOnce(kinds, matches);
  return entries
    .filter(({ declared }) => !isExpired(kind, declared, now))
    .map((entry) => ({ entry, spec: entry.spec, starts: kind.timetable.starts(entry.spec, startedBy) }));
}

/** How many agents a run of an object starts: as declared, or as observed if the object is external. */
function startsAtOnce(
  kinds: readonly Kind[],
  { list, externals }: Matches,
): (reference: ObjectRef) => number {
  const found = new Map<string, { readonly kind: Kind; readonly spec: unknown }>();
  for (const { address, kind, entry, observed } of list) {
    const key = observed?.id == null ? address : objectKey(kind.name, observed.id);
    if (entry !== null) found.set(key, { kind, spec: entry.spec });
  }
  for (const { kind: name, id, spec } of externals.values()) {
    const kind = kinds.find((each) => each.name === name);
    if (kind !== undefined && id !== null && spec !== null) found.set(objectKey(name, id), { kind, spec });
  }
  return ({ kind, id }) => {
    const object = found.get(isPending(id) ? id.pending : objectKey(kind, id));
    // An external object of which the service does not show everything is not counted.
    return object?.kind.runs?.startsAtOnce(object.spec) ?? 0;
  };
}
