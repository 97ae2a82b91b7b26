import type { ReadSession } from '../../engine/session.js';
import type { AgentSample, SampleField } from '../../model/data.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { isJsonObject, type Json, parseJson } from '../../model/json.js';
import type { Reader } from '../../model/request.js';
import type { Address, Agent } from '../../model/resource.js';
import { unlessGone } from '../../service/operation.js';
import { type SampleOutput, sampleOutput } from '../../service/operations/samples.js';
import { addressOfAgent } from '../agents.js';
import { agentsOf, noData } from './datasets.js';

interface Samples {
  /** One for each agent that has a sample. */
  readonly samples: readonly AgentSample[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The sample outputs of the agents of addresses. Throws a Problem. */
export async function readSamples(session: ReadSession, addresses: readonly Address[]): Promise<Samples> {
  const reader = session.client.reader();
  const { named } = await agentsOf(session, addresses);
  const found = await Promise.all(
    named.map(async (agent) => ({ agent, sample: await readSample(reader, agent) })),
  );
  const missing = found.flatMap(({ agent, sample }) => {
    const address = addressOfAgent(agent);
    const help = `\`roster data preview ${address}\` shows what it has collected.`;
    return sample === null ? [noData(`${address} has no sample output`, help)] : [];
  });
  return {
    samples: found.flatMap(({ sample }) => (sample === null ? [] : [sample])),
    diagnostics: [...session.warnings, ...missing],
  };
}

/** Null for an agent without a sample. */
export async function readSample(reader: Reader, agent: Agent): Promise<AgentSample | null> {
  const found = await unlessGone(reader.read(sampleOutput(agent.id)), [404]);
  if (found === null) return null;
  const { recordCount, fieldCount, recordPath, schema } = found;
  return {
    agent: addressOfAgent(agent),
    recordCount,
    fieldCount,
    recordPath,
    fields: fieldsOf(found),
    schema,
  };
}

/** As the schema names them; where it has another form than roster knows, as the records do. */
function fieldsOf(sample: SampleOutput): readonly SampleField[] {
  const described = fieldsOfSchema(sample.schema);
  return described.length > 0 ? described : fieldsOfRecords(recordsOf(sample));
}

/** The interface shows no names inside `schema` (interface §2): a list of objects or names, or a map by name. */
function fieldsOfSchema(schema: unknown): readonly SampleField[] {
  if (Array.isArray(schema)) {
    const fields = schema.map((each: Json) =>
      isJsonObject(each) ? fieldOf(each, nameIn(each)) : fieldOf({}, each),
    );
    return fields.every((each) => each !== null) ? fields : [];
  }
  if (!isJsonObject(schema)) return [];
  return Object.entries(schema).flatMap(([name, each]) => {
    const type = isJsonObject(each) ? each : { type: each };
    return fieldOf(type, name) ?? [];
  });
}

function nameIn({ name, field, fieldName, key }: Readonly<Record<string, Json>>): Json | undefined {
  return name ?? field ?? fieldName ?? key;
}

function fieldOf({ type }: Readonly<Record<string, Json>>, name: Json | undefined): SampleField | null {
  if (typeof name !== 'string') return null;
  return { name, type: typeof type === 'string' ? type : null };
}

function recordsOf({ rawJson, recordPath }: SampleOutput): readonly Json[] {
  let found = typeof rawJson === 'string' ? parseJson(rawJson) : (rawJson as Json);
  for (const name of (recordPath ?? '').split('.'))
    if (isJsonObject(found) && Object.hasOwn(found, name)) found = found[name];
  return Array.isArray(found) ? found : [];
}

function fieldsOfRecords(records: readonly Json[]): readonly SampleField[] {
  const names = new Set(records.flatMap((each) => (isJsonObject(each) ? Object.keys(each) : [])));
  return [...names].map((name) => ({ name, type: null }));
}
