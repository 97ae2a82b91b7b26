import { hasEnded } from '../../model/hold.js';
import type { Desired } from '../../model/resource.js';
import type { Match } from '../match/match.js';

/**
 * A match whose hold the plan respects: while it lasts, the entry wants the object paused. What ignores the property
 * leaves it to somebody else, who may start it again; but when a hold ends, what it paused is started.
 */
export function withHold(match: Match, now: Date): Match {
  const { entry, known, kind, observed } = match;
  const hold = known?.hold;
  if (hold === undefined || kind.pausing === undefined) return match;
  const ended = hasEnded(hold, now);
  const kept = ended ? { endedHold: hold } : { hold };
  if (entry === null) return { ...match, ...kept };
  const state = { ...kept, unheld: entry };
  const { field } = kind.pausing;
  const ignores = observed !== null && entry.ignore?.includes(field) === true;
  if (ignores && ended) return { ...match, ...state, ...startedAgain(match, entry, field) };
  if (ignores || ended) return { ...match, ...state };
  return { ...match, ...state, entry: { ...entry, spec: kind.pausing.with(entry.spec, true) } };
}

function startedAgain({ kind, ignoredDifferences }: Match, entry: Desired, field: string): Partial<Match> {
  const spec = kind.pausing?.with(entry.spec, false);
  const others = (paths: readonly string[] = []) => paths.filter((path) => path !== field);
  return {
    entry: { ...entry, spec, ignore: others(entry.ignore) },
    ignoredDifferences: others(ignoredDifferences),
  };
}
