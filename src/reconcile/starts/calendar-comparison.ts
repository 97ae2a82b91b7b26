import type { CalendarComparison, CalendarSide } from '../../model/calendar.js';
import type { Action, Plan } from '../../model/plan.js';
import type { Address } from '../../model/resource.js';
import type { TimeSpan } from '../../model/start-rate.js';
import type { SpecLoad } from '../../model/timetable.js';
import type { Match } from '../match/match.js';
import { isTimed, type TimedKind } from './start-load.js';
import { type Startable, startedAgents } from './started-agents.js';
import { isManaged, sidesOf } from './starts-per-week.js';

/** The rest of the first day, and each day of the week in full. */
const FULL_DAYS = 7;
const DAY_MS = 86_400_000;
const TIME_ZONE = 'UTC';

type Side = 'before' | 'after';

/** When the schedules of a project start agents, before and after a plan. Counts like `roster calendar`, but what exists. */
export function compareCalendars(
  state: Startable,
  { changes }: Pick<Plan, 'changes'>,
  { limit, now }: { readonly limit: number; readonly now: Date },
): CalendarComparison {
  const kind = state.kinds.find(isTimed);
  if (kind === undefined) throw new Error('no kind has a timetable');
  const span = { from: now, until: new Date((Math.floor(now.getTime() / DAY_MS) + 1 + FULL_DAYS) * DAY_MS) };
  const actions = new Map(changes.map(({ address, action }) => [address, action]));
  const calendarOn = (side: Side) =>
    calendarSide(kind, loadsOf(kind, { state, actions, side, now }), span, limit);
  return {
    timeZone: TIME_ZONE,
    from: span.from.toISOString(),
    until: span.until.toISOString(),
    limit,
    before: calendarOn('before'),
    after: calendarOn('after'),
  };
}

interface SideOfPlan {
  readonly state: Startable;
  readonly actions: ReadonlyMap<Address, Action>;
  readonly side: Side;
  readonly now: Date;
}

interface Loads {
  readonly loads: readonly SpecLoad<unknown>[];
  readonly uncounted: number;
}

function loadsOf({ name, timetable }: TimedKind, { state, actions, side, now }: SideOfPlan): Loads {
  const specOf = (match: Match) => sidesOf(match, actions.get(match.address))[side];
  const startedBy = startedAgents(state, { specOf, count: (runs, spec) => runs.startsAtOnce(spec) });
  const specs = state.list
    .filter((match) => match.kind.name === name && isManaged(match, actions.get(match.address)))
    .map(specOf)
    .filter((spec) => spec !== null);
  const loads = specs
    .filter((spec) => spec !== undefined && isCountable(timetable, spec, now))
    .map((spec) => ({ spec, starts: timetable.starts(spec, startedBy) }))
    .filter(({ starts }) => !Number.isNaN(starts));
  return { loads, uncounted: specs.length - loads.length };
}

/** Counting throws for what cannot be understood, such as a time zone of the service that nobody here knows. */
function isCountable(timetable: TimedKind['timetable'], spec: unknown, now: Date): boolean {
  return timetable.frequency(spec) !== null && timetable.nextRuns(spec, now, 1) !== null;
}

function calendarSide(
  { timetable }: TimedKind,
  { loads, uncounted }: Loads,
  span: TimeSpan,
  limit: number,
): CalendarSide {
  const days = timetable.startsPerHour(loads, span, TIME_ZONE);
  return {
    days,
    starts: days.flatMap((day) => day.hours).reduce((sum, each) => sum + each, 0),
    minutesOverLimit: timetable.busyMinutes(loads, span, limit, 0).total,
    uncounted,
  };
}
