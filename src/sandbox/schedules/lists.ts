import { isOwn, targetName } from '../access.js';
import { type Answer, badRequest, type Call, type Core, type Route } from '../api.js';
import type { Fields } from '../body.js';
import { isoTime, queryInstant } from '../instants.js';
import { pageByNumber } from '../paging.js';
import type { ScheduleRecord } from '../world.js';
import { nextFire } from './next-fire.js';
import { fireTimes } from './timetable.js';
import { type ScheduleStatus, showSchedule, statusOf } from './view.js';

/** The three ways to list schedules: all, by page, and as upcoming runs (interface.md §4, Schedules). */
export const scheduleListRoutes: readonly Route[] = [
  { method: 'GET', path: '/api/schedules', scoped: false, handle: listAll },
  { method: 'GET', path: '/api/schedules/page', scoped: false, handle: listPage },
  { method: 'GET', path: '/api/schedules/upcoming', scoped: false, handle: listUpcoming },
];

const TARGET_FILTERS = { agentId: 'Agent', groupId: 'Group', pipelineId: 'Pipeline' } as const;
const STATUSES: readonly ScheduleStatus[] = ['Waiting', 'Running', 'Disabled'];
const DAY_MS = 86_400_000;
const DEFAULT_RANGE_DAYS = 42;
const MAX_RANGE_DAYS = 120;
/** An every-second cron fires ten million times in 120 days: such a range is refused rather than cut. */
const MAX_UPCOMING = 50_000;

/** All schedules of the caller; `agentId`, `groupId` or `pipelineId` selects those of that target. */
function listAll(core: Core, call: Call): Answer {
  const all = filterByTarget(ownSchedules(core, call), call.query);
  return { data: all.map((schedule) => showSchedule(core, schedule)) };
}

function ownSchedules({ world }: Core, { caller }: Call): ScheduleRecord[] {
  return [...world.schedules.values()].filter((schedule) => isOwn(schedule, caller.user));
}

function filterByTarget(all: ScheduleRecord[], query: URLSearchParams): ScheduleRecord[] {
  return Object.entries(TARGET_FILTERS).reduce((left, [name, type]) => {
    const id = query.get(name)?.toLowerCase();
    if (!id) return left;
    return left.filter((one) => one.targetType === type && one.targetId.toLowerCase() === id);
  }, all);
}

function listPage(core: Core, call: Call): Answer {
  const { query } = call;
  const all = ownSchedules(core, call);
  const text = (query.get('q') ?? '').toLowerCase();
  const statuses = statusFilter(query);
  const now = core.clock().getTime();
  const matching = all.filter(
    (schedule) => statuses.includes(statusOf(schedule, now)) && isNamed(core, call, schedule, text),
  );
  const { items, total } = pageByNumber(matching, query);
  const shown = items.map((schedule) => showSchedule(core, schedule));
  return { data: { items: shown, total, ...totals(all, now) } };
}

/** Comma-separated; ignores unknown words, like `state` of the job list. */
function statusFilter(query: URLSearchParams): readonly ScheduleStatus[] {
  const words = (query.get('status') ?? '').split(',').map((word) => word.trim().toLowerCase());
  const known = STATUSES.filter((status) => words.includes(status.toLowerCase()));
  return known.length > 0 ? known : STATUSES;
}

/** Whether the name of its target contains a text. */
function isNamed(core: Core, { caller }: Call, schedule: ScheduleRecord, text: string): boolean {
  return text === '' || (targetName(core.world, schedule, caller.user) ?? '').toLowerCase().includes(text);
}

/** Totals of all schedules of the caller, regardless of the filter. */
function totals(all: readonly ScheduleRecord[], now: number): Fields {
  const counts = { Waiting: 0, Running: 0, Disabled: 0 };
  let next = Number.POSITIVE_INFINITY;
  for (const schedule of all) {
    counts[statusOf(schedule, now)] += 1;
    if (schedule.isEnabled) next = Math.min(next, nextFire(schedule, now) ?? next);
  }
  return {
    totalSchedules: all.length,
    enabledCount: all.length - counts.Disabled,
    waitingCount: counts.Waiting,
    runningCount: counts.Running,
    nextRunTime: isoTime(next === Number.POSITIVE_INFINITY ? null : next),
  };
}

function listUpcoming(core: Core, call: Call): Answer {
  const { query } = call;
  const { from, to } = rangeOf(core, query);
  const agentId = query.get('agentId') ?? '';
  const all = filterByTarget(ownSchedules(core, call), new URLSearchParams({ agentId }));
  const runs: { readonly runTime: string }[] = [];
  for (const schedule of all.filter(({ isEnabled }) => isEnabled)) {
    for (const run of runsOf(schedule, { from, to }, MAX_UPCOMING - runs.length + 1)) runs.push(run);
    if (runs.length > MAX_UPCOMING)
      throw badRequest(`The range has more than ${MAX_UPCOMING} runs. Use a shorter one.`);
  }
  return { data: runs.sort((a, b) => (a.runTime < b.runTime ? -1 : a.runTime > b.runTime ? 1 : 0)) };
}

interface Range {
  readonly from: Date;
  readonly to: Date;
}

function runsOf(schedule: ScheduleRecord, { from, to }: Range, count: number): { runTime: string }[] {
  const { targetType, targetId } = schedule;
  const about = { scheduleId: schedule.id, targetType, targetId };
  // The range includes `from`, but fireTimes excludes its start.
  const times = fireTimes(schedule, new Date(from.getTime() - 1), count, to);
  return times.map((time) => ({ ...about, runTime: time.toISOString() }));
}

/** By default the next 42 days; at most 120 days (§8). */
function rangeOf(core: Core, query: URLSearchParams): Range {
  const from = new Date(queryInstant(query, 'from') ?? core.clock());
  const to = new Date(queryInstant(query, 'to') ?? from.getTime() + DEFAULT_RANGE_DAYS * DAY_MS);
  if (to < from) throw badRequest("The query value 'to' must not be before 'from'.");
  if (to.getTime() - from.getTime() > MAX_RANGE_DAYS * DAY_MS) {
    throw badRequest(`The range is at most ${MAX_RANGE_DAYS} days.`);
  }
  return { from, to };
}
