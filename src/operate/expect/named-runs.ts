import type { CheckedDataset } from '../../model/data.js';
import type { Agent } from '../../model/resource.js';
import { addressNamed, addressOfAgent } from '../agents.js';
import type { Occurrence } from '../status/history.js';
import type { HistoryIndex } from '../status/resource-status.js';
import type { DeclaredResource } from '../status/resources.js';
import { notStartedIn, runWithoutJob, startedAgents } from './not-started.js';
import { nothingExpected } from './origin.js';
import { type ExpectedRun, expectedRuns, type JudgingContext, judgementsOf } from './runs.js';

/** The run of one agent that `data check` judges. */
export interface ChosenRun {
  readonly resource: DeclaredResource;
  readonly run: ExpectedRun;
  /** The run of the group or pipeline, or the job alone. Null for one that was refused. */
  readonly runId: string | null;
  /** The schedule that started it, or was to. Null for any other start. */
  readonly scheduleId: string | null;
  readonly startedBy: CheckedDataset['startedBy'];
}

/** The runs that the ids on the command line select. */
interface NamedRuns {
  /** The ids of runs and jobs. */
  readonly ids: ReadonlySet<string>;
  readonly resources: readonly DeclaredResource[];
  /** Those that expect something. */
  readonly wanted: readonly DeclaredResource[];
  /** All runs of the period, the newest first. */
  readonly occurrences: readonly Occurrence[];
  readonly history: HistoryIndex;
}

/**
 * The runs that ids select. A run that no schedule of the project started is judged by the group or pipeline that ran, or
 * else by the schedules that start the same agent, group or pipeline.
 */
export function namedRuns(named: NamedRuns, context: JudgingContext): readonly ChosenRun[] {
  const { ids, wanted, occurrences, history } = named;
  const places = new Map(occurrences.map((each, index) => [each, index]));
  const placeOf = (each: Occurrence) => places.get(each) ?? -1;
  const found = new Set(
    occurrences.filter(({ id, parts }) => ids.has(id) || parts.some((part) => ids.has(part.id))),
  );
  const ofOthers = [...found]
    .filter((each) => !history.isOfProject(each))
    .map((occurrence) => ({ occurrence, ran: whatRan(occurrence, context.agents) }));
  const judging = new Set<unknown>(
    wanted.flatMap(({ observed, target }) => (target === null ? (observed?.id ?? []) : [])),
  );
  return wanted.flatMap((resource) => {
    const { observed, target } = resource;
    const judged = target === null ? observed?.id : judging.has(target.id) ? undefined : target.id;
    const runs = history.of(resource).filter((each) => history.isOfProject(each));
    const own = runs.filter((each) => found.has(each));
    const others = ofOthers.filter(({ ran }) => ran !== null && ran === judged);
    return [
      ...own.flatMap((each) => chosenRuns({ resource, occurrence: each, runs }, named, context)),
      ...others.flatMap(({ occurrence }) => {
        const older = runs.filter((each) => placeOf(each) > placeOf(occurrence));
        return chosenRuns({ resource, occurrence, runs: older }, named, context);
      }),
    ];
  });
}

interface NamedRun {
  readonly resource: DeclaredResource;
  readonly occurrence: Occurrence;
  /** Those of the entry, the newest first. For one that others have started, only those that are older. */
  readonly runs: readonly Occurrence[];
}

function chosenRuns(
  { resource, occurrence, runs }: NamedRun,
  { ids, resources, history }: NamedRuns,
  context: JudgingContext,
): readonly ChosenRun[] {
  const { expect = nothingExpected, observed, target } = resource;
  const { id: runId } = occurrence;
  const isOwn = history.isOfProject(occurrence);
  // A run that somebody else started is compared with the runs of all schedules, as if one schedule had started them.
  const subject = isOwn ? occurrence : withoutSchedule(occurrence);
  const compared = isOwn ? runs : [subject, ...runs.map(withoutSchedule)];
  const isWhole = ids.has(runId);
  const found = expectedRuns({ expect, runs: compared }, subject, context)
    .filter(({ job }) => isWhole || ids.has(String(job.id)))
    .filter((run) => !run.facts.isRunning || judgementsOf(run).length > 0);
  const { missing, why } = notStartedIn(occurrence, startedAgents(resource, resources, context.agents));
  const absent = isWhole ? missing.map((agent) => runWithoutJob(resource, agent, why, context)) : [];
  const startedBy = isOwn ? 'project' : occurrence.scheduleId === null ? 'hand' : 'others';
  const judge = target === null ? null : (observed?.id ?? null);
  const scheduleId = isOwn ? occurrence.scheduleId : judge;
  return [...found, ...absent].map((run) => ({ resource, run, runId, scheduleId, startedBy }));
}

function withoutSchedule(occurrence: Occurrence): Occurrence {
  return { ...occurrence, scheduleId: null };
}

/** The id of the group or pipeline that ran, or of the agent of a job alone. Null where it is not known. */
function whatRan({ idKind, objectId, parts }: Occurrence, agents: readonly Agent[]): string | null {
  if (idKind !== 'job') return objectId;
  const [part] = parts;
  if (part === undefined) return null;
  const address = addressNamed(part.agentName, agents);
  return agents.find((each) => addressOfAgent(each) === address)?.id ?? null;
}
