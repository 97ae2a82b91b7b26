import type { Reader } from '../../model/request.js';
import { ServiceFailure } from '../../service/failure.js';
import { listRunsOfJob, runPage } from '../../service/operations/agent-runs.js';
import type { Dataset } from '../../service/operations/datasets.js';
import { readInstant } from '../../service/operations/record.js';

/** By dataset id: ISO 8601 in UTC. A dataset whose job or run is not found, or not finished, is missing. */
export type CollectedTimes = ReadonlyMap<string, string>;

type DatasetSource = Pick<Dataset, 'id' | 'jobId' | 'runId'>;

/** So many datasets are looked up one by one. For more, a page of the list of runs tells of 100. */
const FEW = 5;
const PAGE = 100;
const MOST_PAGES = 1_000;
/** After this many pages without a match, the runs are gone, or too old to look for. */
const MOST_PAGES_IN_VAIN = 10;

/** When the job or run of each dataset ended: the list of datasets does not show it (interface §2). */
export async function collectedTimes(
  reader: Reader,
  datasets: readonly DatasetSource[],
): Promise<CollectedTimes> {
  const times = new Map<string, string>();
  if (datasets.length > FEW) await fromRuns(reader, datasets, times);
  const left = datasets.filter(({ id }) => !times.has(id));
  await Promise.all(
    left.map(async ({ id, jobId }) => {
      const time = jobId === null ? null : await endOfJob(reader, jobId);
      if (time !== null) times.set(id, time);
    }),
  );
  const runs = left.filter(({ id, jobId }) => !times.has(id) && jobId === null);
  if (datasets.length <= FEW) await fromRuns(reader, runs, times);
  return times;
}

/** Reads the runs, newest first, until each dataset's own is found. */
async function fromRuns(
  reader: Reader,
  datasets: readonly DatasetSource[],
  times: Map<string, string>,
): Promise<void> {
  const wanted = new Map(datasets.flatMap(({ id, runId }) => (runId === null ? [] : [[runId, id]])));
  let cursor: string | undefined;
  let inVain = 0;
  for (let page = 0; page < MOST_PAGES && wanted.size > 0 && inVain < MOST_PAGES_IN_VAIN; page += 1) {
    const before = wanted.size;
    const { items, nextCursor } = await reader.read(runPage({ state: 'succeeded' }, PAGE, cursor));
    for (const run of items) {
      const id = wanted.get(run.id);
      const time = isoTime(run.endTime);
      if (id !== undefined && time !== null) times.set(id, time);
      wanted.delete(run.id);
    }
    inVain = wanted.size < before ? 0 : inVain + 1;
    if (nextCursor === null || items.length === 0) return;
    cursor = nextCursor;
  }
}

/** Null while one of its runs goes on, and for a job that is gone. */
async function endOfJob(reader: Reader, jobId: string): Promise<string | null> {
  try {
    const ends = (await reader.readAll(listRunsOfJob(jobId))).map(({ endTime }) => isoTime(endTime));
    return ends.includes(null) ? null : (ends.sort().at(-1) ?? null);
  } catch (failure) {
    if (failure instanceof ServiceFailure && failure.status === 404) return null;
    throw failure;
  }
}

/** Null for what is not an instant. `Date.parse` reads a year from many words, and what looks old may be deleted. */
function isoTime(text: string | null): string | null {
  const milliseconds = text === null ? null : readInstant(text);
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
