import type { ReadSession } from '../../engine/session.js';
import { type Diagnostic, problem } from '../../model/diagnostic.js';
import type { Reader } from '../../model/request.js';
import { type Address, type Agent, isId, normalId } from '../../model/resource.js';
import { type Dataset, datasetPage, listDatasets } from '../../service/operations/datasets.js';
import { addressOfAgent } from '../run/states.js';
import { agentsOf } from './agents-of.js';
import { collectedTimes } from './collected-times.js';
import { addressOfDataset, isAvailable, isOf, statusOf } from './dataset-info.js';
import { needsTimes, newestOf } from './newest.js';
import { noData } from './outcomes.js';

/** A dataset that was named. */
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

const PAGE = 100;
const MOST_PAGES = 100;

/** There is no read of a single dataset: the pages up to those with the ids. */
async function listedUntil(reader: Reader, ids: readonly string[]): Promise<readonly Dataset[]> {
  const found: Dataset[] = [];
  const wanted = new Set(ids);
  for (let page = 1; page <= MOST_PAGES && wanted.size > 0; page += 1) {
    const { items, total } = await reader.read(datasetPage({}, page, PAGE));
    found.push(...items);
    for (const { id } of items) wanted.delete(id);
    if (items.length === 0 || page * PAGE >= (total ?? 0)) break;
  }
  return found;
}

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
