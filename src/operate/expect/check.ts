import { diagnosticsIn, observe, requireAccount } from '../../engine/observe.js';
import { declaringFiles, withOwners } from '../../engine/owners.js';
import { selectedOf, selectionOf, unreadFor } from '../../engine/selectors.js';
import type { ReadSession } from '../../engine/session.js';
import type { CheckedDataset, DataCheck } from '../../model/data.js';
import { type Diagnostic, errorsIn, Problem, problem } from '../../model/diagnostic.js';
import { groupBy } from '../../model/json.js';
import type { Reader } from '../../model/request.js';
import type { Address, Agent } from '../../model/resource.js';
import { agree, namedIds, naturalOrder } from '../../model/words.js';
import { type Dataset, listDatasets } from '../../service/operations/datasets.js';
import { readInstant } from '../../service/operations/record.js';
import { AGENT, addressOfAgent, agentNamed } from '../agents.js';
import { namesIn } from '../data/datasets.js';
import { kindsWithRuns } from '../run/targets.js';
import { type Occurrence, occurrencesOf, readHistory } from '../status/history.js';
import { HistoryIndex } from '../status/resource-status.js';
import { type DeclaredResource, declaredResources } from '../status/resources.js';
import { instantOf, parseSince } from '../status/since.js';
import { idKindsOf, ranSince } from '../status/status.js';
import { datasetOf, described, readDeliveries } from './deliveries.js';
import { type ChosenRun, namedRuns } from './named-runs.js';
import { notStartedIn, refusalOf, runWithoutJob, startedAgents } from './not-started.js';
import { nothingExpected } from './origin.js';
import { MOST_RUNS } from './properties/drop.js';
import { type ExpectedRun, type Expecting, expectedRuns, type JudgingContext, judgementsOf } from './runs.js';

interface CheckOptions {
  /** `24h`, `7d` or a time with its offset: all runs since then. Default: the last run of each agent. */
  readonly since?: string | undefined;
}

const DAY = 86_400_000;
/** How far back runs are looked for, and how far where earlier ones are too few to compare with. */
const PERIOD = 7 * DAY;
export const LONGEST_PERIOD = 90 * DAY;

/**
 * Judges what the runs of entries delivered by what the entries expect: their last runs, or all since a time, or the runs
 * that ids select, whoever started them. Sends reads only: the lists of `status`, the list of datasets, and for each dataset
 * one query and one for each condition.
 * `names`: addresses, globs and ids of datasets and runs; none for everything.
 * @throws Problem for names that are not known, and when the service cannot be read.
 */
export async function checkData(
  session: ReadSession,
  names: readonly string[],
  { since: written }: CheckOptions = {},
): Promise<DataCheck> {
  const { addresses, ids } = namesIn(names);
  if (ids.length > 0 && written !== undefined)
    throw problem('usage', '`--since` has no effect on ids', 'Pass addresses, or omit it.');
  const { entries, unread } = session.project;
  const expecting = unread !== undefined || entries.some(({ expect }) => expect !== undefined);
  if (!expecting && names.length === 0) return nothingToCheck(session);
  const observation = await observe(session, { kinds: kindsWithRuns });
  requireAccount(observation);
  const { agents } = observation.state;
  const now = session.serviceNow();
  const since = sinceOf(written, now);
  const resources = declaredResources(session.project, observation, now);
  const isSelected = selectedBy(session, addresses, agents);
  const wanted = resources.filter((each) => each.expect !== undefined && isSelected.address(each.address));
  const errors = errorsIn(isSelected.unread);
  if (wanted.length === 0 && errors.length > 0) throw new Problem(errors);
  if (wanted.length === 0 && names.length > 0) throw withoutExpectations(names);

  const reader = session.client.reader();
  const context = { now, agents };
  const ofIds = ids.length === 0 ? [] : await reader.readAll(listDatasets());
  const named = ids.length === 0 ? null : runsById(ids, ofIds);
  const { chosen, diagnostics } = await chooseRuns(reader, { resources, wanted, since, named, context });
  const runs = chosen.filter(({ run }) => isSelected.agent(run.agent));
  const unknown = unknownIds(named, runs);
  if (runs.length === 0 && unknown.length > 0) throw new Problem(unknown);
  const isListed = named !== null || runs.length === 0;
  const listed = isListed ? ofIds : await reader.readAll(listDatasets());
  const byJob = groupBy(listed, ({ jobId }) => jobId);
  const found = runs.map(({ resource: { address }, run, startedBy }) => ({
    address,
    run,
    startedBy,
    dataset: run.job.id === null ? null : datasetOf(byJob.get(run.job.id) ?? []),
  }));
  const checked = await readDeliveries(reader, found);
  const { name: project, environment } = session.project;
  const about = { inventory: observation.inventory, agents };
  const datasets = checked.map((each) => described(each, about));
  const owners = withOwners(datasets, declaringFiles(session.project), session, 'resource');
  return {
    project,
    environment,
    service: session.service,
    datasets: owners.items.toSorted(worstFirst),
    diagnostics: [
      ...diagnosticsIn(session, observation, observation.comparison.diagnostics),
      ...isSelected.unread,
      ...diagnostics,
      ...unknown,
      ...checked.flatMap(({ failures }) => failures),
      ...owners.warnings,
    ],
  };
}

