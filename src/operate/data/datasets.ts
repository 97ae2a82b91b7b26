import type { ReadSession } from '../../engine/session.js';
import type { DataOutcome, DatasetInfo } from '../../model/data.js';
import { type Diagnostic, problem } from '../../model/diagnostic.js';
import type { Reader } from '../../model/request.js';
import { type Address, type Agent, isId, normalId } from '../../model/resource.js';
import { ServiceFailure } from '../../service/failure.js';
import { unlessGone } from '../../service/operation.js';
import { listRuns, listRunsOfJob } from '../../service/operations/agent-runs.js';
import { listAgents } from '../../service/operations/agents.js';
import { type Dataset, listDatasets } from '../../service/operations/datasets.js';
import { readInstant } from '../../service/operations/record.js';
import { pages } from '../../service/paging.js';
import { addressNamed, addressOfAgent } from '../agents.js';
import { findObjects, targetsOf } from '../run/targets.js';

export interface DatasetList {
  /** Newest first. */
  readonly datasets: readonly DatasetInfo[];
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
  const shown = own.toSorted((a, b) => expiryOrNever(b) - expiryOrNever(a)).slice(0, limit);
  const times = await collectedTimes(reader, shown);
  const datasets = shown
    .map((each) => datasetInfo(each, agents, times))
    .toSorted((a, b) => compareTimes(b.collectedAt, a.collectedAt));
  return { datasets, total: own.length, diagnostics: session.warnings };
}

/** In milliseconds; NaN where it is not known. */
function expiry({ expiresAt }: Dataset): number {
  return Date.parse(expiresAt ?? '');
}

/** What never expires is the newest. */
function expiryOrNever(dataset: Dataset): number {
  const milliseconds = expiry(dataset);
  return Number.isNaN(milliseconds) ? Number.POSITIVE_INFINITY : milliseconds;
}

/** An unknown time is first: it may be that of a job which has just ended. */
function compareTimes(a: string | null, b: string | null): number {
  const [one, other] = [a ?? '9', b ?? '9'];
  return one < other ? -1 : one > other ? 1 : 0;
}

export interface ChosenDataset {
  readonly id: string;
  readonly agent: Address | null;
  /** Null for one that the list does not show, such as that of a demo agent. */
  readonly dataset: Dataset | null;
}

export interface ChosenDatasets {
  readonly datasets: readonly ChosenDataset[];
  readonly agents: readonly Agent[];
  /** An error for each agent without a dataset that can be read. */
  readonly missing: readonly Diagnostic[];
}

export interface ChooseOptions {
  /** The newest dataset of an agent must be available: an older one does not take its place. Default: false. */
  readonly latest?: boolean | undefined;
}

/** The datasets with these ids, and the newest available one of each agent of the addresses. Throws a Problem. */
export async function chooseDatasets(
  session: ReadSession,
  names: readonly string[],
  { latest = false }: ChooseOptions = {},
): Promise<ChosenDatasets> {
  const { addresses, ids } = namesIn(names);
  if (latest && addresses.length === 0)
    throw problem('usage', '`--latest` has no effect on ids', 'Pass an address, or omit it.');
  const reader = session.client.reader();
  const { named, agents } = await agentsOf(session, addresses);
  const listed = addresses.length > 0 ? await reader.readAll(listDatasets()) : await listedUntil(reader, ids);
  const byId = new Map(listed.map((each) => [each.id, each]));
  const own = named.map((agent) => {
    const all = listed.filter((each) => isOf(each, agent) && (latest || isAvailable(each)));
    return { agent, datasets: withoutParts(all) };
  });
  const undecided = own.filter(({ datasets }) => needsTimes(datasets));
  const times = await collectedTimes(
    reader,
    undecided.flatMap(({ datasets }) => datasets),
  );
  const newest = own.map(({ agent, datasets }) => readable(newestOf(datasets, times), agent));
  const chosen = [
    ...newest.flatMap((each) => ('dataset' in each ? [each.dataset] : [])),
    ...ids.map((id) => byId.get(id) ?? id),
  ].map((each) => chosenDataset(each, agents));
  return {
    datasets: [...new Map(chosen.map((each) => [each.id, each])).values()],
    agents,
    missing: newest.flatMap((each) => ('missing' in each ? [each.missing] : [])),
  };
}

