import type { ReadSession } from '../../engine/session.js';
import type { DatasetInfo } from '../../model/data.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { Address } from '../../model/resource.js';
import { listDatasets } from '../../service/operations/datasets.js';
import { agentsOf } from './agents-of.js';
import { collectedTimes } from './collected-times.js';
import { datasetInfo, isOf } from './dataset-info.js';

export interface DatasetList {
  /** Newest first. */
  readonly datasets: readonly DatasetInfo[];
  /** How many there are. */
  readonly total: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** The datasets of the agents of an address, or all of them. Throws a Problem. */
export async function listData(
  session: ReadSession,
  address?: Address,
  limit = Number.POSITIVE_INFINITY,
): Promise<DatasetList> {
  const reader = session.client.reader();
  const { named, agents } = await agentsOf(session, address === undefined ? [] : [address]);
  const all = await reader.readAll(listDatasets());
  const own = address === undefined ? all : all.filter((each) => named.some((agent) => isOf(each, agent)));
  // What expires last was made last: it is shown, and then sorted by the times of its jobs.
  const shown = own.toSorted((a, b) => expiry(b.expiresAt) - expiry(a.expiresAt)).slice(0, limit);
  const times = await collectedTimes(reader, shown);
  const datasets = shown
    .map((each) => datasetInfo(each, agents, times))
    .toSorted((a, b) => compareTimes(b.collectedAt, a.collectedAt));
  return { datasets, total: own.length, diagnostics: session.warnings };
}

function expiry(time: string | null): number {
  const milliseconds = Date.parse(time ?? '');
  return Number.isNaN(milliseconds) ? Number.POSITIVE_INFINITY : milliseconds;
}

/** An unknown time is first: it may be that of a job which has just ended. */
function compareTimes(a: string | null, b: string | null): number {
  const [one, other] = [a ?? '9', b ?? '9'];
  return one < other ? -1 : one > other ? 1 : 0;
}
