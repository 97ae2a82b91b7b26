import type { Session } from '../../engine/session.js';
import type { BatchResult, ItemResult } from '../../model/batch.js';
import type { DatasetInfo } from '../../model/data.js';
import { Problem, problem } from '../../model/diagnostic.js';
import type { ServiceFailure } from '../../service/failure.js';
import { attempt, orElse } from '../../service/operation.js';
import { type AccessLevel, changeAccess, readAccess } from '../../service/operations/datasets.js';
import { changeAll, itemResult } from '../batch.js';
import {
  type ChosenDatasets,
  chooseDatasets,
  datasetInfo,
  interruption,
  namesIn,
  noDataOutcome,
  refuseAddresses,
  unavailable,
} from './datasets.js';

/** Changes who can read datasets, one after the other. `begin`: something may be changed from now on. */
export async function shareData(
  session: Session,
  names: readonly string[],
  level: AccessLevel,
  begin: () => void,
): Promise<BatchResult<DatasetInfo>> {
  refuseAddresses(namesIn(names).addresses, 'shared');
  const chosen = await chooseDatasets(session, names);
  const items = chosen.datasets.map((each) => infoOf(each, chosen));
  return changeAll(session, {
    items,
    change: (dataset) => change(session, dataset, level),
    interruption: (left) => interruption(left, items.length, 'changed'),
    begin,
  });
}

/** If the response is lost, or names another access level, reads it to find out. */
async function change(
  { client }: Session,
  dataset: DatasetInfo,
  level: AccessLevel,
): Promise<ItemResult<DatasetInfo>> {
  const { id } = dataset;
  const sent = await attempt(client, changeAccess(id, level));
  if (sent.type === 'refused' || sent.type === 'notSent')
    return itemResult(dataset, sent.type, null, noDataOf(id, sent.failure));
  const named = sent.type === 'done' ? sent.data : null;
  if (sent.type === 'done' && (named === null || named === level)) return itemResult(dataset, 'done');
  // Null if it cannot be read.
  const now = await orElse(client.reader().read(readAccess(id)), () => null);
  if (now === level) return itemResult(dataset, 'done');
  const reason = sent.type === 'done' ? notTaken(id, named ?? level) : sent.failure;
  return itemResult(dataset, now === null ? 'unknown' : 'refused', null, reason);
}

function notTaken(id: string, named: AccessLevel): Problem {
  const message = `the service accepted the change of dataset ${id}, and says that it is ${named.toLowerCase()}`;
  return problem('not-converged', message);
}

function infoOf(
  { id, dataset }: ChosenDatasets['datasets'][number],
  { agents }: ChosenDatasets,
): DatasetInfo {
  return dataset === null ? unlisted(id) : datasetInfo(dataset, agents, new Map());
}

function unlisted(id: string): DatasetInfo {
  const unknown = { collectedAt: null, sizeBytes: null, fileName: null, expiresAt: null, accessLevel: null };
  const sources = { agentId: null, jobId: null, runId: null, groupRunId: null };
  return { id, agent: null, agentName: '', status: '', canManage: false, ...unknown, ...sources };
}

function noDataOf(id: string, failure: ServiceFailure): Problem {
  const outcome = noDataOutcome(failure);
  return outcome === null ? failure : new Problem(unavailable(`dataset ${id}`, outcome));
}
