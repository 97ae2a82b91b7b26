import type { Session } from '../../engine/session.js';
import type { DatasetChange, DatasetInfo } from '../../model/data.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { Reader } from '../../model/request.js';
import { ServiceFailure } from '../../service/failure.js';
import { callOperation } from '../../service/operation.js';
import { type AccessLevel, changeAccess, readAccess } from '../../service/operations/datasets.js';
import { type ChosenDatasets, chooseDatasets, namesIn } from './choose.js';
import { datasetInfo } from './dataset-info.js';
import { interruption } from './interruption.js';
import { noDataOutcome, unavailable } from './outcomes.js';
import { refuseAddresses } from './owned.js';

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

type Changed = Pick<DatasetChange, 'done'> & { readonly reasons: readonly Diagnostic[] };

/** If the response is lost, or names another access level, reads it to find out. */
async function change({ client }: Session, id: string, level: AccessLevel): Promise<Changed> {
  try {
    const named = await callOperation(client, changeAccess(id, level));
    if (named === null || named === level) return { done: true, reasons: [] };
    const now = await levelNow(client.reader(), id);
    if (now === level) return { done: true, reasons: [] };
    return { done: now === null ? null : false, reasons: [notTaken(id, named)] };
  } catch (failure) {
    if (!(failure instanceof ServiceFailure)) throw failure;
    if (failure.certainty !== 'unknown') return { done: false, reasons: reasonsOf(id, failure) };
    const now = await levelNow(client.reader(), id);
    if (now === level) return { done: true, reasons: [] };
    return { done: now === null ? null : false, reasons: failure.diagnostics };
  }
}

function notTaken(id: string, named: AccessLevel): Diagnostic {
  const message = `the service accepted the change of dataset ${id}, and says that it is ${named.toLowerCase()}`;
  return { severity: 'error', code: 'not-converged', message };
}

/** Null if it cannot be read. */
async function levelNow(reader: Reader, id: string): Promise<AccessLevel | null> {
  try {
    return await reader.read(readAccess(id));
  } catch (failure) {
    if (failure instanceof ServiceFailure) return null;
    throw failure;
  }
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
