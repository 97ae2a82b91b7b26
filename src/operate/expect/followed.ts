import type { ReadSession } from '../../engine/session.js';
import { kinds } from '../../kinds/index.js';
import type { CheckedDataset, UnjudgedRun } from '../../model/data.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { type Expectation, expectationOf } from '../../model/expectation.js';
import { groupBy, isJsonObject } from '../../model/json.js';
import type { Agent, Project } from '../../model/resource.js';
import type { Run } from '../../model/run.js';
import type { ServiceFailure } from '../../service/failure.js';
import { orElse } from '../../service/operation.js';
import { type Dataset, listDatasets } from '../../service/operations/datasets.js';
import { createQueue } from '../../service/queue.js';
import { addressOfAgent } from '../agents.js';
import type { FollowedRun } from '../run/follow.js';
import { jobsOf, runKind } from '../run/run-kinds.js';
import type { Watch } from '../watch.js';
import { AT_ONCE, type DeliveredContext, datasetOf, described, readDeliveries } from './deliveries.js';
import { expectsOfData } from './judge.js';
import { type Expected, expectedOf } from './origin.js';
import { type ExpectedRun, factsOf, judgementsOf, namesOf } from './runs.js';

export interface JudgedRuns {
  readonly checked: readonly CheckedDataset[];
  /** Runs with expectations that need earlier runs or more queries. */
  readonly unjudged: readonly UnjudgedRun[];
  /** Why some of it could not be read: what that would have shown is unknown. */
  readonly unread: readonly Diagnostic[];
}

/** Whoever interrupts a command is not told about data. */
const untold: JudgedRuns = { checked: [], unjudged: [], unread: [] };

/**
 * Judges what runs delivered that a command has followed: `records.min`, `finish` and `columns`, with one list of datasets
 * and one query for each of those whose columns matter. What takes earlier runs or more queries, `roster data check` judges.
 */
export async function judgeFollowed(
  session: ReadSession,
  runs: readonly Run[],
  followed: readonly FollowedRun[],
  watch: Watch,
  inventory: DeliveredContext['inventory'],
): Promise<JudgedRuns> {
  const { project } = session;
  if (session.interrupted()) return untold;
  const byId = new Map(followed.map((each) => [each.id, each]));
  const now = session.serviceNow();
  const found = runs.flatMap((run) => {
    const { address, id } = run;
    const expect = address === null ? undefined : expectAt(address, project);
    if (address === null || expect === undefined) return [];
    const own = byId.get(id ?? '')?.agents[0];
    return expectedRunsOf(run, { expect, own, agents: watch.agents, now }).map((each) => ({
      address,
      run: each,
    }));
  });
  const timed = await createQueue(AT_ONCE).map(found, async ({ address, run }) => ({
    address,
    run: await withStart(run, watch, now),
  }));
  const expected = timed.filter(({ run }) => !run.facts.isRunning || judgementsOf(run).length > 0);
  const needed = expected.filter(({ run }) => expectsOfData(run.expectation) && !run.facts.isRunning);
  const { byJob, failure } = await datasetsOf(
    needed.flatMap(({ run }) => run.job.id ?? []),
    watch,
  );
  const deliveries = expected.map((each) => ({
    ...each,
    dataset: each.run.job.id === null ? null : datasetOf(byJob.get(each.run.job.id) ?? []),
    unlisted: failure?.facts.message,
  }));
  // It throws only where it is interrupted.
  const read = await orElse(readDeliveries(watch.reader, deliveries), () => null);
  if (read === null || session.interrupted()) return untold;
  const unjudged = runs.flatMap((run) => unjudgedOf(run, project) ?? []);
  const about = { inventory, agents: watch.agents };
  return {
    checked: read.map((each) => described(each, about)),
    unjudged,
    unread: [...(failure?.diagnostics ?? []), ...read.flatMap(({ failures }) => failures)],
  };
}

