import type { RunIdKind } from '../../model/run.js';
import type { ListedRun } from '../../model/run-history.js';
import type { Job, JobFilter } from '../../service/operations/jobs.js';
import { addressNamed, jobRun, jobState } from '../run/states.js';
import { isSince, type ListContext, type Rows, type RunsPage, readPages } from './rows.js';

interface JobSelection {
  /** What the service searches jobs for. */
  readonly search?: string;
  isShown(job: Job): boolean;
}

const PAGE = 100;

/**
 * Jobs show no times: they are those of their runs, which are read for the jobs that are listed and no others
 * (interface §2).
 */
export async function jobRows({ search, isShown }: JobSelection, context: ListContext): Promise<Rows> {
  const { state, from, limit, details, agents } = context;
  const filter = { ...filterOf({ state, from }), ...(search === undefined ? {} : { search }) };
  const hasState = (job: Job) => state === undefined || jobState(job) === runStates[state];
  const { items, isCut } = await readPages(
    jobPages(filter, context),
    (job) => hasState(job) && isShown(job),
    limit,
  );
  const rows = items.map(async (job): Promise<ListedRun> => {
    const { members: _, ...run } = jobRun(job, addressNamed(job.agentName, agents), await details.of(job.id));
    return { ...run, id: job.id, name: job.agentName };
  });
  const runs = await Promise.all(rows);
  return { runs: runs.filter(({ startedAt }) => isSince(startedAt, context)), isCut };
}

const runStates = { active: 'running', succeeded: 'succeeded', failed: 'failed' } as const;

function filterOf({ state, from }: Pick<ListContext, 'state' | 'from'>): JobFilter {
  return { ...(state === undefined ? {} : { state }), ...(from === undefined ? {} : { from }) };
}

/** By cursor. Each job once: a job that starts meanwhile moves the others down. */
function jobPages(filter: JobFilter, context: ListContext): () => Promise<RunsPage<Job>> {
  let cursor: string | undefined;
  const seen = new Set<string>();
  return async () => {
    const { items, nextCursor } = await context.pages.jobs(filter, PAGE, cursor);
    const fresh = items.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    const isStuck = nextCursor === cursor || fresh.length === 0;
    cursor = nextCursor ?? undefined;
    return { items: fresh, hasMore: nextCursor !== null && !isStuck };
  };
}

/** The group runs or pipeline runs that a schedule started, by their jobs, which alone show it. */
export async function wholesOfSchedule(
  scheduleId: string,
  idKind: RunIdKind,
  context: ListContext,
): Promise<{ readonly ids: ReadonlySet<string>; readonly isCut: boolean }> {
  const wholeOf = (job: Job) => (idKind === 'groupRun' ? job.groupRunId : job.pipelineRunId);
  const isOwn = (job: Job) => job.scheduleId === scheduleId && wholeOf(job) !== null;
  // A run may have succeeded although a job of it failed: the state is not one of its jobs.
  const pages = jobPages(filterOf({ state: undefined, from: context.from }), context);
  const { items, isCut } = await readPages(pages, isOwn, Number.POSITIVE_INFINITY);
  return { ids: new Set(items.flatMap((job) => wholeOf(job) ?? [])), isCut };
}
