import { randomUUID } from 'node:crypto';
import { isOwn, targetName } from '../access.js';
import { type Answer, badRequest, type Call, type Core, notFound, type Route } from '../api.js';
import { bodyFields, type Fields, optionalInputs, requiredFlag } from '../body.js';
import { plainNumber } from '../digits.js';
import { groupRunStatus, jobStatus } from '../engine/phase.js';
import { startTarget } from '../engine/schedule-starts.js';
import { isoTime, queryInstant } from '../instants.js';
import { pageByNumber } from '../paging.js';
import { STATUS_NAMES } from '../runs/jobs.js';
import { refusedAs } from '../runs/runs.js';
import {
  byId,
  NEVER_STARTED,
  put,
  remove as removeRecord,
  type ScheduleRecord,
  type World,
} from '../world.js';
import { readSettings } from './settings.js';
import { describeTiming, fireTimes, nextFire } from './timetable.js';

/** The three ways to list schedules: all, by page, and as upcoming runs (interface.md §4, Schedules). */
const scheduleListRoutes: readonly Route[] = [
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

/** Schedules (interface.md §4). The engine starts them when they are due (engine/engine.ts). */
export const scheduleRoutes: readonly Route[] = [
  ...scheduleListRoutes,
  { method: 'POST', path: '/api/schedules', scoped: false, handle: create },
  { method: 'POST', path: '/api/schedules/preview', scoped: false, handle: preview },
  { method: 'POST', path: '/api/schedules/bulk/enabled', scoped: false, handle: enableMany },
  { method: 'POST', path: '/api/schedules/bulk/delete', scoped: false, handle: removeMany },
  { method: 'PUT', path: '/api/schedules/:id', scoped: false, handle: replace },
  { method: 'DELETE', path: '/api/schedules/:id', scoped: false, handle: remove },
  { method: 'POST', path: '/api/schedules/:id/enabled', scoped: false, handle: enable },
  { method: 'POST', path: '/api/schedules/:id/run', scoped: false, handle: runNow },
];

const PREVIEW_COUNT = 10;

function create(core: Core, call: Call): Answer {
  const record: ScheduleRecord = {
    id: randomUUID(),
    owner: call.caller.user,
    ...NEVER_STARTED,
    ...readSettings(core.world, bodyFields(call.body), call.caller.user),
  };
  return saved(core, record, 'created');
}

/** PUT takes the create body and replaces the schedule: omitted fields get their defaults (§4). */
function replace(core: Core, call: Call): Answer {
  const record = find(core, call);
  Object.assign(record, readSettings(core.world, bodyFields(call.body), call.caller.user));
  return saved(core, record, 'updated');
}

function enable(core: Core, call: Call): Answer {
  const record = find(core, call);
  record.isEnabled = requiredFlag(bodyFields(call.body), 'isEnabled');
  return saved(core, record, 'updated');
}

function remove(core: Core, call: Call): Answer {
  removeRecord(core.world, 'schedules', find(core, call).id);
  return { message: 'The schedule was deleted.', data: null };
}

function preview(core: Core, call: Call): Answer {
  const settings = readSettings(core.world, bodyFields(call.body), call.caller.user);
  const runs = fireTimes(settings, core.clock(), PREVIEW_COUNT).map((time) => time.toISOString());
  return { data: runs };
}

/** Ids that do not exist are skipped, not an error (§4). */
function enableMany(core: Core, call: Call): Answer {
  const body = bodyFields(call.body);
  const isEnabled = requiredFlag(body, 'isEnabled');
  return bulk(core, call, (record) => {
    record.isEnabled = isEnabled;
    put(core.world, 'schedules', record);
  });
}

function removeMany(core: Core, call: Call): Answer {
  return bulk(core, call, (record) => removeRecord(core.world, 'schedules', record.id));
}

function bulk(core: Core, call: Call, effect: (record: ScheduleRecord) => void): Answer {
  const ids = readIds(bodyFields(call.body));
  const found = ids.flatMap((id) => ownSchedule(core, call, id) ?? []);
  found.forEach(effect);
  const data = { affected: found.length, skipped: ids.length - found.length };
  return { message: `${found.length} schedule(s) changed.`, data };
}

function readIds(body: Fields): string[] {
  const ids = body.ids;
  const isId = (id: unknown): boolean => typeof id === 'string' || typeof plainNumber(id) === 'number';
  if (!Array.isArray(ids) || !ids.every(isId)) throw badRequest("The field 'ids' must be an array of ids.");
  return [...new Set(ids.map((id) => String(id).toLowerCase()))];
}

/** Starts the target at once without changing the timetable; inputs are for that run only (§4). */
function runNow(core: Core, call: Call): Answer {
  const record = find(core, call);
  const inputs = optionalInputs(bodyFields(call.body)) ?? record.inputParameters;
  const at = core.clock().getTime();
  const data = refusedAs(undefined, () => startTarget(core.engine, record, inputs, at));
  return { message: 'The schedule was started.', data };
}

function saved(core: Core, record: ScheduleRecord, what: 'created' | 'updated'): Answer {
  put(core.world, 'schedules', record);
  return { message: `The schedule was ${what}.`, data: showSchedule(core, record) };
}

function find(core: Core, call: Call): ScheduleRecord {
  const record = ownSchedule(core, call, call.params.id ?? '');
  if (!record) throw notFound('The schedule');
  return record;
}

function ownSchedule({ world }: Core, { caller }: Call, id: string): ScheduleRecord | undefined {
  const record = byId(world.schedules, id);
  return record && isOwn(record, caller.user) ? record : undefined;
}

type ScheduleStatus = 'Waiting' | 'Running' | 'Disabled';

/** `Running` while it starts a run (§2). */
function statusOf(schedule: ScheduleRecord, now: number): ScheduleStatus {
  if (!schedule.isEnabled) return 'Disabled';
  const isStarting = schedule.startingUntil !== undefined && now < schedule.startingUntil;
  return schedule.isRunning || isStarting ? 'Running' : 'Waiting';
}

/** In UTC; null if the schedule is disabled or does not fire again. */
function nextRunTime(schedule: ScheduleRecord, now: number): string | null {
  return schedule.isEnabled ? isoTime(nextFire(schedule, now) ?? null) : null;
}

/** As a response shows it (interface.md §2). A rest pattern for each of thousands of schedules would take most of the time. */
function showSchedule({ world, clock }: Core, schedule: ScheduleRecord): Fields {
  const { lastJobId } = schedule;
  const now = clock().getTime();
  const lastJobStatusName = lastJobId === null ? null : lastStatus(world, lastJobId, now);
  return {
    targetType: schedule.targetType,
    targetId: schedule.targetId,
    scheduleType: schedule.scheduleType,
    intervalValue: schedule.intervalValue,
    intervalUnit: schedule.intervalUnit,
    cronExpression: schedule.cronExpression,
    startTime: schedule.startTime,
    timeZoneId: schedule.timeZoneId,
    inputParameters: schedule.inputParameters,
    isEnabled: schedule.isEnabled,
    id: schedule.id,
    status: statusOf(schedule, now),
    description: describeTiming(schedule),
    nextRunTime: nextRunTime(schedule, now),
    lastRunTime: schedule.lastRunTime,
    lastJobStatusName: lastJobStatusName ?? schedule.lastJobStatusName,
    lastJobId,
    errorMessage: schedule.errorMessage,
  };
}

/** The status of the job, group run or pipeline run that it last started; null if that is forgotten. */
function lastStatus(world: World, id: string, now: number): string | null {
  const job = world.jobs.get(id);
  if (job) return STATUS_NAMES[jobStatus(world, job, now)];
  const groupRun = world.groupRuns.get(id);
  if (groupRun) return GROUP_STATUS_NAMES[groupRunStatus(world, groupRun, now)];
  const status = world.pipelineRuns.get(id)?.status;
  return status === undefined ? null : PIPELINE_STATUS_NAMES[status];
}

const GROUP_STATUS_NAMES = {
  ontrack: 'In progress',
  completed: 'Succeeded',
  atrisk: 'Failure',
  behind: 'Failed',
} as const;
const PIPELINE_STATUS_NAMES = { Running: 'In progress', Completed: 'Succeeded', Failed: 'Failed' } as const;
