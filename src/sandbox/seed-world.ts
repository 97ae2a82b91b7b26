import { randomUUID } from 'node:crypto';
import { Refusal } from './api.js';
import { addKey, CALLER, DEFAULT_KEY, isActiveKey, KEY_MARK, newKeyText } from './keyring.js';
import { readSettings } from './schedule-rules.js';
import {
  defaultSeed,
  type Seed,
  SeedError,
  type SeedGroup,
  type SeedKey,
  type SeedPipeline,
  type SeedSchedule,
} from './seed.js';
import { checkShape } from './seed-shape.js';
import { byId, type CollectionRecord, emptyWorld, isGuid, newScheduleId, put, type World } from './world.js';

/** Turns a seed into a world. What refers to something that is not there is a SeedError. */

/** Reads a seed file. Throws SeedError: what is wrong, where, and what to do. */
export function parseSeed(text: string): Seed {
  let seed: unknown;
  try {
    seed = JSON.parse(text);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new SeedError('the file', `is not JSON: ${what}`, 'Correct it there.');
  }
  checkShape(seed);
  worldFromSeed(seed as Seed, new Date()); // for its checks of references
  return seed as Seed;
}

/** Ids that are given are kept, others are random. Pass the numbering on for `numeric-schedule-ids`. */
export function worldFromSeed(seed: Seed, now: Date, numericIds = false): World {
  const world = emptyWorld();
  if (seed.scopes) world.scopes = [...seed.scopes];
  addAgents(world, seed.agents ?? defaultSeed().agents ?? []);
  seed.groups?.forEach((group, index) => {
    addCollection(world, world.groups, `groups[${index}]`, group, membersOf(group));
  });
  seed.pipelines?.forEach((pipeline, index) => {
    addCollection(world, world.pipelines, `pipelines[${index}]`, pipeline, membersOf(pipeline));
  });
  seed.schedules?.forEach((schedule, index) => {
    addSchedule(world, `schedules[${index}]`, schedule, now, numericIds);
  });
  seed.keys?.forEach((key, index) => {
    addSeedKey(world, `keys[${index}]`, key, now);
  });
  ensureCallerKey(world, now);
  return world;
}

function addAgents(world: World, agents: NonNullable<Seed['agents']>): void {
  const seen = new Set<string>();
  agents.forEach((agent, index) => {
    const where = `agents[${index}]`;
    if (seen.has(agent.externalAgentId)) {
      throw new SeedError(where, `repeats the externalAgentId "${agent.externalAgentId}"`, 'Use another.');
    }
    seen.add(agent.externalAgentId);
    const id = freshId(world.agents, where, agent.id);
    const inputParameters = structuredClone(agent.inputParameters ?? []);
    put(world.agents, { version: '1.0.0', assigned: true, ...agent, inputParameters, id });
  });
}

function freshId(records: Map<string, unknown>, where: string, id: string | undefined): string {
  if (id === undefined) return randomUUID();
  if (!isGuid(id)) throw new SeedError(`${where}.id`, `"${id}" is not a GUID`, 'Use a GUID or leave it out.');
  if (records.has(id.toLowerCase()))
    throw new SeedError(`${where}.id`, `"${id}" is used twice`, 'Use another.');
  return id;
}

function membersOf(entry: SeedGroup | SeedPipeline): string[] {
  return 'members' in entry ? entry.members : entry.steps;
}

function addCollection(
  world: World,
  records: Map<string, CollectionRecord>,
  where: string,
  entry: SeedGroup | SeedPipeline,
  agents: string[],
): void {
  put(records, {
    id: freshId(records, where, entry.id),
    name: entry.name,
    description: entry.description ?? '',
    isActive: entry.isActive ?? true,
    agentIds: distinct(
      where,
      agents.map((name) => agentId(world, where, name)),
    ),
    canManage: entry.canManage ?? true,
    activeRunCount: 0,
    lastRunStatus: null,
    lastRunAt: null,
  });
}

function distinct(where: string, ids: string[]): string[] {
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) < index);
  if (repeated >= 0)
    throw new SeedError(where, `names an agent twice (place ${repeated})`, 'Name each once.');
  return ids;
}

function agentId(world: World, where: string, name: string): string {
  const id = findAgent(world, name);
  if (id) return id;
  const known = [...world.agents.values()].map((agent) => agent.externalAgentId).join(', ');
  throw new SeedError(where, `names the agent "${name}", which is not there`, `Known: ${known}.`);
}

function findAgent(world: World, name: string): string | undefined {
  const agents = [...world.agents.values()];
  return (byId(world.agents, name) ?? agents.find((agent) => agent.externalAgentId === name))?.id;
}

function addSchedule(
  world: World,
  where: string,
  { id, ...entry }: SeedSchedule,
  now: Date,
  numericIds: boolean,
): void {
  if (id !== undefined && byId(world.schedules, String(id))) {
    throw new SeedError(`${where}.id`, `"${id}" is used twice`, 'Use another.');
  }
  const body = { ...entry, targetId: findAgent(world, entry.targetId) ?? entry.targetId };
  put(world.schedules, {
    ...checkedSettings(world, where, body, now),
    id: String(id ?? newScheduleId(world, numericIds)),
    isRunning: false,
    lastRunTime: null,
    lastJobStatusName: null,
    lastJobId: null,
    errorMessage: null,
  });
}

/** The rules of the create endpoint; a seed that breaks them would be a world that cannot come about. */
function checkedSettings(
  world: World,
  where: string,
  body: object,
  now: Date,
): ReturnType<typeof readSettings> {
  try {
    return readSettings({ world, variants: new Set(), clock: () => now }, { ...body });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new SeedError(where, error.message.replace(/\.$/, ''), 'See the Schedule fields of interface.md.');
  }
}

function addSeedKey(world: World, where: string, { key, ...entry }: SeedKey, now: Date): void {
  if (key !== undefined && !key.startsWith(KEY_MARK)) {
    throw new SeedError(`${where}.key`, 'is not a live key', `Begin it with ${KEY_MARK}.`);
  }
  const id = freshId(world.keys, where, entry.id);
  const text = key ?? newKeyText();
  const record = addKey(world, text, now, { ...entry, id, scopes: [...(entry.scopes ?? [])] });
  const isFull = record.scopes.length === 0 && record.user === CALLER;
  if (key && isFull && world.apiKey === '' && isActiveKey(record, now)) world.apiKey = key;
}

/** Without a full-access key of the caller in the seed there is the default one. */
function ensureCallerKey(world: World, now: Date): void {
  if (world.apiKey !== '') return;
  addKey(world, DEFAULT_KEY, now, { name: 'sandbox', scopes: [] });
  world.apiKey = DEFAULT_KEY;
}
