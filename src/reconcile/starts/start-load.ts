import { isExpired, type Kind } from '../../model/kind.js';
import type { Desired, Project } from '../../model/resource.js';
import type { SpecLoad, Timetable } from '../../model/timetable.js';
import type { Matches } from '../match/match.js';
import { startedAgents } from './started-agents.js';

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

/** At a moment, with every entry as declared. What nobody knows the agents of is left out. */
export function startLoads(
  kind: TimedKind,
  entries: readonly Desired[],
  { kinds, now }: StartContext,
  matches: Matches,
): StartLoad[] {
  const startedBy = startedAgents(
    { ...matches, kinds },
    { specOf: ({ entry }) => entry?.spec, count: (runs, spec) => runs.startsAtOnce(spec) },
  );
  return entries
    .filter(({ declared }) => !isExpired(kind, declared, now))
    .map((entry) => ({ entry, spec: entry.spec, starts: kind.timetable.starts(entry.spec, startedBy) }))
    .filter(({ starts }) => !Number.isNaN(starts));
}
