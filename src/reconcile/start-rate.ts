import type { Diagnostic } from '../model/diagnostic.js';
import { byCodeUnit } from '../model/json.js';
import type { Kind, TargetRef, Timetable } from '../model/kind.js';
import { type Desired, isPending, type Project } from '../model/resource.js';
import type { BusyMinute } from '../model/start-rate.js';
import type { Matches } from './match.js';

/** How far it looks ahead (contract §4). */
const daysAhead = 42;
/** Of those that start agents in one minute. */
const mostNamed = 5;

export interface StartRateInputs {
  readonly kinds: readonly Kind[];
  readonly project: Project;
  readonly now: Date;
}

/** A declared entry that starts agents at times of its own. */
interface Starter {
  readonly entry: Desired;
  readonly spec: unknown;
  /** How many, each time. */
  readonly starts: number;
}

/**
 * Warns of minutes in which all that is declared, selected or not, would start more agents than the project's limit:
 * one warning for all of them, which shows the busiest.
 */
export function startRateWarnings(inputs: StartRateInputs, matches: Matches): Diagnostic[] {
  return inputs.kinds.flatMap((kind) => {
    const { timetable } = kind;
    if (timetable === null) return [];
    // A warning tells when they run and how much they start, which must not be of values from the environment: an
    // entry with such a value is not counted at all, for its part would show in the sum.
    const told = [...timetable.fields, ...kind.identityFields];
    const entries = matches.list
      .flatMap((match) => (match.kind === kind && match.entry !== null ? match.entry : []))
      .filter(({ sensitive }) => !told.some((field) => sensitive.includes(field)));
    return entries.length === 0 ? [] : warn(timetable, startersOf(kind, entries, inputs, matches), inputs);
  });
}

function startersOf(
  kind: Kind,
  entries: readonly Desired[],
  { kinds, now }: StartRateInputs,
  matches: Matches,
): Starter[] {
  const startsOf = targetStarts(kinds, matches);
  return entries
    .filter(({ spec }) => kind.settled(spec, now) === null)
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

function warn(
  timetable: Timetable<unknown>,
  starters: readonly Starter[],
  { project, now }: StartRateInputs,
): Diagnostic[] {
  const limit = project.limits.startsPerMinute;
  const span = { from: now, until: new Date(now.getTime() + daysAhead * 86_400_000) };
  const { total, busiest } = timetable.busyMinutes(starters, span, limit, 1);
  return busiest.flatMap((minute) => startRate(minute, total - 1, limit));
}

function startRate({ minute, starts, by }: BusyMinute<Starter>, others: number, limit: number): Diagnostic[] {
  const most = by.toSorted(
    (a, b) => b.starts - a.starts || byCodeUnit(a.starter.entry.address, b.starter.entry.address),
  );
  const [first] = most;
  if (first === undefined) return [];
  const time = minute.toISOString().slice(0, 16).replace('T', ' ');
  const message =
    `${starts} agents would start in the minute of ${time} UTC, ` +
    `more than the ${limit} that limits.startsPerMinute allows${othersInWords(others)}`;
  const help = `They are started by ${startersInWords(most)}: spread the times, or raise \`limits.startsPerMinute\`.`;
  return [{ severity: 'warning', code: 'start-rate', message, place: first.starter.entry.source, help }];
}

function othersInWords(others: number): string {
  if (others === 0) return '';
  const more = others === 1 ? '1 more minute' : `${others} more minutes`;
  return `; ${more} in the next ${daysAhead} days ${others === 1 ? 'is' : 'are'} over it`;
}

function startersInWords(most: BusyMinute<Starter>['by']): string {
  const named = most.slice(0, mostNamed).map(({ starter, starts }) => `${starter.entry.address} (${starts})`);
  const rest = most.length - named.length;
  return `${named.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
}