/** What an entry expects, over what its target does, as the manifests declare it. */
function expectAt(address: string, { entries }: Project): Expected | undefined {
  const entry = entries.find((each) => each.address === address);
  if (entry === undefined) return undefined;
  const kind = kinds.find(({ name }) => name === entry.kind);
  const starts = kind?.startByHand?.target === undefined ? [] : (kind.links?.(entry.declared).to ?? []);
  const target = entries.find((each) => starts.includes(each.address));
  return expectedOf(entry, target);
}

interface FollowedExpectation {
  readonly expect: Expected;
  /** The agent of a run of one agent, which has the address of what started it. */
  readonly own: Agent | undefined;
  readonly agents: readonly Agent[];
  readonly now: Date;
}

/** The runs of its agents of which something is expected. One that failed is an error already. */
function expectedRunsOf(run: Run, { expect, own, agents, now }: FollowedExpectation): readonly ExpectedRun[] {
  const isJob = run.members.length === 0;
  const isChain = runKind(run.idKind).members === 'chain';
  return jobsOf(run).flatMap(({ id, address, state, records, startedAt, finishedAt, message }) => {
    const agent = isJob && own !== undefined ? addressOfAgent(own) : address;
    if (id === null || agent === null || (state !== 'succeeded' && state !== 'running')) return [];
    // Members of a group start together.
    const start = startedAt ?? (isChain ? null : run.startedAt);
    const job = { id, state, records, startedAt: start, finishedAt, message };
    const names = namesOf(agent, agent, agents);
    const expectation = withoutHistory(expectationOf(expect.whole, names));
    const found = { job, agent, names, expect, expectation, facts: factsOf(job, [], { now, agents }) };
    const isAwaited = state === 'succeeded' && expectsOfData(expectation);
    return isAwaited || judgementsOf(found).length > 0 ? [found] : [];
  });
}

/** Of a run that goes on, its answer need not show the start: its job does. */
async function withStart(run: ExpectedRun, watch: Watch, now: Date): Promise<ExpectedRun> {
  const { id } = run.job;
  if (id === null || !run.facts.isRunning || run.facts.took !== null) return run;
  const details = await watch.detailsOf(id);
  const job = { ...run.job, startedAt: details?.startedAt ?? null };
  return { ...run, job, facts: factsOf(job, [], { now, agents: watch.agents }) };
}

/** Of a run that failed, nothing is judged later either. */
function unjudgedOf({ address, id, state }: Run, project: Project): UnjudgedRun | null {
  if (address === null || id === null || state !== 'succeeded') return null;
  const { members, ...common } = expectAt(address, project)?.whole ?? {};
  const layers = [common, ...Object.values(isJsonObject(members) ? members : {})].filter(isJsonObject);
  const properties = ['empty', 'rows'].filter((name) => layers.some((each) => each[name] !== undefined));
  const hasDrop = layers.some(({ records }) => isJsonObject(records) && records['drop'] !== undefined);
  const all = [...(hasDrop ? ['records.drop'] : []), ...properties];
  return all.length === 0 ? null : { address, id, properties: all };
}

/** What one run and the columns of its dataset show. */
function withoutHistory({ records, empty: _, rows: __, ...rest }: Expectation): Expectation {
  return records?.min === undefined ? rest : { ...rest, records: { min: records.min } };
}

interface ListedDatasets {
  readonly byJob: ReadonlyMap<string | null, readonly Dataset[]>;
  /** Why they could not be listed; null where they were. */
  readonly failure: ServiceFailure | null;
}

/** The datasets of jobs. The list may lag behind a run that has just ended. */
async function datasetsOf(jobs: readonly string[], watch: Watch): Promise<ListedDatasets> {
  if (jobs.length === 0) return { byJob: new Map(), failure: null };
  const look = async () => groupBy(await watch.reader.readAll(listDatasets()), ({ jobId }) => jobId);
  const listed = watch.lookUntil(look, (byJob) => jobs.every((id) => byJob.has(id)));
  return orElse<ListedDatasets, ListedDatasets>(
    listed.then((byJob) => ({ byJob, failure: null })),
    (failure) => ({ byJob: new Map(), failure }),
  );
}