function sinceOf(written: string | undefined, now: Date): number | null {
  if (written === undefined) return null;
  const since = parseSince(written);
  if (since !== 'apply') return instantOf(since, now);
  throw problem('usage', '--since: `apply` has no meaning here', 'Pass a time such as `--since 24h`.');
}

/** `agent/x` narrows the check to this agent. */
function selectedBy(session: ReadSession, addresses: readonly string[], agents: readonly Agent[]) {
  const own = addresses.filter((each) => each.startsWith(AGENT));
  const named = new Set(own.map((each) => addressOfAgent(agentNamed(each.slice(AGENT.length), agents))));
  const others = addresses.filter((each) => !each.startsWith(AGENT));
  const { project, cwd } = session;
  const { entries, existsIn, unread = [] } = project;
  const selectors = others.length === 0 ? null : selectionOf({ addresses: others }, { project, cwd });
  const all = [...entries, ...unread].flatMap(({ address }) => address ?? []);
  const isEntry = selectedOf(selectors, { addresses: all, existsIn, unread });
  return {
    unread: unreadFor(project, selectors),
    address: isEntry,
    agent: (agent: Address) => named.size === 0 || named.has(agent),
  };
}

/** Takes no request. */
function nothingToCheck({ project, service }: ReadSession): DataCheck {
  const { name, environment } = project;
  return { project: name, environment, service, datasets: [], diagnostics: [] };
}

function withoutExpectations(names: readonly string[]) {
  const message = `nothing is expected of the data of ${names.join(', ')}`;
  return problem('usage', message, 'Add `expect` to the entry, or to what it targets.');
}

/** For each id, the id of a run or job: a dataset is found by its job. */
type RunsById = ReadonlyMap<string, string>;

function runsById(ids: readonly string[], datasets: readonly Dataset[]): RunsById {
  const jobs = new Map(datasets.map(({ id, jobId }) => [id, jobId]));
  return new Map(ids.map((id) => [id, jobs.get(id) ?? id]));
}

/** The ids that none of the runs has. */
function idsWithout(named: RunsById, runs: readonly ChosenRun[]): readonly string[] {
  const known = new Set(runs.flatMap(({ runId, run }) => [runId, run.job.id]));
  return [...named].flatMap(([id, meant]) => (known.has(meant) ? [] : [id]));
}

/** An error for the ids of which no run is judged. */
function unknownIds(named: RunsById | null, runs: readonly ChosenRun[]): readonly Diagnostic[] {
  const ids = named === null ? [] : idsWithout(named, runs);
  if (ids.length === 0) return [];
  const verb = agree(ids.length, 'matches', 'match');
  const message = `no run of the last 90 days that has an \`expect\` ${verb} ${namedIds(ids)}`;
  const help =
    'Pass the id of a run, job or dataset of the last 90 days that has ended, and add `expect` to its group, pipeline or schedule.';
  return [{ severity: 'error', code: 'unknown-id', message, help }];
}

interface RunsToChoose {
  readonly resources: readonly DeclaredResource[];
  readonly wanted: readonly DeclaredResource[];
  readonly since: number | null;
  /** Select the runs, whoever started them. Null: runs that the project's schedules started. */
  readonly named: RunsById | null;
  readonly context: JudgingContext;
}

