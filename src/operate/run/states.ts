import type { Address, Agent } from '../../model/resource.js';
import type { Run, RunName, ServiceRunState } from '../../model/run.js';
import type { AgentRun } from '../../service/operations/agent-runs.js';
import type { NotStarted } from '../../service/operations/group-runs.js';
import type { Job } from '../../service/operations/jobs.js';
import type { PipelineRun, StageRun } from '../../service/operations/pipeline-runs.js';
import { addressNamed, addressOfAgent } from '../agents.js';

/** What the answers of the service say of runs (interface §3). Pure. */

/** When a run took place, and what it has collected. */
type RunFigures = Pick<Run, 'startedAt' | 'finishedAt' | 'records' | 'errors' | 'anomaly'>;

const unknownSoFar = {
  startedAt: null,
  finishedAt: null,
  records: null,
  errors: null,
  anomaly: 'none',
  message: null,
  members: [],
} as const satisfies Partial<Run>;

/** A run of which no more is known than its state. */
export function runIn(state: ServiceRunState, name: RunName, more: Partial<Run> = {}): Run {
  const { address, id, idKind } = name;
  const run = { address, id, idKind, state, ...unknownSoFar, ...more };
  return { ...run, message: shownMessage(run.message) };
}

/** Longer ones are not printed on every line and in every table. */
const LONGEST_MESSAGE = 10_000;

/** Not cut: what is cut may be a part of a secret, which is masked only as a whole. */
function shownMessage(message: string | null): string | null {
  if (message === null || message.length <= LONGEST_MESSAGE) return message;
  return `a message of ${message.length} characters, which is too long to show`;
}

/** Decided by the number, never by its text. */
export function jobState({ isTerminal, status }: Job): ServiceRunState {
  if (!isTerminal) return 'running';
  if (status === 3) return 'succeeded';
  return status === 4 || status === 5 ? 'failed' : 'unknown';
}

export function jobRun(job: Job, address: Address | null, details: JobDetails | null): Run {
  const state = jobState(job);
  const isStopped = state === 'failed' && details?.isStopped === true;
  const reason = job.errorMessage ?? (state === 'failed' ? (details?.message ?? null) : null);
  const strange = `the service reports the job as finished with the unknown status ${job.status}`;
  return runIn(
    isStopped ? 'stopped' : state,
    { address, id: job.id, idKind: 'job' },
    {
      startedAt: details?.startedAt ?? null,
      finishedAt: state === 'running' ? null : (details?.finishedAt ?? null),
      records: job.totalDataCount ?? details?.records ?? null,
      errors: job.totalErrors ?? details?.errors ?? null,
      anomaly: details?.anomaly ?? 'none',
      message: state === 'unknown' ? strange : reason,
    },
  );
}

export function memberNotStarted(member: NotStarted, agents: readonly Agent[]): Run {
  const agent = agents.find(({ id }) => id === member.agentId);
  const address = agent === undefined ? addressNamed(member.agentName, agents) : addressOfAgent(agent);
  const message = member.reason ?? 'the service gives no reason';
  return runIn('notStarted', { address, id: null, idKind: 'job' }, { message });
}

/** `expected`: how many members the run should have; null where nobody says. */
export function groupRun(
  name: RunName,
  memberCount: number | null,
  members: readonly Run[],
  expected: number | null,
): Run {
  const count = memberCount ?? expected ?? members.length;
  if (count === 0) return runIn('notStarted', name, { message: 'the group has no members' });
  const state = groupRunState(
    count,
    members.map((each) => each.state),
  );
  return runIn(state, name, { ...totals(members, state), members });
}

/** `count`: how many members the run has. Those that have neither started nor failed to start are still to come. */
export function groupRunState(count: number, members: readonly ServiceRunState[]): ServiceRunState {
  if (count === 0) return 'notStarted';
  return members.length < count ? 'running' : stateOfMembers(members);
}

/** The state of a run whose members ended each for itself. */
export function stateOfMembers(members: readonly ServiceRunState[]): ServiceRunState {
  const states = new Set(members);
  if (states.has('running')) return 'running';
  if (states.has('unknown')) return 'unknown';
  const [only] = states;
  return states.size === 1 && only !== undefined ? only : 'failed';
}

export function pipelineRun(name: RunName, run: PipelineRun, members: readonly Run[]): Run {
  const wasStopped = members.some(({ state }) => state === 'stopped');
  const ended = run.status === 'Completed' ? 'succeeded' : wasStopped ? 'stopped' : 'failed';
  const state = run.status === 'Running' ? 'running' : ended;
  const { records, errors, anomaly } = totals(members, state);
  const reason = members.find((each) => each.state === 'failed' || each.state === 'stopped');
  const message = state === 'failed' ? (reason?.message ?? null) : null;
  const { startedAt, finishedAt } = run;
  return runIn(state, name, { startedAt, finishedAt, records, errors, anomaly, message, members });
}

