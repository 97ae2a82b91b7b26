import { diagnosticsIn, observe, requireAccount } from '../../engine/observe.js';
import { declaringFiles, withOwners } from '../../engine/owners.js';
import { selectedOf, selectionOf, unreadFor } from '../../engine/selectors.js';
import type { ReadSession } from '../../engine/session.js';
import type { CheckedDataset, DataCheck } from '../../model/data.js';
import { type Diagnostic, errorsIn, Problem, problem } from '../../model/diagnostic.js';
import { groupBy } from '../../model/json.js';
import type { Reader } from '../../model/request.js';
import type { Address, Agent } from '../../model/resource.js';
import { naturalOrder } from '../../model/words.js';
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
 * Judges what the runs of entries delivered by what the entries expect: their last runs, or all since a time. Sends reads
 * only: the lists of `status`, that of datasets, and for each dataset one query and one for each condition.
 * `names`: addresses, globs and ids of datasets; none for everything.
 * @throws Problem for a name that is not known, and when the service cannot be read.
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
  const { chosen, diagnostics } = await chooseRuns(reader, { resources, wanted, since, context });
  const runs = chosen.filter(({ run }) => isSelected.agent(run.agent));
  const listed = runs.length === 0 ? [] : await reader.readAll(listDatasets());
  const byJob = groupBy(listed, ({ jobId }) => jobId);
  const found = runs.map(({ resource: { address }, run }) => ({
    address,
    run,
    dataset: run.job.id === null ? null : datasetOf(byJob.get(run.job.id) ?? []),
  }));
  const named = ids.length === 0 ? found : found.filter(({ dataset }) => ids.includes(dataset?.id ?? ''));
  checkIds(ids, named);
  const checked = await readDeliveries(reader, named);
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

function checkIds(ids: readonly string[], found: readonly { readonly dataset: Dataset | null }[]): void {
  const known = new Set(found.map(({ dataset }) => dataset?.id));
  const missing = ids.find((id) => !known.has(id));
  if (missing === undefined) return;
  const message = `dataset ${missing} is not of the last run of an entry with \`expect\``;
  throw problem('unknown-id', message, 'Pass `--since 7d` to check earlier runs as well.');
}

interface ChosenRun {
  readonly resource: DeclaredResource;
  readonly run: ExpectedRun;
  /** The schedule that started it, or was to. */
  readonly scheduleId: string | null;
}

interface RunsToChoose {
  readonly resources: readonly DeclaredResource[];
  readonly wanted: readonly DeclaredResource[];
  readonly since: number | null;
  readonly context: JudgingContext;
}

/** Reads further back where too few runs are known to compare the records with. */
async function chooseRuns(
  reader: Reader,
  { resources, wanted, since, context }: RunsToChoose,
): Promise<{ readonly chosen: readonly ChosenRun[]; readonly diagnostics: readonly Diagnostic[] }> {
  const now = context.now.getTime();
  const first = Math.min(now - PERIOD, since ?? now);
  const read = async (from: number) => {
    const found = await readHistory(reader, idKindsOf(resources), ranSince(resources, from), from);
    const history = new HistoryIndex(resources, occurrencesOf(found));
    const chosen = wanted.flatMap((each) => {
      const agents = startedAgents(each, resources, context.agents);
      return runsOf({ resource: each, agents, history, since }, context);
    });
    const diagnostics = found.diagnostics.map((each) => ({ ...each, severity: 'error' }) as const);
    return { chosen: withoutRepeats(chosen), diagnostics };
  };
  if (wanted.length === 0) return { chosen: [], diagnostics: [] };
  const near = await read(first);
  const hasAll = near.chosen.length > 0 && near.chosen.every(({ run }) => !needsMore(run));
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
      if (run.facts.isRunning) return judgementsOf(run).length === 0 ? [] : [{ resource, run, scheduleId }];
      if (since === null && seen.has(run.agent)) return [];
      seen.add(run.agent);
      return [{ resource, run, scheduleId }];
    });
  });
  return [...refused.map((run) => ({ resource, run, scheduleId: own })), ...started];
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
  return order.indexOf(a.verdict) - order.indexOf(b.verdict) || byName();
}
