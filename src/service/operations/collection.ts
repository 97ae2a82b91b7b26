import { plainNumber } from '../../model/exact-number.js';
import type { JsonObject } from '../../model/json.js';
import { type Call, type ListCall, type Request, Unexpected } from '../../model/request.js';
import type { IdOrPending } from '../../model/resource.js';
import { flag, integer, optional, rawList, text, unexpected, wholeNumber } from '../../model/shape.js';
import { asRecord, factsOf, findCreatedId, idText, UNREADABLE } from './record.js';
import { segment } from './requests.js';

/** An agent group or a pipeline as the service shows it (interface §2). */
export type RemoteCollection = ReturnType<typeof parseItem>;

/** The body of a create (interface §4). The service creates active objects. */
export interface NewCollection {
  readonly name: string;
  readonly description: string;
  /** Agent GUIDs, never externalAgentIds; each once, and at most 25 for a pipeline. */
  readonly agentIds: readonly string[];
}

/** The body of an update (interface §4): what is left out stays unchanged. */
export interface CollectionProperties {
  readonly name?: string;
  readonly description?: string;
  readonly isActive?: boolean;
}

/** How groups and pipelines differ in requests and answers. */
export interface CollectionShape {
  readonly path: '/api/search-groups' | '/api/pipelines';
  readonly noun: string;
  /** The list of agents in an answer, and the last segment of the path that replaces it. */
  readonly field: 'members' | 'steps';
  /** The property with the number of agents. */
  readonly count: string;
  readonly ordered: boolean;
  /** The answer to a create has the id under one of these. */
  readonly idNames: readonly string[];
}

export type CollectionOperations = ReturnType<typeof collectionOperations>;

/** The operations of agent groups and of pipelines (interface §4), which the interface defines alike. */
export function collectionOperations(shape: CollectionShape) {
  const { path, noun } = shape;
  const pathOf = (id: IdOrPending) => `${path}/${segment(id)}`;
  return {
    /** `GET`: all whose agents are assigned to the caller. An object that is not listed may still exist (§1.10). */
    list: (): ListCall<RemoteCollection> => ({
      request: { method: 'GET', path, effect: 'read' },
      noun,
      parse: (item) => parseItem(item, shape),
    }),
    get: (id: string): Call<RemoteCollection> => ({
      request: { method: 'GET', path: pathOf(id), effect: 'read' },
      parse: (data) => parseDetail(data, id, shape),
    }),
    create: ({ name, description, agentIds }: NewCollection): Request => ({
      method: 'POST',
      path,
      body: { name, description, agentIds },
      effect: 'create',
    }),
    update: (id: IdOrPending, properties: CollectionProperties): Request => ({
      method: 'PUT',
      path: pathOf(id),
      body: { ...properties },
      effect: 'repeatable',
    }),
    /** `PUT /{id}/members`, `PUT /{id}/steps`: replaces the whole list. */
    replaceAgents: (id: IdOrPending, agentIds: readonly string[]): Request => ({
      method: 'PUT',
      path: `${pathOf(id)}/${shape.field}`,
      body: { agentIds },
      effect: 'repeatable',
    }),
    remove: (id: IdOrPending): Request => ({ method: 'DELETE', path: pathOf(id), effect: 'repeatable' }),
    /** The new object's id in the `data` of the answer to `create`; null when it shows none. */
    createdId: (data: unknown): string | null => findCreatedId(data, shape.idNames),
  };
}

const optionalFlag = optional(flag);
const optionalText = optional(text);
const optionalInteger = optional(integer);
const optionalList = optional(rawList);

