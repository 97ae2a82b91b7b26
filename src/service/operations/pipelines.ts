import type { JsonObject } from '../../model/json.js';
import type { Call, ListCall, Request } from '../../model/request.js';
import type { IdOrPending } from '../../model/resource.js';
import { type CollectionShape, parseDetail, parseItem, type RemoteCollection } from './collection.js';
import * as created from './created.js';
import { segment } from './segment.js';

/** A pipeline as the service shows it (interface §2, Pipeline). */
export interface RemotePipeline {
  /** GUID, lower case. */
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly isActive: boolean | null;
  readonly canManage: boolean | null;
  /** Agent GUIDs, lower case, in the order they run. */
  readonly steps: readonly string[] | null;
  /** False when something above is missing: read it with `getPipeline` before a decision rests on it. */
  readonly complete: boolean;
  /** activeRunCount, lastRunStatus, lastRunAt, stepCount, where given. */
  readonly facts: JsonObject;
}

/** What `POST /api/pipelines` takes (interface §4). Pipelines are created active. */
export interface NewPipeline {
  readonly name: string;
  readonly description: string;
  /** Agent GUIDs in stage order: at most 25, each once. */
  readonly agentIds: readonly string[];
}

/** What `PUT /api/pipelines/{id}` takes: what is left out stays. */
export interface PipelineProperties {
  readonly name?: string;
  readonly description?: string;
  readonly isActive?: boolean;
}

const path = '/api/pipelines';
const shape: CollectionShape = { field: 'steps', count: 'stepCount', ordered: true };

/** Every pipeline whose agents are all assigned to the caller: absence from it is no proof that one is gone. */
export function listPipelines(): ListCall<RemotePipeline> {
  return {
    request: { method: 'GET', path, effect: 'read' },
    noun: 'pipeline',
    parse: (item) => asPipeline(parseItem(item, shape)),
  };
}

export function getPipeline(id: string): Call<RemotePipeline> {
  return {
    request: { method: 'GET', path: `${path}/${segment(id)}`, effect: 'read' },
    parse: (data) => asPipeline(parseDetail(data, id, shape)),
  };
}

function asPipeline({ agents, ...rest }: RemoteCollection): RemotePipeline {
  return { ...rest, steps: agents };
}

export function createPipeline({ name, description, agentIds }: NewPipeline): Request {
  return { method: 'POST', path, body: { name, description, agentIds }, effect: 'create' };
}

export function updatePipeline(id: IdOrPending, properties: PipelineProperties): Request {
  return { method: 'PUT', path: `${path}/${segment(id)}`, body: { ...properties }, effect: 'repeatable' };
}

export function replaceSteps(id: IdOrPending, agentIds: readonly string[]): Request {
  return { method: 'PUT', path: `${path}/${segment(id)}/steps`, body: { agentIds }, effect: 'repeatable' };
}

export function deletePipeline(id: IdOrPending): Request {
  return { method: 'DELETE', path: `${path}/${segment(id)}`, effect: 'repeatable' };
}

/** The new pipeline's id in the `data` of the answer to `createPipeline`; null when it shows none. */
export function createdId(data: unknown): string | null {
  return created.createdId(data, ['id', 'pipelineId']);
}
