import type { JsonObject } from '../../model/json.js';
import { type Call, type ListCall, Unexpected } from '../../model/request.js';
import {
  firstOf,
  integer,
  listOf,
  named,
  object,
  optional,
  type Read,
  type Shape,
  text,
} from '../../model/shape.js';
import { parseJob } from './jobs.js';
import { idText, optionalId, pageFields, runMetrics } from './record.js';
import { action, type DownloadCall, file, get, segment } from './requests.js';

/** What a start of a group returns. It does not say how many members started (interface §4). */
export type StartedGroupRun = Read<typeof parseStarted>;

const parseStarted = object(
  {
    id: named(idText, 'groupRunId'),
    groupId: optionalId,
    memberCount: optional(integer),
  },
  'an object with the group run',
);

/** A member that never started (§2, Group run). The names of its fields are not shown: what is missing is null. */
export type NotStarted = Read<typeof notStartedObject>;

const notStartedObject = object(
  {
    agentId: firstOf(optionalId, 'scraperAgentId', 'agentId'),
    agentName: firstOf(optional(text), 'agentName', 'name', 'externalAgentId'),
    reason: firstOf(optional(text), 'reason', 'errorMessage', 'message', 'error'),
  },
  'notStarted to hold objects',
);

const parseNotStarted: Shape<NotStarted> = (item) =>
  typeof item === 'string' ? { agentId: null, agentName: null, reason: item } : notStartedObject(item);

/** A group run (§2). It has no state of its own: it is over when each member has a finished job or did not start. */
export type GroupRun = Read<typeof parseGroupRun>;

const parseGroupRun = object({
  memberCount: optional(integer),
  startedCount: optional(integer),
  failedCount: optional(integer),
  jobs: listOf(parseJob),
  notStarted: listOf(parseNotStarted),
});

/** An entry of the list of group runs, whose fields are not shown: what is missing is null. */
export type GroupRunEntry = Read<typeof parseEntry>;

const parseEntry = object({
  id: named(idText, 'groupRunId', 'id'),
  groupId: optionalId,
  groupName: firstOf(optional(text), 'groupName', 'name'),
  status: optional(text),
  startedAt: optional(text),
  memberCount: optional(integer),
  failedCount: optional(integer),
  /** The run itself, where the list shows its jobs. */
  run: { of: listedRun },
});

/** Null where the list shows less of a job than the jobs of a run have. */
function listedRun(entry: JsonObject): GroupRun | null {
  if (!Array.isArray(entry['jobs'])) return null;
  try {
    return parseGroupRun(entry);
  } catch (failure) {
    if (failure instanceof Unexpected) return null;
    throw failure;
  }
}

const parsePage = object({ ...pageFields(parseEntry), metrics: runMetrics }, 'a page');

/** Filters of the list of group runs (§4, and §3 for `status`). */
export interface GroupRunFilter {
  readonly groupId?: string | undefined;
  readonly status?: 'ontrack' | 'completed' | 'atrisk' | 'behind' | undefined;
  readonly q?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const base = '/api/search-groups';
const pathOf = (groupRunId: string) => `${base}/runs/${segment(groupRunId)}`;

/** Starts every member with the same inputs (§4). */
export function runGroup(groupId: string, inputParameters = '{}'): Call<StartedGroupRun> {
  const path = `${base}/${segment(groupId)}/run`;
  return {
    request: { method: 'POST', path, body: { inputParameters }, effect: 'create' },
    parse: parseStarted,
  };
}

export function getGroupRun(groupRunId: string): Call<GroupRun> {
  return { request: get(pathOf(groupRunId)), parse: parseGroupRun };
}

/** Every group run of the caller that the filter selects, newest first. */
export function listGroupRuns(filter: GroupRunFilter = {}): ListCall<GroupRunEntry> {
  return { request: get(`${base}/runs`, { ...filter }), noun: 'group run', parse: parseEntry };
}

/** One page of that list, with the metrics of all group runs of the caller. */
export function groupRunPage(
  filter: GroupRunFilter = {},
  page = 1,
  pageSize = 25,
): Call<Read<typeof parsePage>> {
  return { request: get(`${base}/runs`, { ...filter, page, pageSize }), parse: parsePage };
}

/** One zip with a file for each member; results are not merged (§4). */
export function exportGroupRun(groupRunId: string): DownloadCall {
  return file(get(`/api/scraper-agents/group-runs/${segment(groupRunId)}/export`));
}

/** Deletes a group run with its jobs and run history, permanently (§4). */
export function deleteGroupRun(groupRunId: string): Call<null> {
  return action({ method: 'DELETE', path: pathOf(groupRunId), effect: 'repeatable' });
}

/** Starts a member that never started, under the same group run (§3). By the agent's GUID. Its method is not shown. */
export function retryMember(groupRunId: string, agentId: string): Call<null> {
  const path = `${pathOf(groupRunId)}/members/${segment(agentId)}/retry`;
  return action({ method: 'POST', path, otherMethods: ['PUT', 'PATCH'], effect: 'create' });
}
