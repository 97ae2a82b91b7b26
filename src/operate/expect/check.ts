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
import { namedRunsOf } from './named-runs.js';
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
  const named = ids.length === 0 ? null : runsWithIds(ids, ofIds);
  const { chosen, diagnostics } = await chooseRuns(reader, { resources, wanted, since, named, context });
  const runs = chosen.filter(({ run }) => isSelected.agent(run.agent));
  const isListed = named !== null || runs.length === 0;
  const listed = isListed ? ofIds : await reader.readAll(listDatasets());
  const byJob = groupBy(listed, ({ jobId }) => jobId);
  const found = runs.map(({ resource: { address }, run, startedBy }) => ({
    address,
    run,
    startedBy,
    dataset: run.job.id === null ? null : datasetOf(byJob.get(run.job.id) ?? []),
  }));
  requireRuns(ids, runs, ofIds);
  const checked = await readDeliveries(reader, found);
  const { name: project, environment } = session.project;
  const about = { inventory: observation.inventory, agents, environment };
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
  const selectors = others.length === 0 ? null : selectionOf({ addresses: others }, { project, cwd });
  const all = [...project.entries, ...(project.unread ?? [])].flatMap(({ address }) => address ?? []);
  const isEntry = selectedOf(selectors, { ...project, addresses: all });
  return {
    unread: unreadFor(project, selectors),
    address: (address: Address) => isEntry(address),
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

/** The ids of runs and jobs that names mean: of datasets, those of their jobs. */
function runsWithIds(ids: readonly string[], datasets: readonly Dataset[]): ReadonlySet<string> {
  const jobs = datasets.flatMap(({ id, jobId }) => (ids.includes(id) && jobId !== null ? [jobId] : []));
  return new Set([...ids, ...jobs]);
}

/** Each id must match one of the runs, by the id of the run, its job or one of its datasets. */
function requireRuns(ids: readonly string[], runs: readonly ChosenRun[], datasets: readonly Dataset[]): void {
  const found = new Set(runs.flatMap(({ run, runId }) => [runId ?? [], run.job.id ?? []].flat()));
  const named = datasets.filter(({ jobId }) => jobId !== null && found.has(jobId)).map(({ id }) => id);
  const missing = ids.filter((id) => !found.has(id) && !named.includes(id));
  if (missing.length === 0) return;
  const verb = agree(missing.length, 'matches', 'match');
  const message = `no run of the last 90 days that has an \`expect\` ${verb} ${namedIds(missing)}`;
  const help =
    'Pass the id of a run, job or dataset of the last 90 days, and add `expect` to its group, pipeline or schedule.';
  throw problem('unknown-id', message, help);
}

interface ChosenRun {
  readonly resource: DeclaredResource;
  readonly run: ExpectedRun;
  /** The id of the run of a group or pipeline, or of the job. Missing if ids select no runs. */
  readonly runId?: string | undefined;
  /** The schedule that started it, or was to. */
  readonly scheduleId: string | null;
  readonly startedBy: CheckedDataset['startedBy'];
}

interface RunsToChoose {
  readonly resources: readonly DeclaredResource[];
  readonly wanted: readonly DeclaredResource[];
  readonly since: number | null;
  /** The ids of runs and jobs, whoever started them. Null for those of the project. */
  readonly named: ReadonlySet<string> | null;
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
    const isOfProject = (each: Occurrence) => history.isOfProject(each);
    const chosen = wanted.flatMap((each): readonly ChosenRun[] => {
      if (named !== null) {
        const about = { ids: named, resources, wanted, occurrences, isOfProject };
        const own = history.of(each).filter(isOfProject);
        const scheduleId = each.target === null ? null : (each.observed?.id ?? null);
        return namedRunsOf(each, own, about, context).map((run) => ({ resource: each, scheduleId, ...run }));
      }
      const agents = startedAgents(each, resources, context.agents);
      return runsOf({ resource: each, agents, history, since }, context);
    });
    const diagnostics = found.diagnostics.map((each) => ({ ...each, severity: 'error' }) as const);
    return { chosen: withoutRepeats(chosen), diagnostics };
  };
  if (wanted.length === 0) return { chosen: [], diagnostics: [] };
  const near = await read(first);
  const seen = new Set(near.chosen.map(({ run }) => run.job.id));
  const isWhole = named === null ? near.chosen.length > 0 : [...named].every((id) => seen.has(id));
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
      const chosen = { resource, run, scheduleId, startedBy: 'project' } as const;
      if (run.facts.isRunning) return judgementsOf(run).length === 0 ? [] : [chosen];
      if (since === null && seen.has(run.agent)) return [];
      seen.add(run.agent);
      return [chosen];
    });
  });
  const notStarted = refused.map(
    (run) => ({ resource, run, scheduleId: own, startedBy: 'project' }) as const,
  );
  return [...notStarted, ...started];
}

function isSince({ startedAt, finishedAt }: Occurrence, since: number): boolean {
  const time = readInstant(finishedAt ?? startedAt ?? '');
  return time === null || time >= since;
}

/** A run of a schedule is also one of its target: the schedule says more of it. */
function withoutRepeats(chosen: readonly ChosenRun[]): readonly ChosenRun[] {
  const schedules = new Set(
    chosen.flatMap(({ resource, scheduleId }) => (resource.target === null ? [] : [scheduleId])),
  );
  return chosen.filter(({ resource, scheduleId }) => resource.target !== null || !schedules.has(scheduleId));
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
