import type { JsonObject } from '../../model/json.js';
import type { Call } from '../../model/request.js';
import {
  firstOf,
  named,
  object,
  optional,
  type Read,
  type Shape,
  text,
  unexpected,
  wholeNumber,
} from '../../model/shape.js';
import { asRecord, idText, optionalId, pageFields } from './record.js';
import { get, segment } from './requests.js';
import { parseSchedule } from './schedules.js';

/** Schedules by page, their upcoming runs, and run-now (interface §4, Schedules). Their methods are not shown. */

/** `status`: one or several of Waiting, Running, Disabled. `q`: the target's name. */
export interface ScheduleFilter {
  readonly q?: string;
  readonly status?: readonly ('Waiting' | 'Running' | 'Disabled')[];
}

/** The totals are of all schedules of the caller, whatever the filter. */
export type SchedulePage = Read<typeof parsePage>;

const parsePage = object(
  {
    ...pageFields(parseSchedule),
    totalSchedules: wholeNumber,
    enabledCount: wholeNumber,
    waitingCount: wholeNumber,
    runningCount: wholeNumber,
    nextRunTime: optional(text),
  },
  'a page',
);

/** A run that a schedule will start. Null where the answer, whose shape is not shown, lacks it. */
export type UpcomingRun = Read<typeof parseUpcomingRun>;

const firstTime = firstOf(
  optional(text),
  'runTime',
  'runAt',
  'scheduledTime',
  'nextRunTime',
  'startTime',
  'time',
);

const parseUpcomingRun = object(
  {
    scheduleId: firstOf(optionalId, 'scheduleId', 'id'),
    runTime: { of: runTimeOf },
  },
  'a run',
);

function runTimeOf(run: JsonObject): string {
  const time = firstTime.of(run);
  if (time === null) throw unexpected('a run with its time', undefined);
  return time;
}

/** The list itself, or an object with it. */
const parseUpcoming: Shape<readonly UpcomingRun[]> = (data) => {
  const runs = Array.isArray(data) ? data : asRecord(data, 'a list of runs')['items'];
  if (!Array.isArray(runs)) throw unexpected('a list of runs', data);
  return runs.map((run) => parseUpcomingRun(run));
};

/** What run-now started: exactly one of the ids is set. */
export type StartedSchedule = Read<typeof startedIds>;

const startedIds = object(
  {
    jobId: named(optional(idText), 'agentJobId'),
    groupRunId: optional(idText),
    pipelineRunId: optional(idText),
  },
  'an object with what was started',
);

const parseStarted: Shape<StartedSchedule> = (data) => {
  const started = startedIds(data);
  if (Object.values(started).every((each) => each === null))
    throw unexpected('agentJobId, groupRunId or pipelineRunId', undefined);
  return started;
};

const path = '/api/schedules';

export function schedulePage(
  { q, status }: ScheduleFilter = {},
  page = 1,
  pageSize = 25,
): Call<SchedulePage> {
  const request = get(`${path}/page`, { q, status: status?.join(','), page, pageSize });
  return { request, parse: parsePage };
}

/** Each run in a range of at most 120 days; by default the next 42 (§8). `from` and `to` are instants. */
export function upcomingRuns(
  range: { readonly from?: string; readonly to?: string; readonly agentId?: string } = {},
): Call<readonly UpcomingRun[]> {
  return { request: get(`${path}/upcoming`, { ...range }), parse: parseUpcoming };
}

/** Starts the target at once, and leaves the timetable alone. The inputs are for this run only. */
export function runSchedule(id: string, inputParameters?: string): Call<StartedSchedule> {
  const body = inputParameters === undefined ? {} : { body: { inputParameters } };
  const request = { method: 'POST', path: `${path}/${segment(id)}/run`, ...body, effect: 'create' } as const;
  return { request: { ...request, otherMethods: ['PUT', 'PATCH'] }, parse: parseStarted };
}