/** Reads further back where too few runs are known to compare the records with. */
async function chooseRuns(
  reader: Reader,
  { resources, wanted, since, named, context }: RunsToChoose,
): Promise<{ readonly chosen: readonly ChosenRun[]; readonly diagnostics: readonly Diagnostic[] }> {
  const now = context.now.getTime();
  const first = Math.min(now - PERIOD, since ?? now);
  const read = async (from: number) => {
    const found = await readHistory(reader, idKindsOf(resources), ranSince(resources, from), from);
    const occurrences = occurrencesOf(found);
    const history = new HistoryIndex(resources, occurrences);
    const ofProject = () =>
      wanted.flatMap((each) => {
        const agents = startedAgents(each, resources, context.agents);
        return runsOf({ resource: each, agents, history, since }, context);
      });
    const chosen =
      named === null
        ? ofProject()
        : namedRuns({ ids: new Set(named.values()), resources, wanted, occurrences, history }, context);
    const diagnostics = found.diagnostics.map((each) => ({ ...each, severity: 'error' }) as const);
    return { chosen: judgedOnce(chosen), diagnostics };
  };
  if (wanted.length === 0) return { chosen: [], diagnostics: [] };
  const near = await read(first);
  const isWhole = named === null ? near.chosen.length > 0 : idsWithout(named, near.chosen).length === 0;
  const hasAll = isWhole && near.chosen.every(({ run }) => !needsMore(run));
  return hasAll || first <= now - LONGEST_PERIOD ? near : read(now - LONGEST_PERIOD);
}

function needsMore({ expectation, facts }: ExpectedRun): boolean {
  const { before } = facts;
  return expectation.records?.drop !== undefined && before !== null && before.length < MOST_RUNS;
}

interface RunsOfResource {
  readonly resource: DeclaredResource;
  /** The agents that it starts. */
  readonly agents: readonly Agent[];
  readonly history: HistoryIndex;
  readonly since: number | null;
}

/**
 * The runs of each agent since a time, or the last of them, and those that go on too long. For an agent that did not start
 * in the last run, no earlier one stands in.
 */
function runsOf(
  { resource, agents, history, since }: RunsOfResource,
  context: JudgingContext,
): readonly ChosenRun[] {
  const { expect = nothingExpected } = resource;
  const runs = history.of(resource).filter((each) => history.isOfProject(each));
  const expecting: Expecting = { expect, runs };
  const without = (missing: readonly Agent[], why: string) =>
    missing.map((agent) => runWithoutJob(resource, agent, why, context));
  const refusal = refusalOf(resource);
  const refused = refusal === null ? [] : without(agents, refusal);
  const seen = new Set<string>(refused.map(({ agent }) => agent));
  const own = resource.observed?.id ?? null;
  const started = runs.flatMap((occurrence): ChosenRun[] => {
    if (since !== null && !isSince(occurrence, since)) return [];
    const { scheduleId } = occurrence;
    const { missing, why } = notStartedIn(occurrence, agents);
    const found = [...expectedRuns(expecting, occurrence, context), ...without(missing, why)];
    return found.flatMap((run) => {
      const chosen = { resource, run, runId: occurrence.id, scheduleId, startedBy: 'project' } as const;
      if (run.facts.isRunning) return judgementsOf(run).length === 0 ? [] : [chosen];
      if (since === null && seen.has(run.agent)) return [];
      seen.add(run.agent);
      return [chosen];
    });
  });
  const notStarted = refused.map(
    (run) => ({ resource, run, runId: null, scheduleId: own, startedBy: 'project' }) as const,
  );
  return [...notStarted, ...started];
}

function isSince({ startedAt, finishedAt }: Occurrence, since: number): boolean {
  const time = readInstant(finishedAt ?? startedAt ?? '');
  return time === null || time >= since;
}

/** A run of a schedule is also one of its target: the schedule says more of it. */
function judgedOnce(chosen: readonly ChosenRun[]): readonly ChosenRun[] {
  const schedules = new Set(
    chosen.flatMap(({ resource, scheduleId }) => (resource.target === null ? [] : (scheduleId ?? []))),
  );
  return chosen.filter(
    ({ resource, scheduleId }) => resource.target !== null || !schedules.has(scheduleId ?? ''),
  );
}

const order: readonly CheckedDataset['verdict'][] = ['unmet', 'unknown', 'met'];

function worstFirst(a: CheckedDataset, b: CheckedDataset): number {
  const byName = () => naturalOrder(a.address, b.address) || naturalOrder(a.agent, b.agent);
  const byLevel = () => Number(isReportedOnly(a)) - Number(isReportedOnly(b));
  return order.indexOf(a.verdict) - order.indexOf(b.verdict) || byLevel() || byName();
}

function isReportedOnly({ expectations }: CheckedDataset): boolean {
  return expectations.every(({ level }) => level === 'warning');
}
