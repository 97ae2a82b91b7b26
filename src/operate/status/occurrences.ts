import { groupBy } from '../../model/group-by.js';
import type { RunIdKind, ServiceRun, ServiceRunState } from '../../model/run.js';
import type { AgentRun } from '../../service/operations/agent-runs.js';
import type { GroupRunEntry } from '../../service/operations/group-runs.js';
import type { Job } from '../../service/operations/jobs.js';
import type { PipelineRun } from '../../service/operations/pipeline-runs.js';
import { readInstant } from '../../service/operations/record.js';
import { sumOfKnown } from '../run/details.js';
import { jobState, stateOf } from '../run/states.js';
import { byTime } from '../runs/order.js';

/** Lists of the period, newest first. Null for a list that could not be read. */
export interface HistoryLists {
  readonly jobs: readonly Job[] | null;
  readonly runs: readonly AgentRun[] | null;
  readonly groupRuns: readonly GroupRunEntry[] | null;
  readonly pipelineRuns: readonly PipelineRun[] | null;
}

/** What one start made: a job, or a run of a group or pipeline with all its jobs. */
export interface Occurrence
  extends Pick<ServiceRun, 'state' | 'startedAt' | 'finishedAt' | 'records' | 'anomaly' | 'message'> {
  readonly id: string;
  readonly idKind: RunIdKind;
  /** The group or pipeline; null for jobs, and where no list shows it. */
  readonly objectId: string | null;
  /** The schedule that started it. Null for any other start, and for a run without jobs. */
  readonly scheduleId: string | null;
  readonly hasJobs: boolean;
  /** Agents of a group run or pipeline run that failed, the one with the message first. */
  readonly failedAgents: readonly string[];
  /** Says how many members of a failed group run never started. Null where all did. */
  readonly notStarted: string | null;
}

/** Newest first: what happened in the period, as far as the lists show it. */
export function occurrencesOf(lists: HistoryLists): readonly Occurrence[] {
  const jobs = lists.jobs ?? [];
  const timed = runTimes(jobs, lists.runs ?? []);
  const groupJobs = groupBy(jobs, ({ groupRunId }) => groupRunId);
  const pipelineJobs = groupBy(jobs, ({ pipelineRunId }) => pipelineRunId);
  const alone = jobs.filter((job) => job.groupRunId === null && job.pipelineRunId === null);
  const listed = new Set([...(lists.groupRuns ?? []), ...(lists.pipelineRuns ?? [])].map(({ id }) => id));
  const unlisted = ([id, parts]: readonly [string | null, readonly Job[]], idKind: RunIdKind) =>
    id === null || listed.has(id)
      ? []
      : [whole({ id, idKind, objectId: null, ...summed(parts, timed) }, parts, unlistedState(parts, idKind))];
  return byTime([
    alone.map((job) => jobOccurrence(job, timed)),
    (lists.groupRuns ?? []).map((run) =>
      groupOccurrence(run, groupJobs.get(run.id) ?? [], { timed, isRead: lists.jobs !== null }),
    ),
    (lists.pipelineRuns ?? []).map((run) => pipelineOccurrence(run, pipelineJobs.get(run.id) ?? [], timed)),
    [...groupJobs].flatMap((each) => unlisted(each, 'groupRun')),
    [...pipelineJobs].flatMap((each) => unlisted(each, 'pipelineRun')),
  ]);
}

type Times = Pick<ServiceRun, 'startedAt' | 'finishedAt' | 'anomaly'>;
type Timed = ReadonlyMap<string, Times>;

/**
 * When jobs ran. Jobs show no times, and runs no jobs. Both lists are newest first: where an agent has as many runs as its
 * jobs say, in that order, the runs of each job are known. Otherwise nothing is guessed.
 */
function runTimes(jobs: readonly Job[], runs: readonly AgentRun[]): Timed {
  const runsOf = groupBy(runs, sourceOf);
  const times = new Map<string, Times>();
  for (const [source, own] of groupBy(jobs, sourceOf)) {
    const found = runsOf.get(source) ?? [];
    const counts = own.map(({ totalRunCount }) => totalRunCount ?? Number.NaN);
    if (counts.reduce((sum, each) => sum + each, 0) !== found.length || !isNewestFirst(found)) continue;
    let next = 0;
    for (const [index, { id }] of own.entries()) {
      const count = counts[index] ?? 0;
      if (count > 0) times.set(id, timesOf(found.slice(next, next + count)));
      next += count;
    }
  }
  return times;
}

function isNewestFirst(runs: readonly AgentRun[]): boolean {
  const times = runs.map(({ startTime }) => (startTime === null ? null : readInstant(startTime)));
  const known = times.filter((time) => time !== null);
  return known.every((time, index) => time <= (known[index - 1] ?? time));
}

function sourceOf({ agentName, triggerSource }: Pick<Job, 'agentName' | 'triggerSource'>): string {
  return JSON.stringify([agentName, triggerSource]);
}

function timesOf(runs: readonly AgentRun[]): Times {
  const anomalies = runs.map(({ runtimeAnomaly }) => runtimeAnomaly);
  const hasEnded = runs.every(({ isTerminal }) => isTerminal);
  return {
    startedAt: earliest(runs.map(({ startTime }) => startTime)),
    finishedAt: hasEnded ? latest(runs.map(({ endTime }) => endTime)) : null,
    anomaly: anomalies.includes('Fast') ? 'fast' : anomalies.includes('Slow') ? 'slow' : 'none',
  };
}

