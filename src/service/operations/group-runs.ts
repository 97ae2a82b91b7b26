import { type Call, type ListCall, Unexpected } from '../../model/request.js';
import { type Job, parseJob } from './jobs.js';
import {
  asRecord,
  field,
  idText,
  listIn,
  type NumberedPage,
  optionalCount,
  optionalId,
  optionalText,
  parseMetrics,
  parseNumberedPage,
  type RemoteRecord,
  type RunMetrics,
} from './record.js';
import { action, type DownloadCall, file, get, segment } from './requests.js';

/** What a start of a group returns. It does not say how many members started (interface §4). */
export interface StartedGroupRun {
  readonly id: string;
  readonly groupId: string | null;
  readonly memberCount: number | null;
}

/** A member that never started (§2, Group run). The names of its fields are not shown: what is missing is null. */
export interface NotStarted {
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly reason: string | null;
}

/** A group run (§2). It has no state of its own: it is over when each member has a finished job or did not start. */
export interface GroupRun {
  readonly memberCount: number | null;
  readonly startedCount: number | null;
  readonly failedCount: number | null;
  readonly jobs: readonly Job[];
  readonly notStarted: readonly NotStarted[];
}

/** An entry of the list of group runs, whose fields are not shown: what is missing is null. */
export interface GroupRunEntry {
  readonly id: string;
  readonly groupId: string | null;
  readonly groupName: string | null;
  readonly status: string | null;
  readonly startedAt: string | null;
  readonly memberCount: number | null;
  readonly failedCount: number | null;
  /** The run itself, where the list shows its jobs. */
  readonly run: GroupRun | null;
}

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

function parseStarted(data: unknown): StartedGroupRun {
  const record = asRecord(data, 'an object with the group run');
  return {
    id: idText(field(record, 'groupRunId'), 'groupRunId'),
    groupId: optionalId(record, 'groupId'),
    memberCount: optionalCount(record, 'memberCount'),
  };
}

export function getGroupRun(groupRunId: string): Call<GroupRun> {
  return { request: get(pathOf(groupRunId)), parse: parseGroupRun };
}

function parseGroupRun(data: unknown): GroupRun {
  const record = asRecord(data, 'an object');
  return {
    memberCount: optionalCount(record, 'memberCount'),
    startedCount: optionalCount(record, 'startedCount'),
    failedCount: optionalCount(record, 'failedCount'),
    jobs: listIn(record, 'jobs').map(parseJob),
    notStarted: listIn(record, 'notStarted').map(parseNotStarted),
  };
}

function parseNotStarted(item: unknown): NotStarted {
  if (typeof item === 'string') return { agentId: null, agentName: null, reason: item };
  const record = asRecord(item, 'notStarted to hold objects');
  return {
    agentId: optionalId(record, 'scraperAgentId') ?? optionalId(record, 'agentId'),
    agentName: firstText(record, ['agentName', 'name', 'externalAgentId']),
    reason: firstText(record, ['reason', 'errorMessage', 'message', 'error']),
  };
}

function firstText(record: RemoteRecord, names: readonly string[]): string | null {
  return names.map((name) => optionalText(record, name)).find((value) => value !== null) ?? null;
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
): Call<NumberedPage<GroupRunEntry> & { readonly metrics: RunMetrics }> {
  return {
    request: get(`${base}/runs`, { ...filter, page, pageSize }),
    parse: (data) => ({ ...parseNumberedPage(data, parseEntry), metrics: parseMetrics(data) }),
  };
}

function parseEntry(item: unknown): GroupRunEntry {
  const record = asRecord(item, 'an object');
  return {
    id: idText(field(record, 'groupRunId') ?? field(record, 'id'), 'groupRunId'),
    groupId: optionalId(record, 'groupId'),
    groupName: firstText(record, ['groupName', 'name']),
    status: optionalText(record, 'status'),
    startedAt: optionalText(record, 'startedAt'),
    memberCount: optionalCount(record, 'memberCount'),
    failedCount: optionalCount(record, 'failedCount'),
    run: Array.isArray(field(record, 'jobs')) ? listedRun(item) : null,
  };
}

/** Null where the list shows less of a job than the jobs of a run have. */
function listedRun(item: unknown): GroupRun | null {
  try {
    return parseGroupRun(item);
  } catch (failure) {
    if (failure instanceof Unexpected) return null;
    throw failure;
  }
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
