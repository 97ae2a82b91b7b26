import type { Place } from '../../model/diagnostic.js';
import { type Finding, refusal, risk } from '../../model/finding.js';
import { byCodeUnit } from '../../model/json.js';
import type { Address, Desired, Limits } from '../../model/resource.js';
import {
  type BusyMinute,
  type CloseStarts,
  intervalText,
  numberText,
  readIntervalLimit,
  type Timetable,
} from '../../model/schedule.js';
import { instantText } from '../../model/words.js';
import {
  changedAddresses,
  countable,
  isTimed,
  type StartLoad,
  startLoads,
  type TimedKind,
  targetAddresses,
} from '../starts.js';
import type { ResourceDiff, Rule, World } from '../world.js';

/** How often agents start: `limits.startsPerWeek`, `limits.shortestInterval` and `limits.startsPerMinute` (contract §4). */
export const frequency: Rule = {
  name: 'frequency',
  examine: (world) => [
    ...tooManyRuns(world),
    ...world.diffs.flatMap((each) => closeStarts(each, world)),
    ...startRate(world),
  ],
};

/** A plan that starts fewer agents than before is a way back under the limit, so it passes. */
function tooManyRuns({ basis: { project }, starts: { startsPerWeek, isMore } }: World): Finding[] {
  const { before, after } = startsPerWeek;
  const limit = project.limits.runsPerWeek;
  if (limit === 'none' || after <= limit || !isMore) return [];
  const message = `${numberText(after)} agents would start in an average week (${numberText(before)} before), more than the ${numberText(limit)} that limits.startsPerWeek allows`;
  const help =
    'Start fewer agents, or less often. If all of these starts are intended, raise `limits.startsPerWeek` in roster.yaml.';
  return [refusal('too-many-runs', null, message, help)];
}

/** A new or changed entry whose starts are closer together than the limit. */
function closeStarts({ match, change }: ResourceDiff, { basis: { project, now } }: World): Finding[] {
  const { entry, kind } = match;
  const { timetable } = kind;
  if (timetable === undefined || entry === null || !['create', 'update'].includes(change.action)) return [];
  const { limits } = project;
  const limit = readIntervalLimit(limits.shortestInterval);
  const found = limit === null ? 'none' : timetable.closeStarts(entry.spec, limit, now);
  // For an update, the kind says that it may run more often.
  if (found === null || timetable.frequency(entry.spec) === null)
    return change.action === 'create' ? unchecked(entry.address, limits) : [];
  if (found === 'none') return [];
  const fact = `starts again after ${gapText(found, timetable, entry.spec)} (limits.shortestInterval is ${limits.shortestInterval})`;
  const help = 'Make it run less often. If every start is intended, lower `limits.shortestInterval`.';
  return [
    risk(entry.address, { code: 'too-frequent', message: fact }),
    {
      severity: 'warning',
      code: 'too-frequent',
      message: `${entry.address} ${fact}`,
      place: entry.source,
      help,
      address: entry.address,
    },
  ];
}

/** Unknown times are neither within nor above the limits. */
function unchecked(address: Address, { shortestInterval, runsPerWeek }: Limits): Finding[] {
  const limits = [
    ...(shortestInterval === 'none' ? [] : ['limits.shortestInterval']),
    ...(runsPerWeek === 'none' ? [] : ['limits.startsPerWeek']),
  ];
  if (limits.length === 0) return [];
  const message = `its times cannot be computed here, so ${limits.join(' and ')} cannot be checked`;
  return [risk(address, { code: 'too-frequent', message })];
}

/** `5 seconds, for example at 2026-12-01 06:00:00 and 06:00:05 UTC`. */
function gapText(
  { seconds, example, clockChange }: CloseStarts,
  timetable: Timetable<unknown>,
  spec: unknown,
): string {
  const gap = `${intervalText(seconds)}${clockChange ? ' when the clocks change' : ''}`;
  if (example === null) return gap;
  const zone = timetable.timeZone(spec);
  const [first = [], second = []] = example.map((time) =>
    timetable.wallClock(time.toISOString(), zone).split('T'),
  );
  const then = first[0] === second[0] ? second.slice(1) : second;
  return `${gap}, for example at ${first.join(' ')} and ${then.join(' ')} ${zone}`;
}

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
function startRate(world: World): Finding[] {
  const { kinds, project } = world.basis;
  return kinds.filter(isTimed).flatMap((kind) => {
    const { total, minutes } = busyMinutes(kind, world);
    const [most, ...others] = minutes;
    const entries = minutes.flatMap((each) => mostFirst(each).map(({ load }) => load.entry));
    const place = placeOfChange(entries, kind, world) ?? entries[0]?.source;
    if (most === undefined || place === undefined) return [];
    const message =
      `${numberText(most.starts)} agents would start in the minute at ${timeOf(most)}, ` +
      `more than the ${numberText(project.limits.startsPerMinute)} that limits.startsPerMinute allows${countOthers(total - 1)}`;
    const by = mostFirst(most);
    const further = others.length === 0 ? '' : ` The next busiest are ${listOthers(others, by)}.`;
    const help = `They are started by ${loadLabels(by)}. Spread the times, or raise \`limits.startsPerMinute\`.${further}`;
    return [{ severity: 'warning', code: 'start-rate', message, place, help }];
  });
}

type Minute = BusyMinute<StartLoad>;

/** The busiest first, and how many there are in all. */
function busyMinutes(
  kind: TimedKind,
  world: World,
): { readonly total: number; readonly minutes: readonly Minute[] } {
  const { project, now } = world.basis;
  const entries = countable(kind, world.matches);
  if (entries.length === 0) return { total: 0, minutes: [] };
  const limit = project.limits.startsPerMinute;
  const span = { from: now, until: new Date(now.getTime() + DAYS_AHEAD * 86_400_000) };
  const loads = startLoads(kind, entries, world);
  const { total, busiest } = kind.timetable.busyMinutes(loads, span, limit, MOST_MINUTES);
  // Sorting is stable: equal minutes stay in order of time.
  return { total, minutes: busiest.toSorted((a, b) => b.starts - a.starts) };
}

/** The first entry that the plan changes, or whose target it changes. Null where it changes none. */
function placeOfChange(entries: readonly Desired[], kind: TimedKind, world: World): Place | null {
  const changed = changedAddresses(world);
  if (entries.length === 0 || changed.size === 0) return null;
  const own = entries.find(({ address }) => changed.has(address));
  if (own !== undefined) return own.source;
  const targetOf = targetAddresses(world);
  const targets = new Set(entries.map(({ spec }) => targetOf(kind, spec)));
  const found = world.matches.find(({ address }) => targets.has(address) && changed.has(address));
  return found?.entry?.source ?? null;
}

function mostFirst({ by }: Minute): Minute['by'] {
  return by.toSorted((a, b) => b.starts - a.starts || byCodeUnit(a.load.entry.address, b.load.entry.address));
}

function timeOf({ minute }: Minute): string {
  return instantText(minute.toISOString());
}

function countOthers(others: number): string {
  if (others === 0) return '';
  const more = others === 1 ? '1 more minute' : `${numberText(others)} more minutes`;
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
  const named = most
    .slice(0, MOST_ADDRESSES)
    .map(({ load, starts }) => `${load.entry.address} (${numberText(starts)})`);
  const rest = most.length - named.length;
  return `${named.join(', ')}${rest === 0 ? '' : ` and ${numberText(rest)} more`}`;
}
