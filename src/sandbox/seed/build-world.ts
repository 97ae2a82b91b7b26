import { randomUUID } from 'node:crypto';
import { seed as validator } from '../generated/validators.js';
import { checkAll, fileError, readJsonFile } from '../json-file.js';
import { addKey, DEFAULT_KEY, hashOf, isActiveKey, KEY_MARK, newKeyText } from '../keys.js';
import { readSettings } from '../schedules/settings.js';
import {
  byId,
  CALLER,
  type CollectionRecord,
  DEFAULT_COMPANY,
  emptyWorld,
  NEVER_RUN,
  NEVER_STARTED,
  put,
  type World,
} from '../world.js';
import { playHistory } from './history.js';
import { agentId, checkedByService, checkUsers, freshId, targetId } from './references.js';
import {
  defaultSeed,
  type Seed,
  type SeedGroup,
  type SeedKey,
  type SeedPipeline,
  type SeedSchedule,
} from './seed.js';

/** Builds a world from a seed. A reference to an agent that does not exist is a JsonFileError. */

/** Reads a seed file for a sandbox that starts at `now`. Throws JsonFileError: what is wrong, where, and how to fix it. */
export function parseSeed(text: string, now = new Date()): Seed {
  return readJsonFile<Seed>(text, validator, (seed) => {
    worldFromSeed(seed, now); // checks the references
  });
}

/** Keeps the ids of the seed; missing ids are random. */
export function worldFromSeed(seed: Seed, now: Date, defaultKey = DEFAULT_KEY): World {
  const world = emptyWorld();
  world.seedHash = seedHash(seed);
  if (seed.scopes) world.scopes = [...seed.scopes];
  world.settings = { ...world.settings, ...seed.settings };
  for (const { name, company = DEFAULT_COMPANY } of seed.users ?? [])
    world.users.set(name, { name, company });
  addAgents(world, seed.agents ?? defaultSeed().agents ?? []);
  checkUsers(seed);
  addEach('groups', seed.groups, (where, group) => {
    put(world, 'groups', collection(world, where, group, world.groups));
  });
  addEach('pipelines', seed.pipelines, (where, pipeline) => {
    put(world, 'pipelines', collection(world, where, pipeline, world.pipelines));
  });
  addEach('schedules', seed.schedules, (where, schedule) => {
    addSchedule(world, where, schedule);
  });
  addEach('keys', seed.keys, (where, key) => {
    addSeedKey(world, where, key, now);
  });
  ensureCallerKey(world, now, defaultKey);
  playHistory(world, seed.history ?? [], now.getTime());
  return world;
}

/** Reports all problems of a section at its end, because later sections refer to it. */
function addEach<T>(name: string, entries: readonly T[] = [], add: (where: string, entry: T) => void): void {
  checkAll(entries.entries(), ([index, entry]) => add(`${name}[${index}]`, entry));
}

/** Tells seeds apart. */
export function seedHash(seed: Seed): string {
  return hashOf(JSON.stringify(seed));
}

function addAgents(world: World, agents: NonNullable<Seed['agents']>): void {
  const seen = new Set<string>();
  addEach('agents', agents, (where, agent) => {
    const what = `repeats the externalAgentId "${agent.externalAgentId}"`;
    if (seen.has(agent.externalAgentId)) throw fileError(where, what, 'Use another one.');
    seen.add(agent.externalAgentId);
    const id = freshId(world.agents, where, agent.id);
    const inputParameters = structuredClone(agent.inputParameters ?? []);
    put(world, 'agents', { version: '1.0.0', assigned: true, ...agent, inputParameters, id });
  });
}

function collection(
  world: World,
  where: string,
  entry: SeedGroup | SeedPipeline,
  records: Map<string, CollectionRecord>,
): CollectionRecord {
  const agents = 'members' in entry ? entry.members : entry.steps;
  const agentIds = agents.map((name) => agentId(world, where, name));
  const repeated = agentIds.findIndex((id, index) => agentIds.indexOf(id) < index);
  if (repeated >= 0) {
    throw fileError(where, `lists the agent "${agents[repeated]}" twice`, 'List each agent once.');
  }
  return {
    id: freshId(records, where, entry.id),
    name: entry.name,
    description: entry.description ?? '',
    isActive: entry.isActive ?? true,
    agentIds,
    canManage: entry.canManage ?? true,
    ...(entry.owner === undefined ? {} : { owner: entry.owner }),
    ...NEVER_RUN,
  };
}

function addSchedule(world: World, where: string, { id, owner, ...entry }: SeedSchedule): void {
  if (id !== undefined && byId(world.schedules, String(id))) {
    throw fileError(`${where}.id`, `is used twice: "${id}"`, 'Use another id.');
  }
  const body = { ...entry, targetId: targetId(world, `${where}.targetId`, entry) };
  put(world, 'schedules', {
    ...checkedByService(where, 'a schedule', () => readSettings(world, body, owner)),
    id: String(id ?? randomUUID()),
    ...(owner === undefined ? {} : { owner }),
    ...NEVER_STARTED,
  });
}

function addSeedKey(world: World, where: string, { key, ...entry }: SeedKey, now: Date): void {
  const what = `does not start with ${KEY_MARK}`;
  if (key !== undefined && !key.startsWith(KEY_MARK))
    throw fileError(`${where}.key`, what, 'Use such a key, or leave it out.');
  const id = freshId(world.keys, where, entry.id);
  const text = key ?? newKeyText();
  const record = addKey(world, text, now, { ...entry, id, scopes: [...(entry.scopes ?? [])] });
  const isFull = record.scopes.length === 0 && record.user === CALLER;
  if (key && isFull && world.apiKey === '' && isActiveKey(record, now)) world.apiKey = key;
}

/** Adds the default key if the seed has no full-access key of the caller. */
function ensureCallerKey(world: World, now: Date, key: string): void {
  if (world.apiKey !== '') return;
  addKey(world, key, now, { name: 'sandbox', scopes: [] });
  world.apiKey = key;
}
