import type { Diagnostic } from '../../model/diagnostic.js';
import { instantText } from '../../model/instant-text.js';
import { byCodeUnit } from '../../model/json.js';
import type { BusyMinute } from '../../model/start-rate.js';
import type { Timetable } from '../../model/timetable.js';
import type { Matches } from '../match.js';
import { countable, isTimed, type StartContext, type StartLoad, startLoads } from '../starts.js';

/** How many days are checked (contract §4). */
const DAYS_AHEAD = 42;
/** Addresses that a message lists for one minute. */
const MOST_ADDRESSES = 5;
/** Minutes that the warning lists, busiest first. */
const MOST_MINUTES = 5;

/**
 * Warns of minutes in which the declared entries, selected or not, would start more agents than the project's limit. One
 * warning for all of these minutes lists the busiest ones and what starts in them.
 */
export function startRateWarnings(inputs: StartContext, matches: Matches): Diagnostic[] {
  return inputs.kinds.filter(isTimed).flatMap((kind) => {
    const entries = countable(kind, matches);
    if (entries.length === 0) return [];
    return warn(kind.timetable, startLoads(kind, entries, inputs, matches), inputs);
  });
}

function warn(
  timetable: Timetable<unknown>,
  loads: readonly StartLoad[],
  { project, now }: StartContext,
): Diagnostic[] {
  const limit = project.limits.startsPerMinute;
  const span = { from: now, until: new Date(now.getTime() + DAYS_AHEAD * 86_400_000) };
  const { total, busiest } = timetable.busyMinutes(loads, span, limit, MOST_MINUTES);
  // Sorting is stable: equal minutes stay in order of time.
  const [most, ...others] = busiest.toSorted((a, b) => b.starts - a.starts);
  return most === undefined ? [] : startRateWarning(most, others, total - 1, limit);
}

type Minute = BusyMinute<StartLoad>;

function startRateWarning(
  busiest: Minute,
  others: readonly Minute[],
  count: number,
  limit: number,
): Diagnostic[] {
  const by = mostFirst(busiest);
  const [first] = by;
  if (first === undefined) return [];
  const message =
    `${busiest.starts} agents would start in the minute at ${timeOf(busiest)}, ` +
    `more than the ${limit} that limits.startsPerMinute allows${countOthers(count)}`;
  const further = others.length === 0 ? '' : ` The next busiest are ${listOthers(others, by)}.`;
  const help = `They are started by ${loadLabels(by)}. Spread the times, or raise \`limits.startsPerMinute\`.${further}`;
  return [{ severity: 'warning', code: 'start-rate', message, place: first.load.entry.source, help }];
}

function mostFirst({ by }: Minute): Minute['by'] {
  return by.toSorted((a, b) => b.starts - a.starts || byCodeUnit(a.load.entry.address, b.load.entry.address));
}

function timeOf({ minute }: Minute): string {
  return instantText(minute.toISOString());
}

function countOthers(others: number): string {
  if (others === 0) return '';
  const more = others === 1 ? '1 more minute' : `${others} more minutes`;
  return `; ${more} in the next ${DAYS_AHEAD} days ${others === 1 ? 'exceeds' : 'exceed'} the limit`;
}

/** Usually the same entries start in each of these minutes. */
function listOthers(others: readonly Minute[], before: Minute['by']): string {
  const known = loadLabels(before);
  return others
    .map((each) => {
      const labels = loadLabels(mostFirst(each));
      return `${timeOf(each)} with ${labels === known ? 'the same schedules' : labels}`;
    })
    .join('; ');
}

function loadLabels(most: Minute['by']): string {
  const named = most.slice(0, MOST_ADDRESSES).map(({ load, starts }) => `${load.entry.address} (${starts})`);
  const rest = most.length - named.length;
  return `${named.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
}
