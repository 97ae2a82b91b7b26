import type { JsonObject } from './json.js';
import type { Call } from './request.js';
import type { Address, ObjectRef } from './resource.js';

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

/** Which run it is. The id is null when there is none, or when it is unknown. */
export interface RunName {
  /** Null for a run that is followed by its id alone. */
  readonly address: Address | null;
  readonly id: string | null;
  readonly idKind: RunIdKind;
}

/** A run, or the part of one agent in it. What the service does not show is null. */
export interface ServiceRun extends RunName {
  readonly state: ServiceRunState;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly records: number | null;
  readonly errors: number | null;
  readonly anomaly: 'none' | 'slow' | 'fast';
  /** Why it is in this state; null when there is nothing to say. */
  readonly message: string | null;
  /** One for each agent; empty for a job, which is the run of one agent. */
  readonly members: readonly ServiceRun[];
}

/** What a start returned. */
export interface StartedRun {
  readonly id: string;
  readonly idKind: RunIdKind;
  /** Null where the answer does not say. */
  readonly startedAt: string | null;
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
  /** GUIDs of the agents that the object consists of. */
  agents(spec: S): readonly string[];
  /** How many agents a run starts at the same moment. */
  startsAtOnce(spec: S): number;
  /** How many agents a run starts in total. */
  startsPerRun(spec: S): number;
}

/** The address, or which run it is where the address is not known. */
export function runName({
  address,
  id,
  idKind,
}: Pick<ServiceRun, 'address' | 'id'> & { readonly idKind: RunIdKind | 'run' }): string {
  return address ?? `${runKindNames[idKind]} ${id ?? '?'}`;
}
