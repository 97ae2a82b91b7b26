import type { JsonObject } from '../../model/json.js';
import { Unexpected } from '../../model/request.js';
import {
  asRecord,
  factsOf,
  field,
  idText,
  optionalCount,
  optionalFlag,
  optionalText,
  type RemoteRecord,
  text,
  unexpected,
} from './record.js';

/** What the service says of a group or a pipeline (interface §2). `agents` are its members or its steps. */
export interface RemoteCollection {
  /** GUID, lower case. */
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Null where the service did not say. */
  readonly isActive: boolean | null;
  readonly canManage: boolean | null;
  /** Agent GUIDs, lower case. */
  readonly agents: readonly string[] | null;
  /** False when something above is missing: the object is read by id before a decision rests on it. */
  readonly complete: boolean;
  readonly facts: JsonObject;
}

/** How groups and pipelines differ on the wire. */
export interface CollectionShape {
  /** `members` or `steps`. */
  readonly field: string;
  /** `memberCount` or `stepCount`. */
  readonly count: string;
  readonly ordered: boolean;
}

/** Reads one item of a list. */
export function parseItem(item: unknown, shape: CollectionShape): RemoteCollection {
  const record = asRecord(item, 'an object');
  const isActive = optionalFlag(record, 'isActive');
  const canManage = optionalFlag(record, 'canManage');
  const agents = readAgents(record, shape);
  const described = field(record, 'description') !== undefined;
  return {
    id: idText(field(record, 'id'), 'id'),
    name: text(record, 'name'),
    description: optionalText(record, 'description'),
    isActive,
    canManage,
    agents,
    complete: described && isActive !== null && canManage !== null && agents !== null,
    facts: factsOf(record, ['activeRunCount', 'lastRunStatus', 'lastRunAt', shape.count]),
  };
}

/** Reads the answer to a read by id, after which only a description may be missing: it is empty then. */
export function parseDetail(data: unknown, id: string, shape: CollectionShape): RemoteCollection {
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
function readAgents(record: RemoteRecord, shape: CollectionShape): readonly string[] | null {
  const entries = field(record, shape.field);
  if (entries === undefined || entries === null) return null;
  if (!Array.isArray(entries)) throw unexpected(`${shape.field} to be a list`, entries);
  checkCount(record, shape, entries.length);
  const sorted = shape.ordered ? inOrder(entries) : entries;
  const agents = sorted.map((entry) => readAgent(entry, shape));
  if (new Set(agents).size < agents.length && !agents.includes(null))
    throw new Unexpected(`expected each agent once in ${shape.field}, got one twice`);
  return agents.every((agent) => agent !== null) ? agents : null;
}

function checkCount(record: RemoteRecord, shape: CollectionShape, length: number): void {
  const count = optionalCount(record, shape.count);
  if (count === null || count === length) return;
  throw new Unexpected(
    `expected ${shape.count} to be the number of ${shape.field}, got ${count} and ${length}`,
  );
}

function readAgent(entry: unknown, shape: CollectionShape): string | null {
  const name = `scraperAgentId in ${shape.field}`;
  if (typeof entry === 'string') return idText(entry, name);
  const id = field(asRecord(entry, `${shape.field} to hold objects or ids`), 'scraperAgentId');
  return id === undefined || id === null ? null : idText(id, name);
}

/** By `sortOrder` where it is given. In part, or with a tie, it would leave the order to chance. */
function inOrder(entries: readonly unknown[]): readonly unknown[] {
  const orders = entries.map((entry) =>
    typeof entry === 'object' && entry !== null
      ? field(asRecord(entry, 'an object'), 'sortOrder')
      : undefined,
  );
  if (orders.every((order) => order === undefined || order === null)) return entries;
  const keyed = entries.map((entry, index) => ({ entry, order: readOrder(orders[index]) }));
  if (new Set(keyed.map((each) => each.order)).size < keyed.length)
    throw new Unexpected('expected each sortOrder once in steps, got one twice');
  return keyed.sort((a, b) => a.order - b.order).map((each) => each.entry);
}

function readOrder(order: unknown): number {
  const read = typeof order === 'string' && /^-?\d{1,15}$/.test(order) ? Number(order) : order;
  if (typeof read === 'number' && Number.isFinite(read)) return read;
  throw unexpected('sortOrder to be a number in every step', order);
}
