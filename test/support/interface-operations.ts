import {
  agents,
  datasetQueries,
  datasets,
  groupRuns,
  groups,
  jobs,
  keys,
  pipelineRuns,
  pipelines,
  type Request,
  runs,
  samples,
  savedQueries,
  scheduleRuns,
  schedules,
} from '../../src/index.js';

/** Every operation of interface.md §4, in its order, with the function of the library that makes its request. */

export interface InterfaceOperation {
  readonly area: string;
  /** As the interface shows it, or the conventional one where it shows none. */
  readonly method: Request['method'];
  /** With `{names}` of the identifiers. */
  readonly path: string;
  /** `jobs.startJob`, called with the name of each identifier in its place. */
  readonly client: string;
  readonly request: Request;
}

type Row = readonly [
  method: Request['method'],
  path: string,
  client: string,
  made: { request: Request } | Request,
];

const A = '/api/scraper-agents';
const G = '/api/search-groups';
const P = '/api/pipelines';
const D = '/api/data-explorer';
const S = '/api/schedules';
const K = '/api/api-keys';
const collection = { name: 'name', description: '', agentIds: [] };
const schedule = {
  targetType: 'Agent',
  targetId: 'agent',
  scheduleType: 'Once',
  startTime: '2026-12-01T06:00:00',
  timeZoneId: 'UTC',
  isEnabled: true,
} as const;

