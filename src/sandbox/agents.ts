import { isAssigned, visibleAgent } from './access.js';
import { type Answer, type Call, type Core, type FileAnswer, notFound, type Route } from './api.js';
import type { Fields } from './body.js';
import { asObject, fieldsOf, rowsOf } from './datasets/rows.js';
import { checkAgentId } from './runs/visible.js';
import { type AgentRecord, byId } from './world.js';
/** Agents (interface.md §4, Agents): read-only. An agent that is not assigned to the caller does not exist for it. */
export const agentRoutes: readonly Route[] = [
  { method: 'GET', path: '/api/scraper-agents', scoped: true, handle: listAgents },
  { method: 'GET', path: '/api/scraper-agents/:id', scoped: true, handle: readAgent },
];

function listAgents({ world }: Core, { caller }: Call): Answer {
  const assigned = [...world.agents.values()].filter((agent) => isAssigned(world, agent, caller.user));
  return { data: assigned.map(showAgent) };
}

/** By GUID only: an externalAgentId here gives 404 (§2, Agent). */
function readAgent({ world }: Core, { params, caller }: Call): Answer {
  const agent = visibleAgent(world, params.id ?? '', caller.user);
  if (!agent) throw notFound('The agent');
  return { data: showAgent(agent) };
}

function showAgent({ id, externalAgentId, name, version, inputParameters }: AgentRecord): Fields {
  return { id, externalAgentId, name, version, inputParameters: structuredClone(inputParameters) };
}

/** Sample outputs of agents: an example, never a live result (interface.md §2). */
const BASE = '/api/scraper-agents/:id/sample-output';
export const sampleRoutes: readonly Route[] = [
  { method: 'GET', path: BASE, scoped: true, handle: describe },
  { method: 'GET', path: `${BASE}/download`, scoped: true, handle: download },
];

const SAMPLE_RECORDS = 3;

interface Sample {
  readonly records: readonly Record<string, unknown>[];
  readonly fields: readonly string[];
  readonly name: string;
}

/** `data` is null when the agent has no sample. */
function describe(core: Core, call: Call): Answer {
  const sample = sampleOf(core, call);
  if (sample === null) return { data: null };
  const [first = {}] = sample.records;
  const schema = sample.fields.map((name) => ({
    name,
    type: first[name] === null ? 'string' : typeof first[name],
  }));
  const rawJson = JSON.stringify({ records: sample.records });
  const { records, fields } = sample;
  return {
    data: { recordCount: records.length, fieldCount: fields.length, recordPath: 'records', schema, rawJson },
  };
}

function download(core: Core, call: Call): FileAnswer {
  const sample = sampleOf(core, call);
  if (sample === null) throw notFound('The sample output', 'SAMPLE_OUTPUT_NOT_FOUND');
  const text = JSON.stringify({ records: sample.records }, null, 2);
  const pieces = () => [Buffer.from(`${text}\n`)];
  return { fileName: `${sample.name}-sample.json`, contentType: 'application/json', pieces };
}

function sampleOf(core: Core, call: Call): Sample | null {
  const agent = byId(core.world.agents, checkAgentId(core, call));
  if (agent === undefined || agent.sample === false) return null;
  const fields = fieldsOf(agent);
  const rows = [...rowsOf(fields, [{ rowSeed: `${agent.id}/sample`, records: SAMPLE_RECORDS }])];
  return { fields, name: agent.externalAgentId, records: rows.map((row) => asObject(fields, row)) };
}
