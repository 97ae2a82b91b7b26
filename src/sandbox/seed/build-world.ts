import { randomUUID } from 'node:crypto';
import { Refusal } from '../api.js';
import { durationMs } from '../clock.js';
import { addSavedQuery, setAccess } from '../datasets/routes.js';
import { startGroupRun, startPipelineRun } from '../engine/collection-runs.js';
import { Engine, startTarget } from '../engine/engine.js';
import { startJob } from '../engine/jobs.js';
import type { JobRecord } from '../engine/records.js';
import { StartRefused } from '../engine/simulation.js';
import { seed as validator } from '../generated/validators.js';
import { optionalInputs } from '../http.js';
import { checkAll, fileError, type JsonFileError, readJsonFile } from '../json-file.js';
import { addKey, DEFAULT_KEY, hashOf, isActiveKey, KEY_MARK, newKeyText } from '../keys.js';
import { readSettings } from '../schedules/routes.js';
import {
  type AgentRecord,
  byId,
  CALLER,
  type CollectionRecord,
  DEFAULT_COMPANY,
  emptyWorld,
  isGuid,
  NEVER_RUN,
  NEVER_STARTED,
  put,
  type ScheduleSettings,
  type World,
} from '../world.js';
import { agentId, checkUsers, targetId } from './references.js';
import {
  defaultSeed,
  type Seed,
  type SeedGroup,
  type SeedKey,
  type SeedPipeline,
  type SeedSchedule,
  type SeedStart,
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

function freshId(records: Map<string, unknown>, where: string, id: string | undefined): string {
  if (id === undefined) return randomUUID();
  if (!isGuid(id)) throw fileError(`${where}.id`, `is not a GUID: "${id}"`, 'Use a GUID, or leave it out.');
  if (records.has(id.toLowerCase()))
    throw fileError(`${where}.id`, `is used twice: "${id}"`, 'Use another id.');
  return id;
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
    ...checkedSettings(world, where, body, owner),
    id: String(id ?? randomUUID()),
    ...(owner === undefined ? {} : { owner }),
    ...NEVER_STARTED,
  });
}

