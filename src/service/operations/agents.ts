import { isJsonObject, type Json, type JsonObject, parseJson, shownText } from '../../model/json.js';
import type { AgentInput, AgentWithInputs } from '../../model/kind.js';
import { type Call, type ListCall, Unexpected } from '../../model/request.js';
import type { Agent } from '../../model/resource.js';
import { asRecord, field, idText, type RemoteRecord, text, unexpected } from './record.js';
import { segment } from './requests.js';

/** The agents assigned to the caller (interface §2 Agent, §4 Agents). */
export function listAgents(): ListCall<Agent> {
  return {
    request: { method: 'GET', path: '/api/scraper-agents', effect: 'read' },
    noun: 'agent',
    parse: parseAgent,
  };
}

/** The same, with the default values of their inputs. */
export function listAgentsWithInputs(): ListCall<AgentWithInputs> {
  return {
    ...listAgents(),
    parse: (item) => ({ ...parseAgent(item), inputs: inputsOf(asRecord(item, 'an object')) }),
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
  const read = readInputs(value);
  return isJsonObject(read) ? Object.keys(read) : read.map(readInputKey);
}

function readInputs(value: unknown): JsonObject | readonly unknown[] {
  if (value === undefined || value === null || value === '') return [];
  const read = typeof value === 'string' ? parseJson(value) : value;
  if (read === undefined)
    throw new Unexpected('expected inputParameters to be a list or JSON, got other text');
  if (isJsonObject(read) || Array.isArray(read)) return read;
  throw unexpected('inputParameters to be a list', value);
}

function readInputKey(entry: unknown): string {
  return typeof entry === 'string' ? entry : text(asRecord(entry, 'inputParameters to hold objects'), 'key');
}

/** No decision depends on a default value: one that is not text is shown as JSON. */
function inputsOf(record: RemoteRecord): readonly AgentInput[] {
  const read = readInputs(field(record, 'inputParameters'));
  if (isJsonObject(read))
    return Object.entries(read).map(([key, value]) => ({ key, defaultValue: defaultText(value) }));
  return read.map((entry) => ({
    key: readInputKey(entry),
    defaultValue: isJsonObject(entry) ? defaultText(field(entry, 'defaultValue')) : null,
  }));
}

function defaultText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : shownText(value as Json);
}
