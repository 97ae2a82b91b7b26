import { randomUUID } from 'node:crypto';
import type { DatasetRecord, DatasetState, JobRecord, RunRecord } from '../engine/records.js';
import { nextSeq, put, type World } from '../world.js';
import { fileOf } from './files.js';

/** Stores what a job or a run collected as a dataset (interface.md §2, Dataset). */

const DAY_MS = 86_400_000;

function partOf({ rowSeed, records, fields, empty }: RunRecord): DatasetRecord['parts'][number] {
  const part: DatasetRecord['parts'][number] = { rowSeed, records };
  if (fields !== undefined) part.fields = fields;
  if (empty !== undefined) part.empty = empty;
  return part;
}

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
  put(world, 'jobs', job);
  if (runs.length > 1) return;
  run.datasetId = job.datasetId;
  put(world, 'runs', run);
}

export function storeRunData(world: World, run: RunRecord, at: number): void {
  if (run.outcome !== 'succeeded' || run.dataset === null) return;
  const { id: runId, jobId, groupRunId, dataset: state } = run;
  run.datasetId = store(world, [run], { scope: 'Run', runId, jobId, groupRunId, state }, at).id;
  put(world, 'runs', run);
}

type About = Pick<DatasetRecord, 'scope' | 'jobId' | 'runId' | 'groupRunId'> & {
  readonly state: DatasetState;
};

function store(world: World, runs: readonly RunRecord[], about: About, at: number): DatasetRecord {
  const [run] = runs;
  if (run === undefined) throw new Error('a dataset without a run');
  const record: DatasetRecord = {
    ...about,
    id: randomUUID(),
    seq: nextSeq(world),
    owner: run.owner,
    agentId: run.agentId,
    createdAt: at,
    expiresAt: at + world.settings.retentionDays * DAY_MS,
    accessLevel: 'Private',
    parts: runs.map(partOf),
    fileName: '',
  };
  record.fileName = fileOf(world, record).name;
  return put(world, 'datasets', record);
}
