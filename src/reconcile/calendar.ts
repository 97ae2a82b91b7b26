import type { Calendar, CalendarComparison, CalendarMinute, CalendarSide } from '../model/calendar.js';
import { type Holds, holdText } from '../model/hold.js';
import { emptyInventory } from '../model/inventory.js';
import { byCodeUnit } from '../model/json.js';
import type { Action, Plan } from '../model/plan.js';
import type { Address, Agent } from '../model/resource.js';
import type { BusyMinute, TimeSpan } from '../model/start-rate.js';
import type { SpecLoad, Timetable } from '../model/timetable.js';
import { type Match, type Matches, match } from './match.js';
import type { AgentLookup } from './references.js';
import {
  countable,
  isManaged,
  isTimed,
  type Startable,
  type StartContext,
  type StartLoad,
  sidesOf,
  startedAgents,
  startLoads,
  type TimedKind,
} from './starts.js';

export interface CalendarInputs extends StartContext {
  readonly span: TimeSpan;
  readonly timeZone: string;
  readonly timeZoneData: string;
  /** What is on hold starts nothing until its hold ends. */
  readonly holds?: Holds | undefined;
}

const MOST_MINUTES = 5;

/** What starts when, from the manifests only: agents are counted as written, and the service is not asked. */
export function calendarOf(inputs: CalendarInputs): Calendar {
  const { kinds, project, span, timeZone, timeZoneData } = inputs;
  const kind = kinds.find(isTimed);
  if (kind === undefined) throw new Error('no kind has a timetable');
  const matches = match({
    kinds,
    entries: project.entries,
    objects: new Map(),
    inventory: emptyInventory(project.name, project.environment),
    agents: asWritten,
    prune: 'never',
    otherAccount: false,
    kept: new Map(),
  });
  const { timetable } = kind;
  const loads = withoutHeld(startLoads(kind, countable(kind, matches), inputs, matches), inputs);
  const limit = project.limits.startsPerMinute;
  const { total: minutesOverLimit } = timetable.busyMinutes(loads, span, limit, 0);
  const { busiest } = timetable.busyMinutes(loads, span, 0, MOST_MINUTES);
  const days = timetable.startsPerHour(loads, span, timeZone);
  const counted = new Set(loads.map((each) => each.entry.address));
  return {
    project: project.name,
    environment: project.environment,
    timeZone,
    timeZoneData,
    from: span.from,
    until: span.until,
    limit,
    days,
    schedules: counted.size,
    starts: days.flatMap((day) => day.hours).reduce((sum, each) => sum + each, 0),
    busiest: busiest.map((each) => calendarMinute(each, timeZone, timetable)),
    minutesOverLimit,
    uncounted: uncountedOf(kind, inputs, counted, matches),
  };
}

/** What is held is counted from the end of its hold on. */
function withoutHeld(loads: readonly StartLoad[], { holds = {}, span }: CalendarInputs): StartLoad[] {
  return loads.flatMap((load) => {
    const hold = holds[load.entry.address];
    if (hold === undefined) return load;
    const from = hold.until === null ? span.until : new Date(hold.until);
    return from >= span.until ? [] : { ...load, from };
  });
}

/** Assumes that every agent exists under the name that the manifest uses. */
const asWritten: AgentLookup = {
  find: (written) => ({ agent: agentOf(written) }),
  byId: agentOf,
  suggest: () => null,
};

function agentOf(written: string): Agent {
  return { id: written, externalAgentId: written, name: written, inputKeys: [] };
}

function calendarMinute(
  { minute, starts, by }: BusyMinute<StartLoad>,
  timeZone: string,
  timetable: Timetable<unknown>,
): CalendarMinute {
  const most = by
    .map(({ load, starts: part }) => ({ address: load.entry.address, starts: part }))
    .sort((a, b) => b.starts - a.starts || byCodeUnit(a.address, b.address));
  return { minute, wallClock: timetable.wallClock(minute.toISOString(), timeZone), starts, by: most };
}

function uncountedOf(
  kind: TimedKind,
  { project, holds = {} }: CalendarInputs,
  counted: ReadonlySet<string>,
  matches: Matches,
): Calendar['uncounted'] {
  const unknown = new Set(
    matches.list
      .filter((each) => each.kind === kind && kind.timetable.frequency(each.entry?.spec) === null)
      .map((each) => each.address),
  );
  return project.entries
    .filter((entry) => entry.kind === kind.name && !counted.has(entry.address))
    .map((entry) => {
      const external = kind.references
        ?.inEntry(entry.declared)
        .find((address) => project.entries.some((each) => each.external && each.address === address));
      const hold = holds[entry.address];
      const reason =
        hold !== undefined
          ? holdText(hold)
          : external !== undefined
            ? `only the service knows the agents of ${external}`
            : unknown.has(entry.address)
              ? 'its times cannot be computed here'
              : 'it will not run again';
      return { address: entry.address, reason };
    });
}

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
