import type { Diagnostic, Place } from './diagnostic.js';
import type { ExpectationLevel } from './expectation.js';
import type { Hold } from './hold.js';
import type { JsonObject } from './json.js';
import type { Call } from './request.js';
import type { Address, Agent, ObjectRef, ProjectScope } from './resource.js';

/** What a start made, and by which id it is followed. */
export type RunIdKind = 'job' | 'groupRun' | 'pipelineRun';

/** In texts. `run`: one run of an agent, of which a job consists. */
export const runKindNames: Readonly<Record<RunIdKind | 'run', string>> = {
  job: 'job',
  groupRun: 'group run',
  pipelineRun: 'pipeline run',
  run: 'run',
};

/** `unknown`: it may be running, or it may never have started. Never a guess in either direction. */
export type ServiceRunState = 'running' | 'succeeded' | 'failed' | 'stopped' | 'notStarted' | 'unknown';

/**
 * A run as the commands show it. What the service does not show is null. A part that only some commands read is missing with
 * the others.
 */
export interface Run {
  /** Null for a run that is known by its id alone. */
  readonly address: Address | null;
  /** Null when there is no run, or when it is unknown. */
  readonly id: string | null;
  /** `run`: one run of an agent, of which a job consists. The service tracks attention for these. */
  readonly idKind: RunIdKind | 'run';
  readonly state: ServiceRunState;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly records: number | null;
  readonly errors: number | null;
  readonly anomaly: 'none' | 'slow' | 'fast';
  /** False where its start could not be sent: then the service has said nothing of it. Missing otherwise. */
  readonly isSent?: false;
  /** Why it is in this state; null when there is nothing to say. */
  readonly message: string | null;
  /** One for each agent; empty for a job, which is the run of one agent. */
  readonly members: readonly Run[];
  /** How the service names the agent, group or pipeline. */
  readonly name?: string | null;
  /** `Manual` or `Schedule`. */
  readonly trigger?: string | null;
  readonly scheduleId?: string | null;
  /** The address of the schedule, if this project owns it. */
  readonly schedule?: Address | null;
  /** The group run or pipeline run that a job belongs to. */
  readonly partOf?: { readonly id: string; readonly idKind: RunIdKind } | null;
  readonly datasets?: readonly RunDataset[];
}

/** Which run it is. */
export type RunName = Pick<Run, 'address' | 'id' | 'idKind'>;

/** What a start returned. */
export interface StartedRun {
  readonly id: string;
  readonly idKind: RunIdKind;
  /** Null where the answer does not say. */
  readonly startedAt: string | null;
}

/** What a command has found to start, before somebody confirms it. */
export interface ChosenStarts {
  readonly starts: readonly ChosenStart[];
  /** What belongs to them, and is not started. */
  readonly leftOut: readonly ChosenStart[];
  /** Errors of what is left out although a run was to prove it. Default: none. */
  readonly unproved?: readonly Diagnostic[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface ChosenStart {
  readonly address: Address;
  /** Why it is started, or why it is not. */
  readonly reason: string;
}

/** How the objects of a kind are started by hand. */
export interface StartByHand<S = unknown> {
  /** What a start makes; null where that depends on the target. */
  readonly makes: RunIdKind | null;
  /** False where the agents run with their own inputs whatever a start says. */
  readonly takesInputs: boolean;
  /** `inputs`: for this run only, as JSON in a text. */
  start(id: string, inputs: string | undefined): Call<StartedRun>;
  /** For kinds that start another object, and with which inputs. */
  target?(spec: S): { readonly of: ObjectRef; readonly inputs: JsonObject };
}

/** What a run of an object starts. */
export interface Runs<S> {
  /** False while it cannot be run: what refers to it starts nothing. */
  isActive(spec: S): boolean;
  /** The field that decides it. */
  readonly activeField: string;
  /** GUIDs of the agents that the object consists of. */
  agents(spec: S): readonly string[];
  /** How many agents a run starts at the same moment. */
  startsAtOnce(spec: S): number;
}

/** The address, or which run it is where the address is not known. */
export function runName({ address, id, idKind }: RunName): string {
  return address ?? `${runKindNames[idKind]} ${id ?? '?'}`;
}

/** The newest runs, the newest first. */
export interface RunsList {
  /** What the list was narrowed to; null for all runs of the account. */
  readonly address: Address | null;
  readonly runs: readonly Run[];
  /** There are more that the filters select. */
  readonly isCut: boolean;
  /** What could not be read of the project that knows the address. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What became of the output of a job that succeeded. */
export interface RunDataset {
  readonly jobId: string;
  readonly address: Address | null;
  /** Null if the job has no dataset. */
  readonly datasetId: string | null;
  /** Why the job has no dataset. Null if it has one. */
  readonly message: string | null;
}

/** A member of a group run that is to be started again. */
export interface RetriedMember {
  readonly address: Address;
  readonly agent: Agent;
  /** Null where the service does not show it yet. */
  readonly jobId: string | null;
}

/** A run of an agent that is to be changed. */
export interface AgentRunPart {
  readonly id: string;
  /** The job, group run or pipeline run that was named instead; null if it was the run itself. */
  readonly partOf: string | null;
}

/** What is known of one thing that an entry expects of a run. What is unknown is never met. */
export interface DataJudgement {
  /** `records.min`, `empty.price` */
  readonly property: string;
  readonly verdict: 'met' | 'unmet' | 'unknown';
  readonly expected: string;
  /** What came, as a text. Null where it is not known. */
  readonly actual: string | null;
  /** The same as a number: records, seconds or rows. Null for columns, and where it is not known. */
  readonly value: number | null;
  /** Why it is unknown, or unmet without a value of its own, where other expectations share the reason. Null for any other. */
  readonly cause: string | null;
  /** What was expected, what came, and by how much. */
  readonly message: string;
  /** The condition that shows the rows, as `data query --where` has it. Null where no rows are meant. */
  readonly condition: string | null;
}

/** The judgement on the run of one agent. */
export interface AgentJudgement extends DataJudgement {
  readonly agent: Address;
  readonly level: ExpectationLevel;
  /** Position of the expectation in a manifest; null if unknown. */
  readonly place: Place | null;
  /** The target, if the expectation comes from there; null if it comes from the entry or its defaults. */
  readonly from: Address | null;
}

/** What is said of it: `expected at least 800 records, got 12: 788 too few (from group/shops)`. */
export function judgementText({
  message,
  from,
}: {
  readonly message: string;
  readonly from: Address | null;
}): string {
  return from === null ? message : `${message} (from ${from})`;
}

/** Worst first. `unknown` is last, but it is never healthy: nothing is known. */
export const healths = [
  'failing',
  'missed',
  'unmet',
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

/** The last finished run. */
export type LastRun = Pick<Run, 'state' | 'startedAt' | 'finishedAt' | 'records' | 'message'>;

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
  /** What its entry expects of its last run, as far as lists tell. Empty where it expects nothing of them. */
  readonly expectations: readonly AgentJudgement[];
  /** Who owns the file that declares it. Missing where the repository has no CODEOWNERS, and where they are not known. */
  readonly owners?: readonly string[] | undefined;
}

export interface Status extends ProjectScope {
  /** Where the period of the counts begins, ISO 8601. */
  readonly since: string;
  /** Worst first. */
  readonly resources: readonly ResourceStatus[];
  readonly diagnostics: readonly Diagnostic[];
}

/** How CI checks an apply: `status` checks the health of everything declared, `start` first starts what was applied. */
export type Verify = 'status' | 'start';