/** One literal and no `object`: there may be 100,000 of them. */
function parseItem(item: unknown, shape: CollectionShape) {
  const record = asRecord(item, 'an object');
  const isActive = optionalFlag(record['isActive'], 'isActive');
  const canManage = optionalFlag(record['canManage'], 'canManage');
  const agents = readAgents(record, shape);
  const isDescribed = record['description'] !== undefined;
  return {
    id: idText(record['id'], 'id'),
    name: text(record['name'], 'name'),
    description: optionalText(record['description'], 'description'),
    /** Null where the service did not say, as the two below. */
    isActive,
    canManage,
    /** GUIDs of the members or steps, lower case; those of steps in the order they run. */
    agents,
    /** False when one of the above is missing: read the object by id before a decision depends on it. */
    complete: isDescribed && isActive !== null && canManage !== null && agents !== null,
    /** activeRunCount, lastRunStatus, lastRunAt, memberCount or stepCount, where given. */
    facts: Object.assign(
      readActiveRuns(record),
      factsOf(record, ['lastRunStatus', 'lastRunAt', shape.count]),
    ),
  } as const;
}

/** Only whether a delete is safe to approve depends on it: one that cannot be read ends no plan. */
function readActiveRuns(record: JsonObject): JsonObject {
  const value = record['activeRunCount'];
  if (value === undefined || value === null) return {};
  return { activeRunCount: wholeNumber(value) ?? UNREADABLE };
}

/** Reads the answer to a read by id. Only a description may be missing: it is empty then. */
function parseDetail(data: unknown, id: string, shape: CollectionShape): RemoteCollection {
  const found = parseItem(data, shape);
  if (found.id !== idText(id, 'id')) throw unexpected(`the object ${id}`, found.id);
  const missing = [
    ...(found.isActive === null ? ['isActive'] : []),
    ...(found.canManage === null ? ['canManage'] : []),
    ...(found.agents === null ? [`every entry of ${shape.field}`] : []),
  ];
  if (missing.length > 0) throw new Unexpected(`expected ${missing.join(' and ')}, got none`);
  return { ...found, complete: true };
}

/** Null when the list, or the agent's GUID in one of its entries, is missing. */
function readAgents(record: JsonObject, shape: CollectionShape): readonly string[] | null {
  const entries = optionalList(record[shape.field], shape.field);
  if (entries === null) return null;
  checkCount(record, shape, entries.length);
  const sorted = shape.ordered ? inOrder(entries) : entries;
  const agents = sorted.map((entry) => readAgent(entry, shape));
  if (new Set(agents).size < agents.length && !agents.includes(null))
    throw new Unexpected(`expected each agent once in ${shape.field}, got one twice`);
  return agents.every((agent) => agent !== null) ? agents : null;
}

function checkCount(record: JsonObject, shape: CollectionShape, length: number): void {
  const count = optionalInteger(record[shape.count], shape.count);
  if (count === null || count === length) return;
  throw new Unexpected(
    `expected ${shape.count} to be the number of ${shape.field}, got ${count} and ${length}`,
  );
}

function readAgent(entry: unknown, shape: CollectionShape): string | null {
  const name = `scraperAgentId in ${shape.field}`;
  if (typeof entry === 'string') return idText(entry, name);
  const { scraperAgentId: id } = asRecord(entry, `${shape.field} to hold objects or ids`);
  return id === undefined || id === null ? null : idText(id, name);
}

/** By `sortOrder` where it is given. With gaps or ties it would not define an order. */
function inOrder(entries: readonly unknown[]): readonly unknown[] {
  const orders = entries.map((entry) =>
    typeof entry === 'object' && entry !== null ? asRecord(entry, 'an object')['sortOrder'] : undefined,
  );
  if (orders.every((order) => order === undefined || order === null)) return entries;
  const keyed = entries.map((entry, index) => ({ entry, order: readOrder(orders[index]) }));
  if (new Set(keyed.map((each) => each.order)).size < keyed.length)
    throw new Unexpected('expected each sortOrder once in steps, got one twice');
  return keyed.sort((a, b) => a.order - b.order).map((each) => each.entry);
}

function readOrder(order: unknown): number {
  const read = typeof order === 'string' && /^-?\d{1,15}$/.test(order) ? Number(order) : plainNumber(order);
  if (typeof read === 'number' && Number.isFinite(read)) return read;
  throw unexpected('sortOrder to be a number in every step', order);
}
