import { judgedMatches, observe, requireAccount } from '../../engine/observe.js';
import { type AddedExpectation, withExpectations } from '../../engine/pull/expect.js';
import { selectedOf, selectorsOf } from '../../engine/selectors.js';
import type { ReadSession, SessionOptions } from '../../engine/session.js';
import { limits } from '../../manifest/limits.js';
import { suggestWithin } from '../../manifest/suggest.js';
import { conditionText } from '../../model/condition.js';
import { hasErrors, Problem, problem } from '../../model/diagnostic.js';
import { expectationOf, withoutLeavesOf } from '../../model/expectation.js';
import { groupBy, isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import type { Pulled } from '../../model/pull.js';
import type { Reader } from '../../model/request.js';
import type { Address, Agent, Declared } from '../../model/resource.js';
import { count, some } from '../../model/words.js';
import { agentLookup } from '../../reconcile/references.js';
import { type Dataset, listDatasets } from '../../service/operations/datasets.js';
import { createQueue, type Queue } from '../../service/queue.js';
import { AGENT, addressOfAgent } from '../agents.js';
import { readSample } from '../data/sample.js';
import { kindsWithRuns } from '../run/targets.js';
import { occurrencesOf, readHistory } from '../status/history.js';
import { HistoryIndex } from '../status/resource-status.js';
import { type DeclaredResource, declaredResources } from '../status/resources.js';
import { idKindsOf, ranSince } from '../status/status.js';
import { LONGEST_PERIOD } from './check.js';
import { AT_ONCE, datasetOf } from './deliveries.js';
import type { DataFacts } from './facts.js';
import { nothingExpected } from './origin.js';
import { FEWEST_RUNS } from './properties/drop.js';
import { type DeliveredByAgent, proposalOf } from './propose.js';
import { readData } from './read-data.js';
import { type ExpectedRun, expectedRuns, type JudgingContext } from './runs.js';

interface PullExpectOptions {
  /** Addresses and globs of declared entries. */
  readonly addresses: readonly string[];
  /** Objects of the inventory that the service does not show were deleted: it is the same account. Default: false. */
  readonly allowAccountChange?: boolean | undefined;
}

/** Successful runs that a proposal is made from, the newest ones (contract §20). */
const MOST_RUNS = 14;
/** Runs among which they are looked for: more failures than these are worth a look themselves. */
const MOST_STARTS = 5 * MOST_RUNS;
/** How far back most of them are found. */
const PERIOD = 15 * 86_400_000;
/** Each column is one query. Further ones are expected to be there, and may be empty. */
const MOST_COLUMNS = 20;

/**
 * The files with `expect` in the entries of these addresses: what their last runs and the sample outputs of their agents show.
 * What an entry, its target or `defaults` expect already stays as it is. Sends reads only, and writes nothing.
 * @throws Problem for an address that is not that of a declared entry with runs, and when the service cannot be read.
 */
export async function pullExpectations(
  session: ReadSession,
  options: SessionOptions,
  { addresses, allowAccountChange = false }: PullExpectOptions,
): Promise<Pulled> {
  if (addresses.length === 0)
    throw problem(
      'usage',
      '`--expect` needs addresses',
      'Pass addresses of entries, such as `group/retail-prices`.',
    );
  const observation = await observe(session, {
    everything: true,
    allow: { accountChange: allowAccountChange },
  });
  requireAccount(observation);
  const { entries, existsIn } = session.project;
  const selectors = selectorsOf(addresses);
  const isSelected = selectedOf(selectors, { addresses: entries.map(({ address }) => address), existsIn });
  const judged = judgedMatches(session, observation, isSelected);
  if (hasErrors(judged)) throw new Problem(judged);
  const names = new Set(kindsWithRuns.map(({ name }) => name));
  const chosen = entries.filter((each) => isSelected(each.address) && names.has(each.kind) && !each.external);
  if (chosen.length === 0) throw withoutRuns(addresses);

  const now = session.serviceNow();
  const { agents } = observation.state;
  const context = { now, agents };
  const resources = declaredResources(session.project, observation, now);
  const reader = session.client.reader();
  const delivered = await new Deliveries(reader, resources, context).of(chosen, entries);
  const known = new Map(resources.map((each) => [each.address, each]));
  const proposed = chosen.map((entry): AddedExpectation => {
    const found = delivered.get(entry.address) ?? [];
    return { entry, added: additionTo(known.get(entry.address)?.expect?.whole ?? {}, proposalOf(found)) };
  });
  const added = proposed.filter((each) => Object.keys(each.added).length > 0);
  const reasons = proposed.flatMap(({ entry, added: own }) =>
    Object.keys(own).length > 0 ? [] : [reasonForNothing(entry, delivered.get(entry.address) ?? [])],
  );
  return withExpectations(added, reasons, { session, options, observation });
}

function withoutRuns(addresses: readonly string[]) {
  const message = `${addresses.join(', ')} cannot expect anything: ${addresses.length === 1 ? 'it has' : 'they have'} no runs`;
  return problem(
    'usage',
    message,
    '`expect` belongs to the groups, pipelines and schedules that this project declares.',
  );
}

/** What is expected of an agent already, by whatever layer, is not said again and not changed. */
function additionTo(whole: JsonObject, { members = {}, ...common }: JsonObject): JsonObject {
  const added = withoutLeavesOf(common, whole);
  const differing: Record<string, Json> = {};
  for (const [name, value] of Object.entries(isJsonObject(members) ? members : {})) {
    const rest = withoutLeavesOf(isJsonObject(value) ? value : {}, {
      ...expectationOf(whole, [name]),
    } as JsonObject);
    if (Object.keys(rest).length > 0) differing[name] = rest;
  }
  return Object.keys(differing).length === 0 ? added : { ...added, members: differing };
}

function reasonForNothing({ address }: Declared, delivered: readonly DeliveredByAgent[]): string {
  if (delivered.length === 0)
    return `The agents of ${address} are not known: it starts what this project does not declare.`;
  const few = delivered.filter(({ runs }) => runs.length < FEWEST_RUNS);
  if (few.length === 0) return `${address} already expects what its runs show.`;
  const names = some(
    few.map(({ name, runs }) => `${name} ${runs.length === 0 ? 'none' : runs.length}`),
    5,
  );
  return `Too few runs to propose anything for ${address}: each agent needs ${count(FEWEST_RUNS, 'successful run')} that a schedule of this project started (${names}).`;
}

/** Reads what the runs of entries have delivered. */
class Deliveries {
  private readonly queue: Queue = createQueue(AT_ONCE);
  private readonly data = new Map<string, Promise<DataFacts>>();
  private readonly samples = new Map<string, Promise<readonly string[] | null>>();
  private datasets: Promise<ReadonlyMap<string | null, readonly Dataset[]>> | null = null;

  constructor(
    private readonly reader: Reader,
    private readonly resources: readonly DeclaredResource[],
    private readonly context: JudgingContext,
  ) {}

  /** By entry, an item for each of its agents. Empty where they are not known. */
  async of(
    chosen: readonly Declared[],
    all: readonly Declared[],
  ): Promise<ReadonlyMap<Address, readonly DeliveredByAgent[]>> {
    const byAddress = new Map(all.map((each) => [each.address, each]));
    const wanted = chosen.map((entry) => ({
      entry,
      agents: agentsOf(entry, byAddress, this.context.agents),
    }));
    const runs = await this.runs(wanted);
    const found = wanted.map(async ({ entry, agents }) => {
      const own = groupBy(runs.get(entry.address) ?? [], ({ agent }) => agent);
      const delivered = agents.map((each) => this.delivered(each, own.get(addressOfAgent(each.agent)) ?? []));
      return [entry.address, await Promise.all(delivered)] as const;
    });
    return new Map(await Promise.all(found));
  }

  /** Reads further back where too few runs are found. */
  private async runs(
    wanted: readonly { readonly entry: Declared; readonly agents: readonly NamedAgent[] }[],
  ): Promise<ReadonlyMap<Address, readonly ExpectedRun[]>> {
    const now = this.context.now.getTime();
    const near = await this.runsSince(now - PERIOD, wanted);
    const hasAll = wanted.every(({ entry, agents }) => {
      const own = groupBy(near.get(entry.address) ?? [], ({ agent }) => agent);
      return agents.every(({ agent }) => (own.get(addressOfAgent(agent))?.length ?? 0) >= MOST_RUNS);
    });
    return hasAll ? near : this.runsSince(now - LONGEST_PERIOD, wanted);
  }

  private async runsSince(
    from: number,
    wanted: readonly { readonly entry: Declared }[],
  ): Promise<ReadonlyMap<Address, readonly ExpectedRun[]>> {
    const { resources } = this;
    const found = await readHistory(this.reader, idKindsOf(resources), ranSince(resources, from), from);
    if (found.diagnostics.length > 0)
      throw new Problem(found.diagnostics.map((each) => ({ ...each, severity: 'error' })));
    const history = new HistoryIndex(resources, occurrencesOf(found));
    const byAddress = new Map(resources.map((each) => [each.address, each]));
    return new Map(
      wanted.map(({ entry: { address } }) => {
        const resource = byAddress.get(address);
        const own = resource === undefined ? [] : history.of(resource);
        const runs = own.filter((each) => history.isOfProject(each));
        const all = runs
          .slice(0, MOST_STARTS)
          .flatMap((each) => expectedRuns({ expect: nothingExpected, runs }, each, this.context));
        return [address, all.filter(({ facts }) => facts.noData === null)];
      }),
    );
  }

  private async delivered(
    { name, agent }: NamedAgent,
    all: readonly ExpectedRun[],
  ): Promise<DeliveredByAgent> {
    const runs = all.slice(0, MOST_RUNS);
    const [newest] = runs;
    const nothing: DeliveredByAgent = {
      name,
      runs: runs.map(({ facts }) => facts),
      columns: null,
      empty: new Map(),
      rowCount: 0,
    };
    if (newest === undefined || newest.job.id === null || runs.length < FEWEST_RUNS) return nothing;
    const sample = await this.once(this.samples, agent.id, () => this.sampleOf(agent));
    const data = await this.once(this.data, newest.job.id, () => this.dataOf(newest, sample));
    if (data.unreadable !== null || data.rowCount === null) return nothing;
    const columns = data.columns.filter((column) => sample === null || sample.includes(column));
    const empty = columns.flatMap((column) => {
      const number = data.matches.get(conditionText({ column, operator: 'isempty' }));
      return number === undefined ? [] : [[column, number] as const];
    });
    return { ...nothing, columns, empty: new Map(empty), rowCount: data.rowCount };
  }

  /** Null without a sample. */
  private async sampleOf(agent: Agent): Promise<readonly string[] | null> {
    const sample = await readSample(this.reader, agent);
    return sample === null || sample.fields.length === 0 ? null : sample.fields.map(({ name }) => name);
  }

  private async dataOf({ job }: ExpectedRun, sample: readonly string[] | null): Promise<DataFacts> {
    this.datasets ??= this.reader.readAll(listDatasets()).then((all) => groupBy(all, ({ jobId }) => jobId));
    const dataset = datasetOf((await this.datasets).get(job.id) ?? []);
    const columns = sample ?? (await readData(this.reader, dataset, {})).columns;
    // No condition can name a column without a name, as an export with row numbers has.
    const named = columns.filter((column) => column.trim() !== '');
    const empty = named.slice(0, MOST_COLUMNS).map((column) => [column, '0%'] as const);
    return readData(this.reader, dataset, { empty: Object.fromEntries(empty) });
  }

  /** Several entries may start an agent. */
  private once<T>(known: Map<string, Promise<T>>, id: string, read: () => Promise<T>): Promise<T> {
    const found = known.get(id) ?? this.queue.run(read);
    known.set(id, found);
    return found;
  }
}

interface NamedAgent {
  /** As the entry writes it. */
  readonly name: string;
  readonly agent: Agent;
}

/** The agents of an entry, or of its target. None where the project does not declare which these are. */
function agentsOf(
  entry: Declared,
  byAddress: ReadonlyMap<Address, Declared>,
  agents: readonly Agent[],
): readonly NamedAgent[] {
  const linked = linksOf(entry);
  const [target = ''] = linked;
  const targeted = target.startsWith(AGENT) ? undefined : byAddress.get(target);
  if (targeted?.external === true) return [];
  const lookup = agentLookup(agents, suggestWithin(limits.comparisons));
  return (targeted === undefined ? linked : linksOf(targeted)).flatMap((each) => {
    const name = each.startsWith(AGENT) ? each.slice(AGENT.length) : '';
    const found = lookup.find(name);
    return 'agent' in found ? [{ name, agent: found.agent }] : [];
  });
}

function linksOf({ kind: name, declared }: Declared): readonly Address[] {
  const kind = kindsWithRuns.find((each) => each.name === name);
  return kind?.links?.(declared).to ?? [];
}
