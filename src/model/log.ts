import type { Author } from './inventory.js';
import type { FieldChange } from './plan.js';
import type { Address } from './resource.js';

/**
 * How a run ended. `running`: its lock has not expired. `unfinished`: it recorded no result, so it was probably killed.
 * `interrupted`: it was asked to stop, and recorded what it had done.
 */
export type RunOutcome = 'complete' | 'incomplete' | 'interrupted' | 'running' | 'unfinished';

/** A run, or another commit on the branch of the inventory. */
export interface LogEntry {
  /** Counted from the oldest. */
  readonly number: number;
  /** `apply`, `destroy`, `unlock` or another command; null for a commit that roster did not make. */
  readonly command: string | null;
  /** Null for what is not a run. */
  readonly outcome: RunOutcome | null;
  /** The first line of its newest message. */
  readonly title: string;
  /** `2 to create, 1 to update`; null where it is not known. */
  readonly plan: string | null;
  readonly by: Author;
  readonly startedAt: string | null;
  /** Null unless its result is recorded. */
  readonly endedAt: string | null;
  /** When it ended, or began, by the service's clock. Missing where the clock of its machine agreed with it. */
  readonly serviceTime?: string;
  /** `process 4711 on runner-7`, or the address of a CI run. */
  readonly run: string | null;
  readonly digest: string | null;
  /** The commit of the manifests, followed by `-dirty` if they differed from it. */
  readonly commit: string | null;
  readonly service: string | null;
  /** Why it was allowed to break policies. Missing where it was not. */
  readonly reason?: string;
  /** The updates that only the inventory records: nothing was sent. Missing where the history does not say. */
  readonly unsent?: readonly Address[];
  /** What else happened to the run, in sentences without a period. */
  readonly notes: readonly string[];
  readonly changes: readonly LoggedChange[];
  /** Its commits on the branch, the oldest first. */
  readonly commits: readonly string[];
}

export interface LoggedChange {
  readonly address: Address;
  /** `create`, `update` and the other actions of a plan; otherwise the recorded words, such as `protected`. */
  readonly action: string;
  readonly outcome: 'done' | 'failed' | 'skipped' | 'unknown';
  readonly id: string | null;
}

/** A change with the values that the inventory recorded before and after the run. */
export interface DetailedChange extends LoggedChange {
  readonly name: string | null;
  readonly fields: readonly FieldChange[];
}

/** The runs of one project in one environment. */
export interface Log {
  readonly project: string;
  readonly environment: string | null;
  /** The branch, as messages name it. */
  readonly inventory: string;
  /** The newest first. */
  readonly entries: readonly LogEntry[];
  /** How many there are in all. */
  readonly total: number;
}

export interface DetailedLog extends Omit<Log, 'entries' | 'total'> {
  readonly entry: LogEntry;
  readonly changes: readonly DetailedChange[];
}
