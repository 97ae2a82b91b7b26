import type { Diagnostic } from '../model/diagnostic.js';
import { byCodeUnit } from '../model/json.js';
import type { Kind, Timetable } from '../model/kind.js';
import type { Project } from '../model/resource.js';
import type { BusyMinute } from '../model/start-rate.js';
import type { Matches } from './match.js';
import { countable, type Starter, startersOf } from './starters.js';

/** How far it looks ahead (contract §4). */
const daysAhead = 42;
/** Of those that start agents in one minute. */
const mostNamed = 5;

export interface StartRateInputs {
  readonly kinds: readonly Kind[];
  readonly project: Project;
  readonly now: Date;
}

/**
 * Warns of minutes in which all that is declared, selected or not, would start more agents than the project's limit:
 * one warning for all of them, which shows the busiest.
 */
export function startRateWarnings(inputs: StartRateInputs, matches: Matches): Diagnostic[] {
  return inputs.kinds.flatMap((kind) => {
    const { timetable } = kind;
    if (timetable === null) return [];
    const entries = countable(kind, matches);
    return entries.length === 0 ? [] : warn(timetable, startersOf(kind, entries, inputs, matches), inputs);
  });
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
