import type { Expectation } from '../../model/expectation.js';
import type { Reader } from '../../model/request.js';
import { ServiceFailure } from '../../service/failure.js';
import { queryDataset } from '../../service/operations/dataset-queries.js';
import type { Dataset } from '../../service/operations/datasets.js';
import { noDataOutcome, reasons, statusOf } from '../data/datasets.js';
import type { DataFacts } from './facts.js';
import { conditionsOf } from './judge.js';
import { readCondition } from './properties/rows.js';

const nothingRead = { columns: [], rowCount: null, matches: new Map<string, number>() } as const;

/** Data of which nothing is known, and why. */
export function unreadable(why: string): DataFacts {
  return { ...nothingRead, unreadable: why };
}

/**
 * What a dataset shows of what is expected: one query for its columns and the number of its rows, and one for each
 * condition (contract §20). Throws a ServiceFailure, unless the service answers that it has no data.
 */
export async function readData(
  reader: Reader,
  dataset: Dataset | null,
  expectation: Expectation,
): Promise<DataFacts> {
  if (dataset === null) return unreadable('the service lists no dataset of its run');
  const why = whyUnreadable(dataset);
  if (why !== null) return unreadable(why);
  try {
    return await queryFor(reader, dataset.id, expectation);
  } catch (failure) {
    const outcome = noDataOutcome(failure);
    if (outcome !== null) return unreadable(reasons[outcome]);
    // A file that is no table has no rows to query.
    if (failure instanceof ServiceFailure && failure.status === 400) return unreadable(failure.facts.message);
    throw failure;
  }
}

/** Known without a request. */
function whyUnreadable(dataset: Dataset): string | null {
  const status = statusOf(dataset);
  if (status === 'Expired') return reasons.expired;
  if (status !== 'Available') return `the status of its dataset is ${status}`;
  const isZip = dataset.fileName?.toLowerCase().endsWith('.zip') === true;
  return isZip ? 'its file is a zip of several sessions' : null;
}

async function queryFor(reader: Reader, id: string, expectation: Expectation): Promise<DataFacts> {
  const all = await reader.read(queryDataset(id, { page: 1, pageSize: 1 }));
  const { columns, totalMatches: rowCount } = all;
  if (columns.length === 0 && rowCount > 0) return unreadable('the service shows rows without columns');
  const matches = new Map<string, number>();
  for (const text of conditionsOf(expectation)) {
    const condition = readCondition(text);
    if (!columns.includes(condition.column)) continue;
    // Without rows there is nothing to count.
    const found = rowCount === 0 ? null : await reader.read(queryDataset(id, countOf(condition)));
    matches.set(text, found?.totalMatches ?? 0);
  }
  return { unreadable: null, columns, rowCount, matches };
}

function countOf(condition: ReturnType<typeof readCondition>) {
  return { filters: [condition], page: 1, pageSize: 1 };
}
