import type { ReadSession, Session } from '../../engine/session.js';
import type { DatasetChange, DatasetInfo } from '../../model/data.js';
import { type Diagnostic, problem } from '../../model/diagnostic.js';
import { readDuration } from '../../model/duration.js';
import type { Reader } from '../../model/request.js';
import { ServiceFailure } from '../../service/failure.js';
import { callOperation } from '../../service/operation.js';
import { listAgents } from '../../service/operations/agents.js';
import { deleteDatasets, listDatasets, MAX_BULK_DATASETS } from '../../service/operations/datasets.js';
import { listSavedQueries } from '../../service/operations/saved-queries.js';
import { namesIn } from './choose.js';
import { collectedTimes } from './collected-times.js';
import { datasetInfo } from './dataset-info.js';
import { interruption } from './interruption.js';
import { noData, unavailable } from './outcomes.js';
import { refuseAddresses } from './owned.js';
import { agentOf, removable } from './removal.js';

/** What to delete: by id, or by age. */
export type RemovalChoice =
  | { readonly names: readonly string[] }
  | { readonly olderThanMilliseconds: number; readonly keepLast: number };

export interface RemovalPlan {
  readonly datasets: readonly DatasetInfo[];
  /** Saved queries that go with them. */
  readonly queries: number;
  readonly diagnostics: readonly Diagnostic[];
}

export interface RemovalResult extends Pick<RemovalPlan, 'queries' | 'diagnostics'> {
  readonly changes: readonly DatasetChange[];
}

/** What would be deleted: owned datasets only. Sends reads only. Throws a Problem. */
export async function planRemoval(session: ReadSession, choice: RemovalChoice): Promise<RemovalPlan> {
  const ids = 'names' in choice ? idsOf(choice.names) : null;
  const reader = session.client.reader();
  const [agents, listed] = await Promise.all([reader.readAll(listAgents()), reader.readAll(listDatasets())]);
  const owned = ids === null ? listed.filter(({ canManage }) => canManage) : listed;
  const considered = ids === null ? owned : owned.filter(({ id }) => ids.includes(id));
  const times = await collectedTimes(reader, considered);
  const infos = considered.map((each) => datasetInfo(each, agents, times));
  const datasets =
    'names' in choice ? infos.filter(({ canManage }) => canManage) : byAge(session, infos, choice);
  const queries = datasets.length === 0 ? 0 : await queriesOn(reader, datasets);
  const diagnostics =
    'names' in choice ? kept(idsOf(choice.names), infos) : uncertain(infos, choice.keepLast);
  return { datasets, queries, diagnostics: [...session.warnings, ...diagnostics] };
}

function idsOf(names: readonly string[]): readonly string[] {
  const { addresses, ids } = namesIn(names);
  refuseAddresses(addresses, 'deleted');
  return ids;
}

function byAge(
  session: ReadSession,
  infos: readonly DatasetInfo[],
  { olderThanMilliseconds, keepLast }: Exclude<RemovalChoice, { names: unknown }>,
): readonly DatasetInfo[] {
  const before = new Date(session.serviceNow().getTime() - olderThanMilliseconds).toISOString();
  return removable(infos, { before, keepLast });
}

async function queriesOn(reader: Reader, datasets: readonly DatasetInfo[]): Promise<number> {
  const ids = new Set(datasets.map(({ id }) => id));
  const queries = await reader.readAll(listSavedQueries());
  return queries.filter(({ datasetId }) => datasetId !== null && ids.has(datasetId)).length;
}

/** Why a dataset that was named is not deleted. */
function kept(ids: readonly string[], infos: readonly DatasetInfo[]): readonly Diagnostic[] {
  return ids.flatMap((id) => {
    const found = infos.find((each) => each.id === id);
    if (found === undefined) return [unavailable(`dataset ${id}`, 'notFound')];
    return found.canManage ? [] : [noData(`dataset ${id} belongs to somebody else, and was not deleted`)];
  });
}

/** What stays because the service does not say enough about it. */
function uncertain(infos: readonly DatasetInfo[], keepLast: number): readonly Diagnostic[] {
  const undated = infos.filter(({ collectedAt }) => collectedAt === null);
  const withoutAgent = infos.filter(
    (each) => keepLast > 0 && agentOf(each) === null && each.collectedAt !== null,
  );
  return [
    ...keptBecause(undated.length, 'it is unknown when their jobs ended'),
    ...keptBecause(withoutAgent.length, 'it is unknown which agents collected them'),
  ];
}

