import type { Diagnostic } from './diagnostic.js';
import type { Hold } from './hold.js';
import type { Plan } from './plan.js';
import type { Address } from './resource.js';
import type { ServiceRunState } from './run.js';

/** Worst first. `unknown` is last, but it is never healthy: nothing is known. */
export const healths = [
  'failing',
  'missed',
  'quiet',
  'running',
  'held',
  'paused',
  'never-run',
  'healthy',
  'unknown',
] as const;

export type Health = (typeof healths)[number];

/**
 * How it compares with the manifests and the inventory. `pending`: the manifest has changed since the last apply.
 * `missing`: it does not exist. `unmanaged`: declared, but not in the inventory. `external`: somebody else manages it.
 */
export type Sync = 'in-sync' | 'drifted' | 'pending' | 'missing' | 'unmanaged' | 'external' | 'unknown';

/** The last finished run. What the service does not show is null. */
export interface LastRun {
  readonly state: ServiceRunState;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly records: number | null;
  readonly message: string | null;
}

/** Null where it cannot be counted. */
export interface StatusCounts {
  readonly succeeded: number | null;
  readonly failed: number | null;
  readonly missed: number | null;
}

export interface ResourceStatus {
  readonly address: Address;
  readonly health: Health;
  readonly sync: Sync;
  readonly lastRun: LastRun | null;
  readonly counts: StatusCounts;
  /** ISO 8601; null when it never starts again, or that is unknown. */
  readonly nextRun: string | null;
  readonly held: Hold | null;
  readonly isRunning: boolean;
  /** Why it has this health, for people; empty where the health says it all. */
  readonly reason: string;
  /** The id of the run that makes it `failing`, for `runs show`. Null for any other health, and where no list shows the run. */
  readonly failedRun: string | null;
}

export interface Status extends Pick<Plan, 'project' | 'environment' | 'service'> {
  /** Where the period of the counts begins, ISO 8601. */
  readonly since: string;
  /** Worst first. */
  readonly resources: readonly ResourceStatus[];
  readonly diagnostics: readonly Diagnostic[];
}