const AREAS: Readonly<Record<string, readonly Row[]>> = {
  Agents: [
    ['GET', A, 'agents.listAgents', agents.listAgents()],
    ['GET', `${A}/{id}`, 'agents.getAgent', agents.getAgent('id')],
    ['GET', `${A}/{id}/sample-output`, 'samples.sampleOutput', samples.sampleOutput('id')],
    ['GET', `${A}/{id}/sample-output/download`, 'samples.downloadSample', samples.downloadSample('id')],
  ],
  'Starting and stopping': [
    ['POST', `${A}/{externalAgentId}/start-job`, 'jobs.startJob', jobs.startJob('externalAgentId')],
    ['POST', `${A}/{externalAgentId}/run`, 'jobs.startRuns', jobs.startRuns('externalAgentId')],
    ['POST', `${A}/runs/{runId}/stop`, 'runs.stopRun', runs.stopRun('runId')],
  ],
  Runs: [
    ['GET', `${A}/{id}/runs`, 'runs.listRunsOfAgent', runs.listRunsOfAgent('id')],
    ['GET', `${A}/runs`, 'runs.listRuns', runs.listRuns()],
    ['GET', `${A}/jobs/{jobId}/runs`, 'runs.listRunsOfJob', runs.listRunsOfJob('jobId')],
    ['GET', `${A}/runs/active-count`, 'runs.activeRunCount', runs.activeRunCount()],
    ['GET', `${A}/runs/attention-count`, 'runs.attentionCount', runs.attentionCount()],
    ['GET', `${A}/runs/status-counts`, 'runs.runStatusCounts', runs.runStatusCounts()],
    ['GET', `${A}/runs/{runId}/export`, 'runs.exportRun', runs.exportRun('runId')],
    ['GET', `${A}/runs/{runId}/dataset`, 'runs.runDataset', runs.runDataset('runId')],
    ['POST', `${A}/runs/{runId}/refresh`, 'runs.refreshRun', runs.refreshRun('runId')],
    ['POST', `${A}/runs/{runId}/dismiss-attention`, 'runs.dismissAttention', runs.dismissAttention('runId')],
    ['POST', `${A}/runs/{runId}/restore-attention`, 'runs.restoreAttention', runs.restoreAttention('runId')],
  ],
  Jobs: [
    ['GET', `${A}/jobs`, 'jobs.listJobs', jobs.listJobs()],
    ['GET', `${A}/{id}/jobs`, 'jobs.listJobsOfAgent', jobs.listJobsOfAgent('id')],
    ['GET', `${A}/jobs/{jobId}/export`, 'jobs.exportJob', jobs.exportJob('jobId')],
    ['GET', `${A}/jobs/{jobId}/dataset`, 'jobs.jobDataset', jobs.jobDataset('jobId')],
    ['GET', `${A}/jobs/active-count`, 'jobs.activeJobCount', jobs.activeJobCount()],
    ['GET', `${A}/jobs/status-counts`, 'jobs.jobStatusCounts', jobs.jobStatusCounts()],
  ],
  'Agent groups': [
    ['GET', G, 'groups.listGroups', groups.listGroups()],
    ['POST', G, 'groups.createGroup', groups.createGroup(collection)],
    ['GET', `${G}/{id}`, 'groups.getGroup', groups.getGroup('id')],
    ['PUT', `${G}/{id}`, 'groups.updateGroup', groups.updateGroup('id', {})],
    ['PUT', `${G}/{id}/members`, 'groups.replaceMembers', groups.replaceMembers('id', [])],
    ['DELETE', `${G}/{id}`, 'groups.deleteGroup', groups.deleteGroup('id')],
    ['POST', `${G}/{groupId}/run`, 'groupRuns.runGroup', groupRuns.runGroup('groupId')],
    ['GET', `${G}/runs`, 'groupRuns.listGroupRuns', groupRuns.listGroupRuns()],
    ['GET', `${G}/runs/{groupRunId}`, 'groupRuns.getGroupRun', groupRuns.getGroupRun('groupRunId')],
    [
      'GET',
      `${A}/group-runs/{groupRunId}/export`,
      'groupRuns.exportGroupRun',
      groupRuns.exportGroupRun('groupRunId'),
    ],
    ['DELETE', `${G}/runs/{groupRunId}`, 'groupRuns.deleteGroupRun', groupRuns.deleteGroupRun('groupRunId')],
    [
      'POST',
      `${G}/runs/{groupRunId}/members/{agentId}/retry`,
      'groupRuns.retryMember',
      groupRuns.retryMember('groupRunId', 'agentId'),
    ],
  ],
  Pipelines: [
    ['GET', P, 'pipelines.listPipelines', pipelines.listPipelines()],
    ['GET', `${P}/{id}`, 'pipelines.getPipeline', pipelines.getPipeline('id')],
    ['POST', P, 'pipelines.createPipeline', pipelines.createPipeline(collection)],
    ['POST', `${P}/{pipelineId}/run`, 'pipelineRuns.runPipeline', pipelineRuns.runPipeline('pipelineId')],
    [
      'GET',
      `${P}/runs/{pipelineRunId}`,
      'pipelineRuns.getPipelineRun',
      pipelineRuns.getPipelineRun('pipelineRunId'),
    ],
    ['GET', `${P}/runs`, 'pipelineRuns.listPipelineRuns', pipelineRuns.listPipelineRuns()],
    [
      'GET',
      `${P}/runs/{pipelineRunId}/export`,
      'pipelineRuns.exportPipelineRun',
      pipelineRuns.exportPipelineRun('pipelineRunId'),
    ],
    ['PUT', `${P}/{id}`, 'pipelines.updatePipeline', pipelines.updatePipeline('id', {})],
    ['PUT', `${P}/{id}/steps`, 'pipelines.replaceSteps', pipelines.replaceSteps('id', [])],
    ['DELETE', `${P}/{id}`, 'pipelines.deletePipeline', pipelines.deletePipeline('id')],
    [
      'DELETE',
      `${P}/runs/{pipelineRunId}`,
      'pipelineRuns.deletePipelineRun',
      pipelineRuns.deletePipelineRun('pipelineRunId'),
    ],
  ],
  Datasets: [
    ['GET', `${A}/cached-exports`, 'datasets.listDatasets', datasets.listDatasets()],
    [
      'DELETE',
      `${A}/cached-exports/{datasetId}`,
      'datasets.deleteDataset',
      datasets.deleteDataset('datasetId'),
    ],
    [
      'GET',
      `${D}/datasets/{datasetId}/preview`,
      'datasetQueries.previewDataset',
      datasetQueries.previewDataset('datasetId'),
    ],
    [
      'POST',
      `${D}/datasets/{datasetId}/query`,
      'datasetQueries.queryDataset',
      datasetQueries.queryDataset('datasetId'),
    ],
    [
      'GET',
      `${D}/datasets/{datasetId}/download`,
      'datasets.downloadDataset',
      datasets.downloadDataset('datasetId'),
    ],
    [
      'GET',
      `${D}/datasets/{datasetId}/lineage`,
      'datasets.datasetLineage',
      datasets.datasetLineage('datasetId'),
    ],
    ['GET', `${D}/datasets/{datasetId}/access`, 'datasets.readAccess', datasets.readAccess('datasetId')],
    [
      'PUT',
      `${D}/datasets/{datasetId}/access`,
      'datasets.changeAccess',
      datasets.changeAccess('datasetId', 'Private'),
    ],
    ['POST', `${D}/bulk/export`, 'datasets.exportDatasets', datasets.exportDatasets([])],
    ['POST', `${D}/bulk/delete`, 'datasets.deleteDatasets', datasets.deleteDatasets([])],
    ['GET', `${D}/saved-queries`, 'savedQueries.listSavedQueries', savedQueries.listSavedQueries()],
    ['POST', `${D}/saved-queries`, 'savedQueries.saveQuery', savedQueries.saveQuery('name', 'dataset', {})],
    [
      'DELETE',
      `${D}/saved-queries/{id}`,
      'savedQueries.deleteSavedQuery',
      savedQueries.deleteSavedQuery('id'),
    ],
  ],
  Schedules: [
    ['GET', S, 'schedules.listSchedules', schedules.listSchedules()],
    ['POST', S, 'schedules.createSchedule', schedules.createSchedule(schedule)],
    ['PUT', `${S}/{id}`, 'schedules.replaceSchedule', schedules.replaceSchedule('id', schedule)],
    ['POST', `${S}/{id}/enabled`, 'schedules.enableSchedule', schedules.enableSchedule('id', true)],
    ['DELETE', `${S}/{id}`, 'schedules.deleteSchedule', schedules.deleteSchedule('id')],
    ['POST', `${S}/bulk/enabled`, 'schedules.bulkEnable', schedules.bulkEnable([], true)],
    ['POST', `${S}/bulk/delete`, 'schedules.bulkDelete', schedules.bulkDelete([])],
    ['POST', `${S}/preview`, 'schedules.previewSchedule', schedules.previewSchedule(schedule)],
    ['GET', `${S}/page`, 'scheduleRuns.schedulePage', scheduleRuns.schedulePage()],
    ['GET', `${S}/upcoming`, 'scheduleRuns.upcomingRuns', scheduleRuns.upcomingRuns()],
    ['POST', `${S}/{id}/run`, 'scheduleRuns.runSchedule', scheduleRuns.runSchedule('id')],
  ],
  'API keys': [
    ['GET', K, 'keys.listKeys', keys.listKeys()],
    ['POST', K, 'keys.createKey', keys.createKey({ name: 'name' })],
    ['DELETE', `${K}/{id}`, 'keys.revokeKey', keys.revokeKey('id')],
  ],
};

/** The test file with the rules of each area. */
export const AREA_TESTS: Readonly<Record<string, string>> = {
  Agents: 'collections.test.ts',
  'Starting and stopping': 'runs.test.ts',
  Runs: 'runs.test.ts',
  Jobs: 'runs.test.ts',
  'Agent groups': 'group-runs.test.ts',
  Pipelines: 'group-runs.test.ts',
  Datasets: 'datasets.test.ts',
  Schedules: 'fires.test.ts',
  'API keys': 'keys.test.ts',
};

export const INTERFACE_OPERATIONS: readonly InterfaceOperation[] = Object.entries(AREAS).flatMap(
  ([area, rows]) =>
    rows.map(([method, path, client, made]) => ({
      area,
      method,
      path,
      client,
      request: 'request' in made ? made.request : made,
    })),
);
