import type { Call } from '../../model/request.js';
import {
  asRecord,
  field,
  idText,
  type NumberedPage,
  optionalId,
  optionalText,
  parseCounts,
  parseNumberedPage,
  unexpected,
} from './record.js';
import { get, segment } from './requests.js';
import { parseSchedule, type RemoteSchedule } from './schedules.js';

/** Schedules by page, their upcoming runs, and run-now (interface §4, Schedules). Their methods are not shown. */

/** `status`: one or several of Waiting, Running, Disabled. `q`: the target's name. */
export interface ScheduleFilter {
  readonly q?: string;
  readonly status?: readonly ('Waiting' | 'Running' | 'Disabled')[];
}

/** The totals are of all schedules of the caller, whatever the filter. */
export interface SchedulePage extends NumberedPage<RemoteSchedule> {
  readonly totalSchedules: number | null;
  readonly enabledCount: number | null;
  readonly waitingCount: number | null;
  readonly runningCount: number | null;
  readonly nextRunTime: string | null;
}

/** A run that a schedule will start. Null where the answer, whose shape is not shown, lacks it. */
export interface UpcomingRun {
  readonly scheduleId: string | null;
  readonly runTime: string;
}

/** What run-now started: exactly one of the ids is set. */
export interface StartedSchedule {
  readonly jobId: string | null;
  readonly groupRunId: string | null;
  readonly pipelineRunId: string | null;
}

const path = '/api/schedules';
const totals = ['totalSchedules', 'enabledCount', 'waitingCount', 'runningCount'] as const;

export function schedulePage(
  { q, status }: ScheduleFilter = {},
  page = 1,
  pageSize = 25,
): Call<SchedulePage> {
  const request = get(`${path}/page`, { q, status: status?.join(','), page, pageSize });
  const parse = (data: unknown): SchedulePage => ({
    ...parseNumberedPage(data, parseSchedule),
    ...parseCounts(data, totals),
    nextRunTime: optionalText(asRecord(data, 'a page'), 'nextRunTime'),
  });
  return { request, parse };
}

/** Each run in a range of at most 120 days; by default the next 42 (§8). `from` and `to` are instants. */
export function upcomingRuns(
  range: { readonly from?: string; readonly to?: string; readonly agentId?: string } = {},
): Call<readonly UpcomingRun[]> {
  return { request: get(`${path}/upcoming`, { ...range }), parse: parseUpcoming };
}

const timeNames = ['runTime', 'runAt', 'scheduledTime', 'nextRunTime', 'startTime', 'time'];

function parseUpcoming(data: unknown): readonly UpcomingRun[] {
  const list = Array.isArray(data) ? data : field(asRecord(data, 'a list of runs'), 'items');
  if (!Array.isArray(list)) throw unexpected('a list of runs', data);
  return list.map((item) => {
    const record = asRecord(item, 'a run');
    const runTime = timeNames.map((name) => optionalText(record, name)).find((time) => time !== null);
    if (runTime == null) throw unexpected('a run with its time', undefined);
    return { scheduleId: optionalId(record, 'scheduleId') ?? optionalId(record, 'id'), runTime };
  });
}

/** Starts the target at once, and leaves the timetable alone. The inputs are for this run only. */
export function runSchedule(id: string, inputParameters?: string): Call<StartedSchedule> {
  const body = inputParameters === undefined ? {} : { body: { inputParameters } };
  const request = { method: 'POST', path: `${path}/${segment(id)}/run`, ...body, effect: 'create' } as const;
  return { request: { ...request, otherMethods: ['PUT', 'PATCH'] }, parse: parseStarted };
}

function parseStarted(data: unknown): StartedSchedule {
  const record = asRecord(data, 'an object with what was started');
  const id = (name: string) => (field(record, name) == null ? null : idText(field(record, name), name));
  const started = {
    jobId: id('agentJobId'),
    groupRunId: id('groupRunId'),
    pipelineRunId: id('pipelineRunId'),
  };
  if (Object.values(started).every((each) => each === null))
    throw unexpected('agentJobId, groupRunId or pipelineRunId', undefined);
  return started;
}
