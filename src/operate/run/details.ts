import type { Reader } from '../../model/request.js';
import type { ServiceRun } from '../../model/run.js';
import { ServiceFailure } from '../../service/failure.js';
import { type AgentRun, listRunsOfJob } from '../../service/operations/agent-runs.js';

/** What only the runs of a job show (interface §2, Run). */
export type JobDetails = Pick<
  ServiceRun,
  'startedAt' | 'finishedAt' | 'anomaly' | 'records' | 'errors' | 'message'
> & {
  readonly isStopped: boolean;
  readonly agentName: string | null;
};

/** The details of finished jobs, each read once. */
export class DetailsReader {
  readonly #known = new Map<string, Promise<JobDetails | null>>();

  constructor(private readonly reader: Reader) {}

  /** Null where the service does not answer: the state of a job does not depend on its details. */
  of(jobId: string): Promise<JobDetails | null> {
    const known = this.#known.get(jobId) ?? this.#read(jobId);
    this.#known.set(jobId, known);
    return known;
  }

  /** Makes the service look after the runs of a job that it does not report as finished (§4, jobs/{jobId}/runs). */
  async refresh(jobId: string): Promise<readonly AgentRun[]> {
    try {
      return await this.reader.readAll(listRunsOfJob(jobId));
    } catch (failure) {
      if (failure instanceof ServiceFailure) return [];
      throw failure;
    }
  }

  async #read(jobId: string): Promise<JobDetails | null> {
    const runs = await this.refresh(jobId);
    return runs.length === 0 ? null : detailsOf(runs);
  }
}

function detailsOf(runs: readonly AgentRun[]): JobDetails {
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
function anomalyOf(runs: readonly AgentRun[]): ServiceRun['anomaly'] {
  if (runs.some(({ runtimeAnomaly }) => runtimeAnomaly === 'Fast')) return 'fast';
  return runs.some(({ runtimeAnomaly }) => runtimeAnomaly === 'Slow') ? 'slow' : 'none';
}