function keptBecause(count: number, why: string): readonly Diagnostic[] {
  if (count === 0) return [];
  const message = `${count === 1 ? '1 dataset is' : `${count} datasets are`} kept, because ${why}`;
  return [{ severity: 'warning', code: 'data-unavailable', message, help: 'Delete them by id.' }];
}

/** Deletes what was planned, at most 50 at once, and looks whether it is gone. Throws a Problem. */
export async function removeData(
  session: Session,
  plan: RemovalPlan,
  onBegin: () => void,
): Promise<RemovalResult> {
  const ids = plan.datasets.map(({ id }) => id);
  const sent = await sendRemovals(session, ids, onBegin);
  const look = await idsLeft(session.client.reader());
  const changes = plan.datasets.map((dataset) => ({ dataset, done: isGone(dataset.id, sent, look) }));
  const open = changes.filter(({ done }) => done === false).length;
  const unclear = changes.filter(({ done }) => done === null).length;
  // What is gone was deleted, although the last answer was lost.
  const isAll = look.ids !== null && changes.every(({ done }) => done === true);
  const found = isAll ? [] : [...sent.diagnostics, ...look.diagnostics];
  if (session.interrupted()) found.push(...interruption(open, ids.length, 'deleted', unclear));
  if (open > 0 && found.length === 0) found.push(notDeleted(open));
  return { changes, queries: plan.queries, diagnostics: [...plan.diagnostics, ...found] };
}

interface SentRemovals {
  readonly accepted: ReadonlySet<string>;
  /** Those with a lost answer. */
  readonly lost: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

async function sendRemovals(
  session: Session,
  ids: readonly string[],
  onBegin: () => void,
): Promise<SentRemovals> {
  const accepted = new Set<string>();
  for (let at = 0; at < ids.length; at += MAX_BULK_DATASETS) {
    const some = ids.slice(at, at + MAX_BULK_DATASETS);
    if (session.interrupted()) break;
    onBegin();
    try {
      await callOperation(session.client, deleteDatasets(some));
    } catch (failure) {
      if (!(failure instanceof ServiceFailure)) throw failure;
      const mayBeDone = failure.certainty === 'unknown' || failure.attempts > 1;
      const lost = new Set(mayBeDone ? some : []);
      return { accepted, lost, diagnostics: failure.diagnostics };
    }
    for (const id of some) accepted.add(id);
  }
  return { accepted, lost: new Set(), diagnostics: [] };
}

interface LookForRemoved {
  /** Null if they cannot be read. */
  readonly ids: ReadonlySet<string> | null;
  readonly diagnostics: readonly Diagnostic[];
}

async function idsLeft(reader: Reader): Promise<LookForRemoved> {
  try {
    const listed = await reader.readAll(listDatasets());
    return { ids: new Set(listed.map(({ id }) => id)), diagnostics: [] };
  } catch (failure) {
    if (failure instanceof ServiceFailure) return { ids: null, diagnostics: failure.diagnostics };
    throw failure;
  }
}

/** The counts in the response to a repeated request are meaningless: the first one may have deleted all. The list decides. */
function isGone(id: string, { accepted, lost }: SentRemovals, { ids }: LookForRemoved): boolean | null {
  // What was not sent, or was refused, has not been deleted here, even if the list no longer shows it.
  if (!accepted.has(id) && !lost.has(id)) return false;
  if (ids !== null) return !ids.has(id);
  return accepted.has(id) ? true : null;
}

function notDeleted(count: number): Diagnostic {
  return {
    severity: 'error',
    code: 'not-converged',
    message: `${count === 1 ? '1 dataset was' : `${count} datasets were`} not deleted`,
    help: 'Run the command again.',
  };
}

/** `90d`, `12h` or `2w`, in milliseconds. Throws a Problem. */
export function parseAge(text: string): number {
  // `m` could be meant as months. Everything is older than nothing: that is too easily typed.
  const age = /[hdw]$/.test(text) ? readDuration(text) : null;
  if (age !== null && age > 0) return age;
  throw problem('usage', `--older-than: "${text}" is not an age`, 'Use 12h, 90d or 2w.');
}
