import type { Address } from './resource.js';
import type { ServiceRun } from './run.js';

/** A row of the list of runs: what lists show of it. What they do not show is null. */
export interface ListedRun extends Omit<ServiceRun, 'id' | 'idKind' | 'members'> {
  readonly id: string;
  /** `run`: one run of an agent, of which a job consists. The service tracks attention for these. */
  readonly idKind: ServiceRun['idKind'] | 'run';
  /** How the service names the agent, group or pipeline. */
  readonly name: string | null;
}

/** The newest runs, the newest first. */
export interface RunsList {
  /** What the list was narrowed to; null for all runs of the account. */
  readonly address: Address | null;
  readonly runs: readonly ListedRun[];
  /** There are more that the filters select. */
  readonly isCut: boolean;
}

/** One run with what its parts show. */
export interface ShownRun extends ListedRun {
  /** For each agent; empty for a job. */
  readonly members: readonly ServiceRun[];
  /** `Manual` or `Schedule`; null where the service does not show it. */
  readonly trigger: string | null;
  readonly scheduleId: string | null;
  /** Its address, if this project owns it. */
  readonly schedule: Address | null;
  /** The group run or pipeline run that a job belongs to. */
  readonly partOf: { readonly id: string; readonly idKind: ServiceRun['idKind'] } | null;
  readonly datasets: readonly RunDataset[];
}

/** What became of the output of a job that succeeded. */
export interface RunDataset {
  readonly jobId: string;
  readonly address: Address | null;
  /** Null where there is none. */
  readonly datasetId: string | null;
  /** Why there is none; null otherwise. */
  readonly message: string | null;
}

/** What became of a run that was to be stopped. */
export interface StoppedRun extends ShownState {
  /** `finished`: it was over before, and nothing was sent. `running`: it still runs. */
  readonly result: 'stopped' | 'finished' | 'running';
}

/** What a command has found out about a run at its end. */
export type ShownState = Pick<ListedRun, 'address' | 'id' | 'idKind' | 'state' | 'message'>;

/** What became of a member that was to be started again. */
export interface RetriedMember {
  readonly address: Address;
  /** Null where the service does not show it yet. */
  readonly jobId: string | null;
  /** `unknown`: the answer was lost, and the group run does not show whether it has started. */
  readonly result: 'started' | 'refused' | 'notSent' | 'unknown';
  readonly message: string | null;
}

/** What became of a failed run whose attention was to be changed. */
export interface AcknowledgedRun {
  /** The id of the agent's run. */
  readonly id: string;
  /** The job, group run or pipeline run that was named instead; null if it was the run itself. */
  readonly partOf: string | null;
  readonly result: 'done' | 'refused' | 'unknown';
  readonly message: string | null;
}
