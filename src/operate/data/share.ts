import type { Session } from '../../engine/session.js';
import type { DatasetChange, DatasetInfo } from '../../model/data.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { ServiceFailure } from '../../service/failure.js';
import { attempt, orElse } from '../../service/operation.js';
import { type AccessLevel, changeAccess, readAccess } from '../../service/operations/datasets.js';
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

export interface ShareResult {
  readonly changes: readonly DatasetChange[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Changes who can read datasets, one after the other. `onBegin`: something may be changed from now on. */
export async function shareData(
  session: Session,
  names: readonly string[],
  level: AccessLevel,
  onBegin: () => void,
): Promise<ShareResult> {
  refuseAddresses(namesIn(names).addresses, 'shared');
  const chosen = await chooseDatasets(session, names);
  const changes: DatasetChange[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const each of chosen.datasets) {
    if (session.interrupted()) break;
    const { done, reasons } = await change(session, each.id, level);
    if (done !== false) onBegin();
    changes.push({ dataset: infoOf(each, chosen), done });
    diagnostics.push(...reasons);
  }
  const left = chosen.datasets.slice(changes.length);
  diagnostics.push(...interruption(left.length, chosen.datasets.length, 'changed'));
  changes.push(...left.map((each) => ({ dataset: infoOf(each, chosen), done: false })));
  return { changes, diagnostics: [...session.warnings, ...diagnostics] };
}

interface Changed {
  readonly done: DatasetChange['done'];
  readonly reasons: readonly Diagnostic[];
}

/** If the response is lost, or names another access level, reads it to find out. */
async function change({ client }: Session, id: string, level: AccessLevel): Promise<Changed> {
  const sent = await attempt(client, changeAccess(id, level));
  if (sent.type === 'refused' || sent.type === 'notSent')
    return { done: false, reasons: reasonsOf(id, sent.failure) };
  const named = sent.type === 'done' ? sent.data : null;
  if (sent.type === 'done' && (named === null || named === level)) return { done: true, reasons: [] };
  // Null if it cannot be read.
  const now = await orElse(client.reader().read(readAccess(id)), () => null);
  if (now === level) return { done: true, reasons: [] };
  const reason = sent.type === 'done' ? notTaken(id, named ?? level) : sent.failure.diagnostic;
  return { done: now === null ? null : false, reasons: [reason] };
}

function notTaken(id: string, named: AccessLevel): Diagnostic {
  const message = `the service accepted the change of dataset ${id}, and says that it is ${named.toLowerCase()}`;
  return { severity: 'error', code: 'not-converged', message };
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

function reasonsOf(id: string, failure: ServiceFailure): readonly Diagnostic[] {
  const outcome = noDataOutcome(failure);
  return outcome === null ? failure.diagnostics : [unavailable(`dataset ${id}`, outcome)];
}
