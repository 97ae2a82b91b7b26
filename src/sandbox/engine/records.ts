/**
 * What the service has run: plain records in maps of the world. Times are milliseconds. A record knows how its run will
 * end, so that its state at any instant is a function of the record (`phase.ts`).
 */

export type Trigger = 'Manual' | 'Schedule';

/** Who started something, and as part of what. */
export interface Origin {
  readonly owner: string;
  readonly inputParameters: string;
  readonly trigger: Trigger;
  readonly scheduleId: string | null;
  readonly groupRunId: string | null;
  readonly pipelineRunId: string | null;
}

export interface JobRecord extends Origin {
  id: string;
  /** `jobRunId`, and the order of the jobs. */
  seq: number;
  agentId: string;
  sessionId: string;
  startedAt: number;
  finishedAt: number | null;
  runIds: string[];
  datasetId: string | null;
}

/** `lost`: the execution engine no longer has the run. Only a refresh finds that out (§3, Run state). */
export type RunOutcome = 'succeeded' | 'failed' | 'stopped' | 'lost';
export type Anomaly = 'None' | 'Slow' | 'Fast';
export type DatasetState = 'Available' | 'Failed' | 'Stale';

/** What is odd about the rows of a run. */
export interface RowChanges {
  /** Its columns. Default: the fields of the agent. */
  fields?: string[];
  /** By column, how many of its first rows have no value. Default: none. */
  empty?: Record<string, number>;
}

/** How a run ends, as the seed scripts it (`fate.ts`). */
export interface Fate extends RowChanges {
  outcome: RunOutcome;
  seconds: number;
  records: number;
  errors: number;
  pages: number;
  requests: number;
  message: string | null;
  anomaly: Anomaly;
  /** Null: the run stores no file. */
  dataset: DatasetState | null;
}

export interface RunRecord extends Fate {
  id: string;
  seq: number;
  owner: string;
  agentId: string;
  jobId: string | null;
  groupRunId: string | null;
  trigger: Trigger;
  startedAt: number;
  /** When it finishes; null for a lost run. */
  endsAt: number | null;
  /** Its data is stored, or it has none. */
  isClosed: boolean;
  attention: 'tracked' | 'ignored';
  /** The same rows for the same start of the same agent. */
  rowSeed: string;
  datasetId: string | null;
}

export interface GroupRunMember {
  agentId: string;
  startsAt: number;
  jobId: string | null;
  /** Why it never started. */
  reason: string | null;
}

export interface GroupRunRecord {
  id: string;
  seq: number;
  owner: string;
  groupId: string;
  groupName: string;
  startedAt: number;
  finishedAt: number | null;
  inputParameters: string;
  trigger: Trigger;
  scheduleId: string | null;
  members: GroupRunMember[];
}

export type StageStatus = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Skipped';

export interface PipelineRunRecord {
  id: string;
  seq: number;
  owner: string;
  pipelineId: string;
  pipelineName: string;
  startedAt: number;
  finishedAt: number | null;
  status: 'Running' | 'Completed' | 'Failed';
  trigger: Trigger;
  scheduleId: string | null;
  steps: { agentId: string; status: StageStatus; error: string | null; jobId: string | null }[];
}

/** A stored export (§2, Dataset). Its rows are made again from `parts` whenever they are read. */
export interface DatasetRecord {
  id: string;
  seq: number;
  owner: string;
  agentId: string;
  jobId: string | null;
  runId: string | null;
  groupRunId: string | null;
  scope: 'Job' | 'Run';
  state: DatasetState;
  createdAt: number;
  expiresAt: number;
  accessLevel: 'Private' | 'Company';
  parts: ({ rowSeed: string; records: number } & RowChanges)[];
  fileName: string;
}

export interface SavedQueryRecord {
  id: string;
  owner: string;
  name: string;
  datasetId: string;
  definition: Record<string, unknown>;
  createdAt: number;
}

/** How an agent's starts end. The first entry that applies to a start decides. */
export interface Outcome extends RowChanges {
  /** The starts that it applies to, counted from 1 for each agent. Default: all. */
  nth?: number | number[];
  /** Default `succeed`. `refuse`: it cannot be started. `lose`: the execution engine loses the run. */
  result?: 'succeed' | 'fail' | 'refuse' | 'lose';
  /** How many runs of a job with several runs fail. Default: all. */
  failedRuns?: number;
  seconds?: number;
  records?: number;
  errors?: number;
  message?: string;
  anomaly?: Anomaly;
  /** `None`: no file is stored. */
  dataset?: DatasetState | 'None';
}
