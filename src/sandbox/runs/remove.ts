import type { World } from '../world.js';

/**
 * Removes jobs with their runs. Their datasets stay: this is a reading of interface.md §4, which names "its member jobs and run
 * history" and no data, and has a delete of datasets, by which a run stays. Clients must cope with datasets without a job.
 */
export function removeJobs(world: World, parts: readonly { readonly jobId: string | null }[]): void {
  for (const { jobId } of parts) {
    const job = jobId === null ? undefined : world.jobs.get(jobId);
    if (job === undefined) continue;
    for (const id of job.runIds) world.runs.delete(id);
    world.jobs.delete(job.id);
  }
}
