import { isJsonObject, type Json, type JsonObject, parseJson, shownText } from '../../model/json.js';
import type { AgentInput, AgentWithInputs } from '../../model/kind.js';
import { type Call, type ListCall, Unexpected } from '../../model/request.js';
import type { Agent } from '../../model/resource.js';
import { named, object, optional, type Shape, text, unexpected } from '../../model/shape.js';
import { asRecord, idText } from './record.js';
import { segment } from './requests.js';

/** A list of `{ key }`; or, as everywhere else in the interface (§1.5), a JSON object written as text. */
function readInputs(value: unknown): JsonObject | readonly unknown[] {
  if (value === undefined || value === null || value === '') return [];
  const read = typeof value === 'string' ? parseJson(value) : value;
  if (read === undefined)
    throw new Unexpected('expected inputParameters to be a list or JSON, got other text');
  if (isJsonObject(read) || Array.isArray(read)) return read;
  throw unexpected('inputParameters to be a list', value);
}

const inputKeys: Shape<readonly string[]> = (value) => {
  const read = readInputs(value);
  return isJsonObject(read) ? Object.keys(read) : read.map(readInputKey);
};

function readInputKey(entry: unknown): string {
  return typeof entry === 'string'
    ? entry
    : text(asRecord(entry, 'inputParameters to hold objects')['key'], 'key');
}

const inputs: Shape<readonly AgentInput[]> = (value) => {
  const read = readInputs(value);
  if (isJsonObject(read))
    return Object.entries(read).map(([key, value]) => ({ key, defaultValue: defaultText(value) }));
  return read.map((entry) => ({
    key: readInputKey(entry),
    defaultValue: isJsonObject(entry) ? defaultText(entry['defaultValue']) : null,
  }));
};

/** No decision depends on a default value: one that is not text is shown as JSON. */
function defaultText(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : shownText(value);
}

const agentFields = {
  id: idText,
  externalAgentId: text,
  name: text,
  inputKeys: named(inputKeys, 'inputParameters'),
  version: optional(text),
};

const parseAgent: Shape<Agent> = object(agentFields);
const parseAgentWithInputs: Shape<AgentWithInputs> = object({
  ...agentFields,
  inputs: named(inputs, 'inputParameters'),
});

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
  return { ...listAgents(), parse: parseAgentWithInputs };
}

/** One agent, by its GUID (§4). An externalAgentId gives 404 (§2). */
export function getAgent(id: string): Call<Agent> {
  return {
    request: { method: 'GET', path: `/api/scraper-agents/${segment(id)}`, effect: 'read' },
    parse: parseAgent,
  };
}
