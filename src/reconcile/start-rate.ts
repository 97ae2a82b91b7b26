import type { Diagnostic } from '../model/diagnostic.js';
import { byCodeUnit } from '../model/json.js';
import type { Kind, Timetable } from '../model/kind.js';
import type { Project } from '../model/resource.js';
import type { BusyMinute } from '../model/start-rate.js';
import type { Matches } from './match.js';
import { countable, type StartLoad, startLoads } from './start-load.js';

/** How far it looks ahead (contract §4). */
const daysAhead = 42;
/** Of those that start agents in one minute. */
const mostNamed = 5;
/** Minutes that are told of, the busiest ones. */
const shownMinutes = 5;

export interface StartRateInputs {
  readonly kinds: readonly Kind[];
  readonly project: Project;
  readonly now: Date;
}

/**
 * Warns of minutes in which all that is declared, selected or not, would start more agents than the project's limit:
 * one warning for all of them, which shows the busiest, and who starts then.
 */
export function startRateWarnings(inputs: StartRateInputs, matches: Matches): Diagnostic[] {
  return inputs.kinds.flatMap((kind) => {
    const { timetable } = kind;
    if (timetable === null) return [];
    const entries = countable(kind, matches);
    return entries.length === 0 ? [] : warn(timetable, startLoads(kind, entries, inputs, matches), inputs);
  });
}

function warn(
  timetable: Timetable<unknown>,
  starters: readonly StartLoad[],
  { project, now }: StartRateInputs,
): Diagnostic[] {
  const limit = project.limits.startsPerMinute;
  const span = { from: now, until: new Date(now.getTime() + daysAhead * 86_400_000) };
  const { total, busiest } = timetable.busyMinutes(starters, span, limit, shownMinutes);
  // Sorting keeps the order of time among equals.
  const [most, ...others] = busiest.toSorted((a, b) => b.starts - a.starts);
  return most === undefined ? [] : startRate(most, others, total - 1, limit);
}

type Minute = BusyMinute<StartLoad>;

function startRate(busiest: Minute, others: readonly Minute[], count: number, limit: number): Diagnostic[] {
  const by = mostFirst(busiest);
  const [first] = by;
  if (first === undefined) return [];
  const message =
    `${busiest.starts} agents would start in the minute of ${timeOf(busiest)}, ` +
    `more than the ${limit} that limits.startsPerMinute allows${othersInWords(count)}`;
  const spread = 'spread the times, or raise `limits.startsPerMinute`';
  const further = others.length === 0 ? '' : ` After it the busiest are ${furtherInWords(others, by)}.`;
  const help = `They are started by ${loadLabels(by)}: ${spread}.${further}`;
  return [{ severity: 'warning', code: 'start-rate', message, place: first.starter.entry.source, help }];
}

function mostFirst({ by }: Minute): Minute['by'] {
  return by.toSorted(
    (a, b) => b.starts - a.starts || byCodeUnit(a.starter.entry.address, b.starter.entry.address),
  );
}

function timeOf({ minute }: Minute): string {
  return `${minute.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function othersInWords(others: number): string {
  if (others === 0) return '';
  const more = others === 1 ? '1 more minute' : `${others} more minutes`;
  return `; ${more} in the next ${daysAhead} days ${others === 1 ? 'is' : 'are'} over it`;
}

/** Mostly they are the same ones, day after day. */
function furtherInWords(others: readonly Minute[], before: Minute['by']): string {
  const known = loadLabels(before);
  return others
    .map((each) => {
      const starters = loadLabels(mostFirst(each));
      return `${timeOf(each)} with ${starters === known ? 'the same' : starters}`;
    })
    .join('; ');
}

function loadLabels(most: Minute['by']): string {
  const named = most.slice(0, mostNamed).map(({ starter, starts }) => `${starter.entry.address} (${starts})`);
  const rest = most.length - named.length;
  return `${named.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
}
