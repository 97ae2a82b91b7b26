import type { ReadSession, Session } from '../../engine/session.js';
import type { BatchResult, ItemResult } from '../../model/batch.js';
import type { DatasetInfo } from '../../model/data.js';
import { type Diagnostic, problem } from '../../model/diagnostic.js';
import type { Reader } from '../../model/request.js';
import { readDuration } from '../../model/words.js';
import { ServiceFailure } from '../../service/failure.js';
import { attempt, orElse } from '../../service/operation.js';
import { listAgents } from '../../service/operations/agents.js';
import { deleteDatasets, listDatasets, MAX_BULK_DATASETS } from '../../service/operations/datasets.js';
import { listSavedQueries } from '../../service/operations/saved-queries.js';
import { itemResult, runBatch } from '../batch.js';
import {
  collectedTimes,
  datasetInfo,
  interruption,
  namesIn,
  noData,
  refuseAddresses,
  unavailable,
} from './datasets.js';

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

export interface RemovalResult extends BatchResult<DatasetInfo> {
  readonly queries: number;
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
  begin: () => void,
): Promise<RemovalResult> {
  const { datasets, queries } = plan;
  const sent = await runBatch(session, {
    items: datasets,
    // The service deletes no more in one request.
    atOnce: MAX_BULK_DATASETS,
    async change(...some) {
      begin();
      const deleted = await attempt(session.client, deleteDatasets(some.map(({ id }) => id)));
      if (deleted.type === 'done') return some.map((each) => itemResult(each, 'done'));
      const { facts, attempts } = deleted.failure;
      // An earlier attempt may have deleted them, whatever the last one was answered.
      throw attempts === 1 ? deleted.failure : new ServiceFailure({ ...facts, certainty: 'unknown' });
    },
    interruption: () => [],
    begin,
  });
  const look = await idsLeft(session.client.reader());
  const results = sent.results.map(({ item, result }) =>
    itemResult(item, resultOf(item.id, result, look.ids)),
  );
  const unclear = results.filter(({ result }) => result === 'unknown').length;
  const open = results.filter(({ result }) => result !== 'done').length - unclear;
  // What is gone was deleted, although the last answer was lost.
  const isAll = look.ids !== null && open === 0;
  const failures = isAll ? [] : [...sent.failures, ...look.diagnostics];
  if (session.interrupted()) failures.push(...interruption(open, datasets.length, 'deleted', unclear));
  if (open > 0 && failures.length === 0) failures.push(notDeleted(open));
  return { results, queries, diagnostics: [...plan.diagnostics, ...failures] };
}

/** A removal of which nothing is sent: it shows what would be deleted. */
export function notRemoved({ datasets, queries, diagnostics }: RemovalPlan): RemovalResult {
  return { results: datasets.map((each) => itemResult(each, 'notSent')), queries, diagnostics };
}

interface LookForRemoved {
  /** Null if they cannot be read. */
  readonly ids: ReadonlySet<string> | null;
  readonly diagnostics: readonly Diagnostic[];
}

function idsLeft(reader: Reader): Promise<LookForRemoved> {
  const listed = reader.readAll(listDatasets());
  return orElse(
    listed.then((all): LookForRemoved => ({ ids: new Set(all.map(({ id }) => id)), diagnostics: [] })),
    ({ diagnostics }) => ({ ids: null, diagnostics }),
  );
}

/** The counts in the response to a repeated request are meaningless: the first one may have deleted all. The list decides. */
function resultOf(
  id: string,
  sent: ItemResult<DatasetInfo>['result'],
  left: LookForRemoved['ids'],
): ItemResult<DatasetInfo>['result'] {
  // What was not sent, or was refused, has not been deleted here, even if the list no longer shows it.
  if (left === null || (sent !== 'done' && sent !== 'unknown')) return sent;
  return left.has(id) ? 'refused' : 'done';
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

export interface RemovalRule {
  /** Datasets whose job or run ended before this time, in ISO 8601. */
  readonly before: string;
  /** How many of each agent's newest jobs keep their available datasets. */
  readonly keepLast: number;
}

/**
 * The datasets that a rule deletes, oldest first. Only owned ones whose age is known: what is not known to be old is
 * kept, and what may be one of the newest of its agent. Those that can no longer be read are not kept. Pure.
 */
export function removable(datasets: readonly DatasetInfo[], rule: RemovalRule): readonly DatasetInfo[] {
  const own = datasets.filter(({ canManage }) => canManage);
  const byAge = own
    .flatMap((each) => (each.collectedAt === null ? [] : [{ dataset: each, at: each.collectedAt }]))
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const jobs = new Map<string, Set<string>>();
  for (const { dataset } of byAge.toReversed()) {
    const agent = agentOf(dataset);
    if (agent === null) continue;
    const kept = jobs.get(agent) ?? new Set();
    if (dataset.status === 'Available' && kept.size < rule.keepLast) kept.add(jobOf(dataset));
    jobs.set(agent, kept);
  }
  const isKept = (dataset: DatasetInfo) => {
    const agent = agentOf(dataset);
    return agent === null ? rule.keepLast > 0 : jobs.get(agent)?.has(jobOf(dataset)) === true;
  };
  return byAge
    .filter(({ dataset, at }) => at < rule.before && !isKept(dataset))
    .map(({ dataset }) => dataset);
}

/** Deleted agents may share a name. Null where the service does not say whose dataset it is. */
function agentOf({ agent, agentId, agentName }: DatasetInfo): string | null {
  return agent ?? agentId ?? (agentName || null);
}

/** A job of several runs has a dataset of its own and one for each run. */
function jobOf({ id, jobId }: DatasetInfo): string {
  return jobId ?? id;
}
