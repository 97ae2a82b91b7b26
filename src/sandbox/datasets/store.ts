import { randomUUID } from 'node:crypto';
import type { DatasetRecord, DatasetState, JobRecord, RunRecord } from '../engine/records.js';
import { byId, type World } from '../world.js';
import { type DataFile, dataFile, sizeOf, zipFile } from './files.js';

/** Stores what a job or a run collected as a dataset (interface.md §2, Dataset). */

const DAY_MS = 86_400_000;

/** Only if every run of the job succeeded, and has a file. */
export function storeJobData(world: World, job: JobRecord, runs: readonly RunRecord[]): void {
  const states = runs.map((run) => (run.outcome === 'succeeded' ? run.dataset : null));
  const [state] = states;
  const [run] = runs;
  if (state === null || state === undefined || run === undefined || states.includes(null)) return;
  const { id: jobId, groupRunId } = job;
  const runId = runs.length === 1 ? run.id : null;
  const about = { scope: 'Job', jobId, runId, groupRunId, state } as const;
  job.datasetId = store(world, runs, about, job.finishedAt ?? run.startedAt).id;
  if (runs.length === 1) run.datasetId = job.datasetId;
}

export function storeRunData(world: World, run: RunRecord, at: number): void {
  if (run.outcome !== 'succeeded' || run.dataset === null) return;
  const { id: runId, jobId, groupRunId, dataset: state } = run;
  run.datasetId = store(world, [run], { scope: 'Run', runId, jobId, groupRunId, state }, at).id;
}

type About = Pick<DatasetRecord, 'scope' | 'jobId' | 'runId' | 'groupRunId'> & {
  readonly state: DatasetState;
};

function store(world: World, runs: readonly RunRecord[], about: About, at: number): DatasetRecord {
  const [run] = runs;
  if (run === undefined) throw new Error('a dataset without a run');
  world.lastSeq += 1;
  const record: DatasetRecord = {
    ...about,
    id: randomUUID(),
    seq: world.lastSeq,
    owner: run.owner,
    agentId: run.agentId,
    createdAt: at,
    expiresAt: at + world.settings.retentionDays * DAY_MS,
    accessLevel: 'Private',
    parts: runs.map(({ rowSeed, records }) => ({ rowSeed, records })),
    fileName: '',
    sizeBytes: 0,
  };
  const file = fileOf(world, record);
  record.fileName = file.name;
  record.sizeBytes = about.state === 'Failed' ? 0 : sizeOf(file);
  world.datasets.set(record.id, record);
  return record;
}

/** A job that ran in several sessions exports as one combined zip (§2). */
export function fileOf(world: World, record: DatasetRecord): DataFile {
  const agent = byId(world.agents, record.agentId);
  const stem = (agent?.externalAgentId ?? 'agent').replace(/[^\w.-]+|^\./g, '_');
  const name = `${stem}-${new Date(record.createdAt).toISOString().slice(0, 19).replace(/[-:]/g, '')}`;
  if (record.parts.length === 1) return dataFile(agent, name, record.parts);
  const files = record.parts.map((part, index) => dataFile(agent, `${name}-${index + 1}`, [part]));
  return zipFile(`${name}.zip`, files);
}
