import { type Records, remove, type World } from '../world.js';
import type { JobRecord } from './records.js';

/** Bounds what a sandbox remembers, so that one that runs for weeks stays as small as it was. */

const MOST = { jobs: 2_000, runs: 4_000, datasets: 4_000, groupRuns: 1_000, pipelineRuns: 1_000 };
/** Runs that the engine lost never finish. With more than this many times as many, they are forgotten, too. */
const OVERFLOW = 2;

/** Forgets the oldest that are finished. Maps are in the order of creation. */
export function forgetOldest(world: World): void {
  for (const job of trim(world, 'jobs', isDone(world))) forgetParts(world, job);
  trim(world, 'runs', (run) => run.isClosed);
  for (const dataset of trim(world, 'datasets', () => true)) forgetQueries(world, dataset.id);
  trim(world, 'groupRuns', (run) => run.finishedAt !== null);
  trim(world, 'pipelineRuns', (run) => run.finishedAt !== null);
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
  for (const id of runIds) remove(world, 'runs', id);
  if (groupRunId !== null) remove(world, 'groupRuns', groupRunId);
  if (pipelineRunId !== null) remove(world, 'pipelineRuns', pipelineRunId);
}

/** As when the dataset is deleted (§4, Datasets). */
function forgetQueries(world: World, datasetId: string): void {
  for (const query of world.savedQueries.values()) {
    if (query.datasetId === datasetId) remove(world, 'savedQueries', query.id);
  }
}

/** Returns what it has forgotten. */
function trim<S extends keyof typeof MOST>(
  world: World,
  section: S,
  isFinished: (record: Records[S]) => boolean,
): Records[S][] {
  const records = world[section] as Map<string, Records[S]>;
  let surplus = records.size - MOST[section];
  const isFull = records.size > MOST[section] * OVERFLOW;
  const forgotten: Records[S][] = [];
  for (const [id, record] of records) {
    if (surplus <= 0) break;
    if (!isFull && !isFinished(record)) continue;
    remove(world, section, id);
    forgotten.push(record);
    surplus -= 1;
  }
  return forgotten;
}
