import type { CheckedDataset } from '../../model/data.js';
import type { Agent, ObjectRef } from '../../model/resource.js';
import { addressNamed, addressOfAgent } from '../agents.js';
import type { Occurrence } from '../status/history.js';
import type { DeclaredResource } from '../status/resources.js';
import { notStartedIn, runWithoutJob, startedAgents } from './not-started.js';
import { nothingExpected } from './origin.js';
import { type ExpectedRun, expectedRuns, type JudgingContext, judgementsOf } from './runs.js';

/** The runs that the ids on the command line select. */
interface NamedRuns {
  /** The ids of runs and jobs. */
  readonly ids: ReadonlySet<string>;
  readonly resources: readonly DeclaredResource[];
  /** Those that expect something. */
  readonly wanted: readonly DeclaredResource[];
  /** All runs of the period, the newest first. */
  readonly occurrences: readonly Occurrence[];
  isOfProject(occurrence: Occurrence): boolean;
}

interface NamedRun {
  readonly run: ExpectedRun;
  readonly runId: string;
  readonly startedBy: CheckedDataset['startedBy'];
}

/**
 * The runs of an entry that ids select. A run that no schedule of the project started is judged by the group or pipeline
 * that ran, or else by the schedules that start the same agent, group or pipeline.
 */
export function namedRunsOf(
  resource: DeclaredResource,
  own: readonly Occurrence[],
  named: NamedRuns,
  context: JudgingContext,
): readonly NamedRun[] {
  const { expect = nothingExpected, observed, target } = resource;
  const schedule = target === null ? null : (observed?.id ?? null);
  const others = named.occurrences.filter(
    (each) => !named.isOfProject(each) && isJudgedBy(resource, each, named, context.agents),
  );
  return [...own, ...others].flatMap((occurrence) => {
    const isOwn = named.isOfProject(occurrence);
    // What others have started is compared with the runs that the schedule, or any schedule of what runs, has started.
    const like = isOwn ? occurrence.scheduleId : schedule;
    const subject = { ...occurrence, scheduleId: like };
    const earlier = own.filter(({ startedAt }) => isBefore(startedAt, occurrence.startedAt));
    const compared = isOwn ? earlier : earlier.map((each) => ({ ...each, scheduleId: like }));
    const agents = startedAgents(resource, named.resources, context.agents);
    const { missing, why } = notStartedIn(occurrence, agents);
    const isWhole = named.ids.has(occurrence.id);
    const found = expectedRuns({ expect, runs: [subject, ...compared] }, subject, context)
      .filter(({ job }) => isWhole || named.ids.has(String(job.id)))
      .filter((run) => !run.facts.isRunning || judgementsOf(run).length > 0);
    const absent = isWhole ? missing.map((agent) => runWithoutJob(resource, agent, why, context)) : [];
    const startedBy = isOwn ? 'project' : occurrence.scheduleId === null ? 'hand' : 'others';
    return [...found, ...absent].map((run) => ({ run, runId: occurrence.id, startedBy }));
  });
}

/** Whether an entry says what is expected of a run that no schedule of the project has started. */
function isJudgedBy(
  { observed, target, kind }: DeclaredResource,
  occurrence: Occurrence,
  { wanted }: NamedRuns,
  agents: readonly Agent[],
): boolean {
  if (target === null) return isRunOf(occurrence, { kind: kind.name, id: observed?.id ?? null }, agents);
  const saysItself = wanted.some((each) => each.kind.name === target.kind && each.observed?.id === target.id);
  return !saysItself && isRunOf(occurrence, target, agents);
}

function isRunOf(
  { idKind, objectId, parts }: Occurrence,
  { kind, id }: Pick<ObjectRef, 'kind'> & { readonly id: unknown },
  agents: readonly Agent[],
): boolean {
  if (kind !== 'agent') return objectId !== null && objectId === id;
  const agent = agents.find((each) => each.id === id);
  const [part] = parts;
  if (idKind !== 'job' || agent === undefined || part === undefined) return false;
  return addressNamed(part.agentName, agents) === addressOfAgent(agent);
}

function isBefore(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one < other;
}
