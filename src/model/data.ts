import type { Diagnostic } from './diagnostic.js';
import type { Address } from './resource.js';
import type { AgentJudgement, DataJudgement, ServiceRunState } from './run.js';

/** A dataset, for people and programs. What the service does not show is null. */
export interface DatasetInfo {
  readonly id: string;
  /** `agent/acme-shop`; null where the account has no such agent. */
  readonly agent: Address | null;
  readonly agentId: string | null;
  readonly agentName: string;
  /** When its job or run ended. */
  readonly collectedAt: string | null;
  readonly status: string;
  readonly sizeBytes: number | null;
  readonly fileName: string | null;
  readonly expiresAt: string | null;
  readonly accessLevel: string | null;
  readonly canManage: boolean;
  readonly jobId: string | null;
  readonly runId: string | null;
  readonly groupRunId: string | null;
}

/** Rows of one dataset. */
export interface DataTable {
  readonly id: string;
  readonly agent: Address | null;
  readonly columns: readonly string[];
  /** By column. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** How many rows there are; null where the service does not say. */
  readonly totalMatches: number | null;
  /** Whether there are more rows than these; null where the service does not say. */
  readonly isTruncated: boolean | null;
}

/** What the service shows as an example of an agent's output. */
export interface AgentSample {
  readonly agent: Address;
  readonly recordCount: number | null;
  readonly fieldCount: number | null;
  /** Where the records are in the JSON of the sample. */
  readonly recordPath: string | null;
  readonly fields: readonly SampleField[];
  /** As received. */
  readonly schema: unknown;
}

export interface SampleField {
  readonly name: string;
  /** As the service writes it; null where it does not. */
  readonly type: string | null;
}

/** What became of a download: `unpaid`, `notFound`, `expired` and `noFile` are answers of the service (interface §7). */
export type DataOutcome = 'saved' | 'unpaid' | 'notFound' | 'expired' | 'noFile' | 'failed';

/** One file of `data get` or `run --save`. */
export interface SavedData {
  /** The ids of the datasets in it, or the id of a job while its dataset is not known. */
  readonly ids: readonly string[];
  /** Null for a file of several agents. */
  readonly agent: Address | null;
  readonly outcome: DataOutcome;
  /** Its name in the folder; null unless it was saved. */
  readonly file: string | null;
  readonly bytes: number | null;
}

export interface StoredQuery {
  readonly id: string;
  readonly name: string | null;
  readonly datasetId: string | null;
  /** The query in the words of `roster data query`; null when roster does not understand what is stored. */
  readonly query: string | null;
}

/** What one agent delivered in one run of an entry, compared with what the entry expects. */
export interface CheckedDataset {
  readonly address: Address;
  readonly agent: Address;
  /** Null where its run has no dataset. */
  readonly datasetId: string | null;
  /** Null for an agent that did not start. */
  readonly jobId: string | null;
  /** Who started the run: a schedule of the project, no schedule (hand), or another schedule. Missing if not looked up. */
  readonly startedBy?: 'project' | 'hand' | 'others' | undefined;
  /** How its run ended. */
  readonly state: ServiceRunState;
  /** When its run ended; null while it goes on, and where that is not known. */
  readonly at: string | null;
  /** The worst of its expectations. */
  readonly verdict: DataJudgement['verdict'];
  readonly expectations: readonly AgentJudgement[];
  /** What is another than at the last apply, for people. Empty where nothing is known to be. */
  readonly changed: readonly string[];
  /** Who owns the file of the entry. Missing where the repository has no CODEOWNERS, and where they are not known. */
  readonly owners?: readonly string[] | undefined;
}

/** A run with expectations that need earlier runs or more queries, so `run` and `wait` do not judge them. */
export interface UnjudgedRun {
  readonly address: Address;
  readonly id: string;
  /** `empty`, `rows` */
  readonly properties: readonly string[];
}

/** What the runs of a project delivered. */
export interface CheckedData {
  /** Null without one. Commands that are copied name it. */
  readonly environment: string | null;
  readonly datasets: readonly CheckedDataset[];
}

/** What `roster data check` has found: what is unmet first, then what is unknown. */
export interface DataCheck extends CheckedData {
  readonly project: string;
  readonly service: string;
  readonly diagnostics: readonly Diagnostic[];
}