/** Applies the rules of the create endpoint, so that a seed cannot describe an impossible world. */
function checkedSettings(world: World, where: string, body: object, owner = CALLER): ScheduleSettings {
  try {
    return readSettings(world, { ...body }, owner);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const what = `breaks a rule of the service: ${error.message.replace(/\.$/, '')}`;
    throw fileError(where, what, 'See "Seed" in docs/sandbox.md for the fields of a schedule.');
  }
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

/** What was started before the sandbox, played by the same engine: jobs, runs and datasets as if it had been running. */

interface Planned {
  readonly at: number;
  readonly id: string | null;
  /** Returns the job of an agent. */
  readonly start: (engine: Engine) => JobRecord | null;
  /** What the seed says of its data. */
  readonly describe: (job: JobRecord | null) => void;
}

/** Throws JsonFileError. */
function playHistory(world: World, history: readonly SeedStart[], now: number): void {
  if (history.length === 0) return;
  checkIds(history);
  const starts: Planned[] = [];
  checkAll(history.entries(), ([index, entry]) =>
    starts.push(planned(world, `history[${index}]`, entry, now)),
  );
  const engine = new Engine(world, now);
  const describing = starts
    .sort((a, b) => a.at - b.at)
    .map(({ at, id, start, describe }) => {
      engine.runUntil(at);
      engine.plannedId = id;
      const job = attempt(() => start(engine));
      engine.plannedId = null; // a start that was refused has not taken it
      return () => describe(job);
    });
  engine.runUntil(now);
  checkAll(describing, (describe) => describe());
}

function checkIds(history: readonly SeedStart[]): void {
  const seen = new Set<string>();
  checkAll(history.entries(), ([index, { id }]) => {
    if (id === undefined) return;
    const where = `history[${index}].id`;
    if (!isGuid(id)) throw fileError(where, `is not a GUID: "${id}"`, 'Use a GUID, or leave it out.');
    if (seen.has(id.toLowerCase())) throw fileError(where, `is used twice: "${id}"`, 'Use another id.');
    seen.add(id.toLowerCase());
  });
}

/** A start that was refused is one that has left no job. */
function attempt(start: () => JobRecord | null): JobRecord | null {
  try {
    return start();
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    return null;
  }
}

type Starter = (engine: Engine, at: number) => JobRecord | null;

/** A starter for what may be several jobs. */
function several(start: (engine: Engine, at: number) => unknown): Starter {
  return (engine, at) => {
    start(engine, at);
    return null;
  };
}

function planned(world: World, where: string, entry: SeedStart, now: number): Planned {
  const at = entry.ago === undefined ? Date.parse(entry.startedAt ?? '') : now - (durationMs(entry.ago) ?? 0);
  if (Number.isNaN(at)) throw fileError(`${where}.startedAt`, 'is not a time', 'Correct the date.');
  if (at > now) throw fileError(`${where}.startedAt`, 'is after the start of the sandbox', 'Use `ago`.');
  const start =
    entry.schedule === undefined ? ofCaller(world, where, entry) : ofSchedule(world, where, entry);
  const describe = (job: JobRecord | null) => describeData(world, where, entry, job);
  return { at, id: entry.id?.toLowerCase() ?? null, start: (engine) => start(engine, at), describe };
}

function ofSchedule(world: World, where: string, entry: SeedStart): Starter {
  const schedule = byId(world.schedules, String(entry.schedule));
  if (schedule === undefined) throw missing(`${where}.schedule`, `the schedule "${entry.schedule}"`);
  const inputs = inputsOf(where, entry) ?? schedule.inputParameters;
  return several((engine, at) => startTarget(engine, schedule, inputs, at));
}

function ofCaller(world: World, where: string, entry: SeedStart): Starter {
  const origin = {
    owner: entry.owner ?? CALLER,
    inputParameters: inputsOf(where, entry) ?? '{}',
    trigger: 'Manual',
    scheduleId: null,
    groupRunId: null,
    pipelineRunId: null,
  } as const;
  if (entry.group !== undefined) {
    const group = named(world, where, 'Group', entry.group);
    return several((engine, at) => startGroupRun(engine, group, origin, at));
  }
  if (entry.pipeline !== undefined) {
    const pipeline = named(world, where, 'Pipeline', entry.pipeline);
    return several((engine, at) => startPipelineRun(engine, pipeline, origin, at));
  }
  const agent = byId(world.agents, agentId(world, `${where}.agent`, entry.agent ?? ''));
  if (agent === undefined) throw missing(`${where}.agent`, `the agent "${entry.agent}"`);
  return (engine, at) => startJob(engine, scripted(world, agent, entry.outcome), origin, at);
}

/** A group or pipeline. */
function named(
  world: World,
  where: string,
  targetType: 'Group' | 'Pipeline',
  name: string,
): CollectionRecord {
  const place = `${where}.${targetType.toLowerCase()}`;
  const records = targetType === 'Group' ? world.groups : world.pipelines;
  const found = byId(records, targetId(world, place, { targetType, targetId: name }));
  if (found === undefined) throw missing(place, `the ${targetType.toLowerCase()} "${name}"`);
  return found;
}

/** The agent with this outcome for its next start. */
function scripted(world: World, agent: AgentRecord, outcome: SeedStart['outcome']): AgentRecord {
  if (outcome === undefined) return agent;
  const nth = (world.starts.get(agent.id) ?? 0) + 1;
  return { ...agent, outcomes: [{ ...outcome, nth }, ...(agent.outcomes ?? [])] };
}

function inputsOf(where: string, { inputParameters }: SeedStart): string | undefined {
  try {
    return optionalInputs({ inputParameters });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw fileError(`${where}.inputParameters`, 'is not a JSON object as a string', 'Write "{}".');
  }
}

function missing(where: string, what: string): JsonFileError {
  return fileError(where, `refers to ${what}, which does not exist`, 'Use one of the seed.');
}

/** What a seed says of the dataset of a start: who can read it, and its saved queries. Throws JsonFileError. */
function describeData(world: World, where: string, entry: SeedStart, job: JobRecord | null): void {
  const { accessLevel, savedQueries } = entry;
  const place = accessLevel === undefined ? `${where}.savedQueries` : `${where}.accessLevel`;
  if (accessLevel === undefined && savedQueries === undefined) return;
  const dataset = byId(world.datasets, job?.datasetId ?? '');
  if (dataset === undefined)
    throw fileError(
      place,
      'is for a start that has no dataset',
      'Let it succeed before the start of the sandbox.',
    );
  if (accessLevel !== undefined) checked(place, () => setAccess(world, dataset, accessLevel));
  savedQueries?.forEach((query, index) => {
    const { owner, createdAt } = dataset;
    const definition = `${where}.savedQueries[${index}].definition`;
    checked(definition, () => addSavedQuery(world, dataset, { ...query, owner, createdAt }));
  });
}

/** Applies the rules of the service. */
function checked(where: string, work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const what = `breaks a rule of the service: ${error.message.replace(/\.$/, '')}`;
    throw fileError(
      where,
      what,
      'See "Seed" in docs/sandbox.md for the fields of datasets and saved queries.',
    );
  }
}