/** Splits what was typed. Throws a Problem for what is neither an address nor an id. */
export function namesIn(names: readonly string[]): { addresses: readonly string[]; ids: readonly string[] } {
  const addresses = names.filter((name) => /[/*]/.test(name));
  const ids = names.filter((name) => !/[/*]/.test(name));
  const wrong = ids.find((id) => !isId(id));
  if (wrong === undefined) return { addresses, ids: [...new Set(ids.map(normalId))] };
  const help = 'Pass the id of a dataset, or an address such as `agent/acme-shop`.';
  throw problem('usage', `"${wrong}" is neither a dataset id nor an address`, help);
}

function chosenDataset(found: Dataset | string, agents: readonly Agent[]): ChosenDataset {
  if (typeof found === 'string') return { id: found, agent: null, dataset: null };
  return { id: found.id, agent: addressOfDataset(found, agents), dataset: found };
}

/** There is no read of a single dataset: the pages up to those with the ids. */
async function listedUntil(reader: Reader, ids: readonly string[]): Promise<readonly Dataset[]> {
  const found: Dataset[] = [];
  const wanted = new Set(ids);
  if (wanted.size === 0) return found;
  for await (const { items } of pages(reader, listDatasets(), { most: MOST_DATASET_PAGES })) {
    for (const item of items) {
      found.push(item);
      wanted.delete(item.id);
    }
    if (wanted.size === 0) break;
  }
  return found;
}

/** What is further down is read by its id alone. */
const MOST_DATASET_PAGES = 100;

type Newest = { readonly dataset: Dataset } | { readonly missing: Diagnostic };

function readable(newest: Dataset | null, agent: Agent): Newest {
  const address = addressOfAgent(agent);
  if (newest === null) {
    const help = `Run it with \`roster run ${address}\`, or see \`roster data ${address}\`.`;
    return { missing: noData(`${address} has no available dataset`, help) };
  }
  if (isAvailable(newest)) return { dataset: newest };
  const status = statusOf(newest).toLowerCase();
  const help = 'Without `--latest`, an older one that is available takes its place.';
  return { missing: noData(`the latest dataset of ${address} is ${status}: ${newest.id}`, help) };
}

/** The runs of a job of several have datasets, too: parts of what the job has collected. */
function withoutParts(datasets: readonly Dataset[]): readonly Dataset[] {
  const whole = new Set(datasets.flatMap(({ jobId, runId }) => (runId === null ? [jobId] : [])));
  return datasets.filter(({ jobId, runId }) => runId === null || jobId === null || !whole.has(jobId));
}

export interface NamedAgents {
  /** Those of the addresses, in their order. */
  readonly named: readonly Agent[];
  /** All agents of the account. */
  readonly agents: readonly Agent[];
}

/** The agents that addresses stand for: those that a run of them would start. Throws a Problem. */
export async function agentsOf(session: ReadSession, addresses: readonly Address[]): Promise<NamedAgents> {
  if (addresses.length === 0)
    return { named: [], agents: await session.client.reader().readAll(listAgents()) };
  const known = await findObjects(session, addresses);
  const targets = targetsOf(known, { inputs: {}, declared: false });
  const named = new Map(targets.flatMap(({ agents }) => agents).map((agent) => [agent.id, agent]));
  return { named: [...named.values()], agents: known.agents };
}

export function datasetInfo(dataset: Dataset, agents: readonly Agent[], times: CollectedTimes): DatasetInfo {
  return {
    id: dataset.id,
    agent: addressOfDataset(dataset, agents),
    agentId: dataset.agentId,
    agentName: dataset.agentName,
    collectedAt: times.get(dataset.id) ?? null,
    status: statusOf(dataset),
    sizeBytes: dataset.sizeBytes,
    fileName: dataset.fileName,
    expiresAt: dataset.expiresAt,
    accessLevel: dataset.accessLevel,
    canManage: dataset.canManage,
    jobId: dataset.jobId,
    runId: dataset.runId,
    groupRunId: dataset.groupRunId,
  };
}

export function statusOf({ status, isExpired }: Dataset): Dataset['status'] {
  return isExpired === true ? 'Expired' : status;
}

/** Null if the account no longer has this agent. */
function addressOfDataset({ agentId, agentName }: Dataset, agents: readonly Agent[]): Address | null {
  const own = agents.find(({ id }) => id === agentId);
  if (own !== undefined) return addressOfAgent(own);
  const known = agentId === null ? addressNamed(agentName, agents) : null;
  return agents.some((agent) => addressOfAgent(agent) === known) ? known : null;
}

function isOf({ agentId, agentName }: Dataset, agent: Agent): boolean {
  return agentId === null ? agentName === agent.name : agentId === agent.id;
}

function isAvailable({ status, isExpired }: Dataset): boolean {
  return status === 'Available' && isExpired !== true;
}

/**
 * Whether the ends of their jobs decide which of an agent's datasets is the newest. The interface does not say in which
 * order they are listed, but all files of an account are kept for the same period: where the first one is also the only
 * one to expire last, no further call is needed.
 */
export function needsTimes([first, ...others]: readonly Dataset[]): boolean {
  return first !== undefined && !others.every((other) => expiry(other) < expiry(first));
}

/** The newest of an agent's datasets; null without any. Pure. */
export function newestOf(datasets: readonly Dataset[], times: CollectedTimes): Dataset | null {
  const [first] = datasets;
  if (first === undefined || !needsTimes(datasets)) return first ?? null;
  const timeOf = ({ id }: Dataset) => times.get(id) ?? '';
  const isNewer = (one: Dataset, other: Dataset) =>
    timeOf(one) === timeOf(other) ? expiry(one) > expiry(other) : timeOf(one) > timeOf(other);
  return datasets.reduce((newest, each) => (isNewer(each, newest) ? each : newest));
}

/** By dataset id: ISO 8601 in UTC. A dataset whose job or run is not found, or not finished, is missing. */
export type CollectedTimes = ReadonlyMap<string, string>;

type DatasetSource = Pick<Dataset, 'id' | 'jobId' | 'runId'>;

/** So many datasets are looked up one by one. For more, a page of the list of runs tells of 100. */
const FEW = 5;
const MOST_RUN_PAGES = 1_000;
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
  if (wanted.size === 0) return;
  let inVain = 0;
  const list = listRuns({ state: 'succeeded' });
  for await (const { items } of pages(reader, list, { most: MOST_RUN_PAGES })) {
    const before = wanted.size;
    for (const run of items) {
      const id = wanted.get(run.id);
      const time = isoTime(run.endTime);
      if (id !== undefined && time !== null) times.set(id, time);
      wanted.delete(run.id);
    }
    inVain = wanted.size < before ? 0 : inVain + 1;
    if (wanted.size === 0 || inVain === MOST_PAGES_IN_VAIN) return;
  }
}

/** Null while one of its runs goes on, and for a job that is gone. */
async function endOfJob(reader: Reader, jobId: string): Promise<string | null> {
  const runs = await unlessGone(reader.readAll(listRunsOfJob(jobId)), [404]);
  const ends = (runs ?? []).map(({ endTime }) => isoTime(endTime));
  return ends.includes(null) ? null : (ends.sort().at(-1) ?? null);
}

/** Null for what is not an instant. `Date.parse` reads a year from many words, and what looks old may be deleted. */
function isoTime(text: string | null): string | null {
  const milliseconds = text === null ? null : readInstant(text);
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

type NoData = Exclude<DataOutcome, 'saved' | 'failed'>;

/** The service's answers by which it has no data (interface §7); null for any other failure. */
export function noDataOutcome(failure: unknown): NoData | null {
  if (!(failure instanceof ServiceFailure) || failure.facts.isPage === true) return null;
  if (failure.status === 402) return 'unpaid';
  if (failure.status === 404) return 'notFound';
  if (failure.status === 410) return 'expired';
  return failure.status === 400 && failure.errorCode === 'NO_FILE_EXPORT' ? 'noFile' : null;
}

export const reasons: Readonly<Record<NoData, string>> = {
  unpaid: 'the final payment has not settled',
  notFound: 'it does not exist, or is not shared with this account',
  expired: 'retention has removed the file',
  noFile: 'it has no file',
};

const hints: Readonly<Partial<Record<NoData, string>>> = {
  unpaid: 'The data exists. Try again when the payment has settled.',
};

/** `what`: `dataset 3f…`, or `agent/acme-shop`. */
export function unavailable(what: string, outcome: NoData): Diagnostic {
  return noData(`${what} cannot be read: ${reasons[outcome]}`, hints[outcome]);
}

export function noData(message: string, help?: string): Diagnostic {
  const base = { severity: 'error', code: 'data-unavailable', message } as const;
  return help === undefined ? base : { ...base, help };
}

/** `done`: `downloaded`. `unclear`: of so many it is not known. Nothing without any that are left. */
export function interruption(left: number, all: number, done: string, unclear = 0): readonly Diagnostic[] {
  const parts = [
    ...(left === 0 ? [] : [`${left} of ${all} datasets were not ${done}`]),
    ...(unclear === 0 ? [] : [`of ${unclear} of ${all} datasets, it is not known whether they were ${done}`]),
  ];
  if (parts.length === 0) return [];
  return [{ severity: 'error', code: 'interrupted', message: `interrupted: ${parts.join(', and ')}` }];
}

/** The newest dataset of an agent is another one tomorrow: what changes datasets names them by id. */
export function refuseAddresses(addresses: readonly Address[], what: string): void {
  const [address] = addresses;
  if (address === undefined) return;
  const help = `\`roster data ${address}\` lists the ids.`;
  throw problem('usage', `datasets are ${what} by id, not by address: ${address}`, help);
}
