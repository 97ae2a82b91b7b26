import type { World } from '../world.js';
import type { JobRecord } from './records.js';

/** Bounds what a sandbox remembers, so that one that runs for weeks stays as small as it was. */

const MOST = { jobs: 2_000, runs: 4_000, datasets: 4_000, groupRuns: 1_000, pipelineRuns: 1_000 };
/** Runs that the engine lost never finish. With more than this many times as many, they are forgotten, too. */
const OVERFLOW = 2;

/** Forgets the oldest that are finished. Maps are in the order of creation. */
export function forgetOldest(world: World): void {
  trim(world.jobs, MOST.jobs, isDone(world), (job) => forgetParts(world, job));
  trim(world.runs, MOST.runs, (run) => run.isClosed);
  trim(
    world.datasets,
    MOST.datasets,
    () => true,
    ({ id }) => forgetQueries(world, id),
  );
  trim(world.groupRuns, MOST.groupRuns, (run) => run.finishedAt !== null);
  trim(world.pipelineRuns, MOST.pipelineRuns, (run) => run.finishedAt !== null);
}

/** A job stays as long as what it is part of goes on. */
function isDone({ groupRuns, pipelineRuns }: World): (job: JobRecord) => boolean {
  return ({ finishedAt, groupRunId, pipelineRunId }) =>
    finishedAt !== null &&
    groupRuns.get(groupRunId ?? '')?.finishedAt !== null &&
    pipelineRuns.get(pipelineRunId ?? '')?.finishedAt !== null;
}

/** Without one of its jobs, a group run or a pipeline run would look unfinished. */
function forgetParts(world: World, { runIds, groupRunId, pipelineRunId }: JobRecord): void {
  for (const id of runIds) world.runs.delete(id);
  if (groupRunId !== null) world.groupRuns.delete(groupRunId);
  if (pipelineRunId !== null) world.pipelineRuns.delete(pipelineRunId);
}

/** As when the dataset is deleted (§4, Datasets). */
function forgetQueries({ savedQueries }: World, datasetId: string): void {
  for (const query of savedQueries.values()) {
    if (query.datasetId === datasetId) savedQueries.delete(query.id);
  }
}

function trim<T>(
  records: Map<string, T>,
  most: number,
  isFinished: (record: T) => boolean,
  also: (record: T) => void = () => {},
): void {
  let surplus = records.size - most;
  const isFull = records.size > most * OVERFLOW;
  for (const [id, record] of records) {
    if (surplus <= 0) return;
    if (!isFull && !isFinished(record)) continue;
    records.delete(id);
    also(record);
    surplus -= 1;
  }
}
