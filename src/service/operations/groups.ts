import type { JsonObject } from '../../model/json.js';
import type { Call, ListCall, Request } from '../../model/request.js';
import type { IdOrPending } from '../../model/resource.js';
import { type CollectionShape, parseDetail, parseItem, type RemoteCollection } from './collection.js';
import * as created from './created.js';
import { segment } from './segment.js';

/** An agent group as the service shows it (interface §2, Agent group). */
export interface RemoteGroup {
  /** GUID, lower case. */
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly isActive: boolean | null;
  readonly canManage: boolean | null;
  /** Agent GUIDs, lower case, in the order received, which means nothing. */
  readonly members: readonly string[] | null;
  /** False when something above is missing: read it with `getGroup` before a decision rests on it. */
  readonly complete: boolean;
  /** activeRunCount, lastRunStatus, lastRunAt, memberCount, where given. */
  readonly facts: JsonObject;
}

/** What `POST /api/search-groups` takes (interface §4). Groups are created active. */
export interface NewGroup {
  readonly name: string;
  readonly description: string;
  /** Agent GUIDs, never externalAgentIds. */
  readonly agentIds: readonly string[];
}

/** What `PUT /api/search-groups/{id}` takes: what is left out stays. */
export interface GroupProperties {
  readonly name?: string;
  readonly description?: string;
  readonly isActive?: boolean;
}

const path = '/api/search-groups';
const shape: CollectionShape = { field: 'members', count: 'memberCount', ordered: false };

/** Every group whose members are all assigned to the caller: absence from it is no proof that a group is gone. */
export function listGroups(): ListCall<RemoteGroup> {
  return {
    request: { method: 'GET', path, effect: 'read' },
    noun: 'group',
    parse: (item) => asGroup(parseItem(item, shape)),
  };
}

export function getGroup(id: string): Call<RemoteGroup> {
  return {
    request: { method: 'GET', path: `${path}/${segment(id)}`, effect: 'read' },
    parse: (data) => asGroup(parseDetail(data, id, shape)),
  };
}

function asGroup({ agents, ...rest }: RemoteCollection): RemoteGroup {
  return { ...rest, members: agents };
}

export function createGroup({ name, description, agentIds }: NewGroup): Request {
  return { method: 'POST', path, body: { name, description, agentIds }, effect: 'create' };
}

export function updateGroup(id: IdOrPending, properties: GroupProperties): Request {
  return { method: 'PUT', path: `${path}/${segment(id)}`, body: { ...properties }, effect: 'repeatable' };
}

export function replaceMembers(id: IdOrPending, agentIds: readonly string[]): Request {
  return { method: 'PUT', path: `${path}/${segment(id)}/members`, body: { agentIds }, effect: 'repeatable' };
}

export function deleteGroup(id: IdOrPending): Request {
  return { method: 'DELETE', path: `${path}/${segment(id)}`, effect: 'repeatable' };
}

/** The new group's id in the `data` of the answer to `createGroup`; null when it shows none. */
export function createdId(data: unknown): string | null {
  return created.createdId(data, ['id', 'groupId']);
}
