import type { Calendar, CalendarMinute } from '../model/calendar.js';
import { byCodeUnit } from '../model/json.js';
import type { Kind, Timetable } from '../model/kind.js';
import type { Agent, Project } from '../model/resource.js';
import type { BusyMinute, TimeSpan } from '../model/start-rate.js';
import type { AgentLookup } from './agent-lookup.js';
import { match } from './match.js';
import { countable, type StartLoad, startLoads } from './start-load.js';

export interface CalendarInputs {
  readonly kinds: readonly Kind[];
  readonly project: Project;
  readonly now: Date;
  readonly span: TimeSpan;
  readonly timeZone: string;
}

/** Minutes that are named. */
const shown = 5;

/** What starts when, from the manifests alone: agents are counted as they are written, nothing is asked of the service. */
export function calendarOf(inputs: CalendarInputs): Calendar {
  const { kinds, project, span, timeZone } = inputs;
  const kind = kinds.find((each) => each.timetable !== null);
  if (kind?.timetable == null) throw new Error('no kind has a timetable');
  const matches = match({
    kinds,
    entries: project.entries,
    objects: new Map(),
    inventory: {
      project: project.name,
      environment: project.environment,
      entries: new Map(),
      drafts: new Map(),
    },
    agents: asWritten,
    prune: 'never',
  });
  const starters = startLoads(kind, countable(kind, matches), inputs, matches);
  const { total: minutesOverLimit } = kind.timetable.busyMinutes(
    starters,
    span,
    project.limits.startsPerMinute,
    0,
  );
  const { busiest } = kind.timetable.busyMinutes(starters, span, 0, shown);
  const days = kind.timetable.startsPerHour(starters, span, timeZone);
  const counted = new Set(starters.map((each) => each.entry.address));
  return {
    project: project.name,
    environment: project.environment,
    timeZone,
    from: span.from,
    until: span.until,
    limit: project.limits.startsPerMinute,
    days,
    schedules: counted.size,
    starts: days.flatMap((day) => day.hours).reduce((sum, each) => sum + each, 0),
    busiest: busiest.map((each) => named(each, timeZone, kind.timetable)),
    minutesOverLimit,
    uncounted: uncountedOf(kind, inputs, counted),
  };
}

/** Every agent is taken to be there, by the name that it is written with. */
const asWritten: AgentLookup = {
  find: (written) => ({ agent: agentOf(written) }),
  byId: agentOf,
  nearest: () => null,
};

function agentOf(written: string): Agent {
  return { id: written, externalAgentId: written, name: written, inputKeys: [] };
}

function named(
  { minute, starts, by }: BusyMinute<StartLoad>,
  timeZone: string,
  timetable: Timetable<unknown> | null,
): CalendarMinute {
  const most = by
    .map(({ starter, starts: part }) => ({ address: starter.entry.address, starts: part }))
    .sort((a, b) => b.starts - a.starts || byCodeUnit(a.address, b.address));
  return { minute, wallClock: timetable?.wallClock(minute.toISOString(), timeZone) ?? '', starts, by: most };
}

function uncountedOf(
  kind: Kind,
  { project }: CalendarInputs,
  counted: ReadonlySet<string>,
): Calendar['uncounted'] {
  return project.entries
    .filter((entry) => entry.kind === kind.name && !counted.has(entry.address))
    .map((entry) => {
      const isSecret = entry.sensitive.length > 0;
      const external = kind
        .refersTo(entry.declared)
        .find(({ address }) => project.entries.some((each) => each.external && each.address === address));
      if (external !== undefined)
        return {
          address: entry.address,
          reason: `the agents of ${external.address} are known to the service alone`,
        };
      return {
        address: entry.address,
        reason: isSecret ? 'it depends on values from the environment' : 'it will not run again',
      };
    });
}
