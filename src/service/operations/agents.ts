import { isJsonObject, parseJson } from '../../model/json.js';
import { type Call, type ListCall, Unexpected } from '../../model/request.js';
import type { Agent } from '../../model/resource.js';
import { asRecord, field, idText, text, unexpected } from './record.js';
import { segment } from './segment.js';

/** The agents assigned to the caller (interface §2 Agent, §4 Agents). */
export function listAgents(): ListCall<Agent> {
  return {
    request: { method: 'GET', path: '/api/scraper-agents', effect: 'read' },
    noun: 'agent',
    parse: parseAgent,
  };
}

/** One agent, by its GUID (§4). An externalAgentId gives 404 (§2). */
export function getAgent(id: string): Call<Agent> {
  return {
    request: { method: 'GET', path: `/api/scraper-agents/${segment(id)}`, effect: 'read' },
    parse: parseAgent,
  };
}

function parseAgent(item: unknown): Agent {
  const record = asRecord(item, 'an object');
  return {
    id: idText(field(record, 'id'), 'id'),
    externalAgentId: text(record, 'externalAgentId'),
    name: text(record, 'name'),
    inputKeys: readInputKeys(field(record, 'inputParameters')),
  };
}

/** A list of `{ key }`; or, as everywhere else in the interface (§1.5), a JSON object written as text. */
function readInputKeys(value: unknown): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  const read = typeof value === 'string' ? parseJson(value, Number.POSITIVE_INFINITY) : value;
  if (read === undefined)
    throw new Unexpected('expected inputParameters to be a list or JSON, got other text');
  if (isJsonObject(read)) return Object.keys(read);
  if (Array.isArray(read)) return read.map(readInputKey);
  throw unexpected('inputParameters to be a list', value);
}

function readInputKey(entry: unknown): string {
  return typeof entry === 'string' ? entry : text(asRecord(entry, 'inputParameters to hold objects'), 'key');
}