function earliest(texts: readonly (string | null)[]): string | null {
  return inOrder(texts)[0] ?? null;
}

function latest(texts: readonly (string | null)[]): string | null {
  return inOrder(texts).at(-1) ?? null;
}

function inOrder(texts: readonly (string | null)[]): readonly string[] {
  const known = texts.flatMap((text) => (text === null ? [] : [{ text, time: readInstant(text) }]));
  return known
    .filter(({ time }) => time !== null)
    .sort((a, b) => (a.time ?? 0) - (b.time ?? 0))
    .map(({ text }) => text);
}

type Summed = Pick<Occurrence, 'records' | 'message'> & Times;

function summed(parts: readonly Job[], timed: Timed): Summed {
  const times = parts.flatMap(({ id }) => timed.get(id) ?? []);
  const isTimed = times.length === parts.length;
  const anomalies = times.map(({ anomaly }) => anomaly);
  return {
    records: sumOfKnown(parts.map(({ totalDataCount }) => totalDataCount)),
    message: parts.find((job) => jobState(job) === 'failed' && hasReason(job))?.errorMessage ?? null,
    startedAt: earliest(times.map(({ startedAt }) => startedAt)),
    finishedAt:
      isTimed && parts.every(({ isTerminal }) => isTerminal)
        ? latest(times.map(({ finishedAt }) => finishedAt))
        : null,
    anomaly: anomalies.includes('fast') ? 'fast' : anomalies.includes('slow') ? 'slow' : 'none',
  };
}

function hasReason({ errorMessage }: Job): boolean {
  return errorMessage !== null;
}

type Named = Summed & Pick<Occurrence, 'id' | 'idKind' | 'objectId'>;

function whole(named: Named, parts: readonly Job[], state: ServiceRunState): Occurrence {
  const scheduleId = parts.find((job) => job.scheduleId !== null)?.scheduleId ?? null;
  const failed = parts.filter((job) => jobState(job) === 'failed');
  const ordered = [...failed.filter(hasReason), ...failed.filter((job) => !hasReason(job))];
  const failedAgents = named.idKind === 'job' ? [] : [...new Set(ordered.map((job) => job.agentName))];
  return { ...named, state, scheduleId, hasJobs: parts.length > 0, failedAgents, notStarted: null };
}

function jobOccurrence(job: Job, timed: Timed): Occurrence {
  const named = { id: job.id, idKind: 'job', objectId: null, ...summed([job], timed) } as const;
  return whole(named, [job], jobState(job));
}

const groupStates: Readonly<Record<string, ServiceRunState>> = {
  ontrack: 'running',
  completed: 'succeeded',
  atrisk: 'failed',
  behind: 'failed',
};

function groupOccurrence(
  run: GroupRunEntry,
  parts: readonly Job[],
  { timed, isRead }: { readonly timed: Timed; readonly isRead: boolean },
): Occurrence {
  const sums = summed(parts, timed);
  const startedAt = run.startedAt ?? sums.startedAt;
  const state = groupStates[run.status?.toLowerCase() ?? ''] ?? failedOr('unknown', parts);
  const notStarted = isRead && state === 'failed' ? notStartedOf(run, parts) : null;
  const message = sums.message ?? notStarted;
  const named = {
    ...sums,
    id: run.id,
    idKind: 'groupRun',
    objectId: run.groupId,
    startedAt,
    message,
  } as const;
  return { ...whole(named, parts, state), notStarted };
}

/** Members without a job. If their number is unknown, only a failure without a failed job shows them. */
function notStartedOf({ memberCount }: GroupRunEntry, parts: readonly Job[]): string | null {
  if (memberCount != null) {
    const missing = memberCount - parts.length;
    return missing > 0 ? `${missing} of ${memberCount} members never started` : null;
  }
  return parts.some((job) => jobState(job) === 'failed') ? null : 'some members never started';
}

/** A run whose own state says nothing has failed if a job of it has. */
function failedOr(state: ServiceRunState, parts: readonly Job[]): ServiceRunState {
  return parts.some((job) => jobState(job) === 'failed') ? 'failed' : state;
}

const pipelineStates = { Running: 'running', Completed: 'succeeded', Failed: 'failed' } as const;

function pipelineOccurrence(run: PipelineRun, parts: readonly Job[], timed: Timed): Occurrence {
  const sums = summed(parts, timed);
  const message = run.steps.find(({ status }) => status === 'Failed')?.error ?? sums.message;
  const { startedAt, finishedAt, pipelineId } = run;
  const shown = {
    startedAt: startedAt ?? sums.startedAt,
    finishedAt: finishedAt ?? sums.finishedAt,
    message: run.status === 'Failed' ? message : null,
  };
  return whole(
    { ...sums, ...shown, id: run.id, idKind: 'pipelineRun', objectId: pipelineId },
    parts,
    pipelineStates[run.status],
  );
}

/** Jobs alone do not say whether more of them follow. */
function unlistedState(parts: readonly Job[], idKind: RunIdKind): ServiceRunState {
  const jobs = parts.map((job) => ({ state: jobState(job) }) as ServiceRun);
  const state = stateOf(jobs);
  return idKind === 'pipelineRun' && state === 'succeeded' ? 'unknown' : state;
}