/** A stage that is not reached is one that has not started. */
export function stageRun(
  { status, error, jobId }: StageRun,
  address: Address | null,
  details: JobDetails | null,
): Run {
  const isStopped = status === 'Failed' && details?.isStopped === true;
  const message =
    status === 'Skipped' ? 'an earlier stage did not succeed' : (error ?? details?.message ?? null);
  return runIn(
    isStopped ? 'stopped' : stageStates[status],
    { address, id: jobId, idKind: 'job' },
    {
      startedAt: details?.startedAt ?? null,
      finishedAt: details?.finishedAt ?? null,
      records: details?.records ?? null,
      errors: details?.errors ?? null,
      anomaly: details?.anomaly ?? 'none',
      message: status === 'Succeeded' ? null : message,
    },
  );
}

/** Of a pipeline run that does not show its own state. Null where it shows no stages. */
export function chainState(stages: readonly StageRun[], stageCount: number | null): ServiceRunState | null {
  if (stages.length === 0) return null;
  const statuses = new Set(stages.map(({ status }) => status));
  if (statuses.has('Failed') || statuses.has('Skipped')) return 'failed';
  if (statuses.has('Running') || statuses.has('Pending')) return 'running';
  // A stage that is not shown may be yet to come.
  return stages.length === (stageCount ?? stages.length) ? 'succeeded' : 'unknown';
}

export const stageStates: Readonly<Record<StageRun['status'], ServiceRunState>> = {
  Pending: 'notStarted',
  Running: 'running',
  Succeeded: 'succeeded',
  Failed: 'failed',
  Skipped: 'notStarted',
};

function totals(members: readonly Run[], state: ServiceRunState): RunFigures {
  const anomalies = new Set(members.map((each) => each.anomaly));
  return {
    startedAt: members.flatMap((each) => each.startedAt ?? []).sort()[0] ?? null,
    finishedAt:
      state === 'running'
        ? null
        : (members
            .flatMap((each) => each.finishedAt ?? [])
            .sort()
            .at(-1) ?? null),
    records: sumOfKnown(members.map((each) => each.records)),
    errors: sumOfKnown(members.map((each) => each.errors)),
    anomaly: anomalies.has('fast') ? 'fast' : anomalies.has('slow') ? 'slow' : 'none',
  };
}

/** What only the runs of a job show (interface §2, Run). */
export interface JobDetails extends RunFigures {
  readonly message: string | null;
  readonly isStopped: boolean;
  readonly agentName: string | null;
}

/** Null for a job without runs. */
export function detailsOf(runs: readonly AgentRun[]): JobDetails | null {
  if (runs.length === 0) return null;
  const messages = runs.flatMap(({ statusMessage }) => statusMessage ?? []);
  return {
    startedAt: least(runs.flatMap(({ startTime }) => startTime ?? [])),
    finishedAt: runs.every(({ isTerminal }) => isTerminal)
      ? (runs
          .flatMap(({ endTime }) => endTime ?? [])
          .sort()
          .at(-1) ?? null)
      : null,
    records: sumOfKnown(runs.map(({ data }) => data)),
    errors: sumOfKnown(runs.map(({ errors }) => errors)),
    anomaly: anomalyOf(runs),
    message: messages[0] ?? null,
    agentName: runs[0]?.agentName ?? null,
    // For people only: a stopped run and a failed one end alike.
    isStopped: runs.some(({ status }) => /^(stopped|cancell?ed|aborted)$/i.test(status ?? '')),
  };
}

function least(texts: readonly string[]): string | null {
  return [...texts].sort()[0] ?? null;
}

/** Null where none is known. */
export function sumOfKnown(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((each) => each !== null);
  return known.length === 0 ? null : known.reduce((total, each) => total + each, 0);
}

/** Fast first: it can mean a quiet failure. */
function anomalyOf(runs: readonly AgentRun[]): Run['anomaly'] {
  if (runs.some(({ runtimeAnomaly }) => runtimeAnomaly === 'Fast')) return 'fast';
  return runs.some(({ runtimeAnomaly }) => runtimeAnomaly === 'Slow') ? 'slow' : 'none';
}

/** A run of an agent does not say itself whether it succeeded: the list that it is in does. */
export function agentRunRow(run: AgentRun, state: Run['state'], agents: readonly Agent[]): Run {
  const { id, agentName: name, startTime, endTime, data, errors, runtimeAnomaly, statusMessage } = run;
  return {
    address: addressNamed(name, agents),
    id,
    idKind: 'run',
    name,
    state,
    startedAt: startTime,
    finishedAt: endTime,
    records: data,
    errors,
    anomaly: runtimeAnomaly === 'Fast' ? 'fast' : runtimeAnomaly === 'Slow' ? 'slow' : 'none',
    message: statusMessage,
    members: [],
  };
}
