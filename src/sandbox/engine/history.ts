import type { World } from '../world.js';

/** Bounds what a sandbox remembers, so that one that runs for weeks stays as small as it was. */

const MOST = { jobs: 2_000, runs: 4_000, datasets: 4_000, groupRuns: 1_000, pipelineRuns: 1_000 };

/** Forgets the oldest that are finished. Maps are in the order of creation. */
export function forgetOldest(world: World): void {
  trim(
    world.jobs,
    MOST.jobs,
    (job) => job.finishedAt !== null,
    (job) => {
      for (const id of job.runIds) world.runs.delete(id);
    },
  );
  trim(world.runs, MOST.runs, (run) => run.isClosed);
  trim(world.datasets, MOST.datasets, () => true);
  trim(world.groupRuns, MOST.groupRuns, (run) => run.finishedAt !== null);
  trim(world.pipelineRuns, MOST.pipelineRuns, (run) => run.finishedAt !== null);
}

function trim<T>(
  records: Map<string, T>,
  most: number,
  isDone: (record: T) => boolean,
  also: (record: T) => void = () => {},
): void {
  let surplus = records.size - most;
  for (const [id, record] of records) {
    if (surplus <= 0) return;
    if (!isDone(record)) continue;
    records.delete(id);
    also(record);
    surplus -= 1;
  }
}
