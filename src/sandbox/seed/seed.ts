import type { Outcome } from '../engine/records.js';
import { type Fields, isFields } from '../http.js';
import {
  COUNTS,
  checkAll,
  checkEntry,
  checkField,
  checkObject,
  checkSection,
  checkTogether,
  DURATION,
  FILLED,
  FLAG,
  ID,
  INPUTS,
  INSTANT,
  integerFrom,
  JsonFileError,
  listed,
  NUMBER,
  numberTo,
  OBJECT,
  OBJECTS,
  type Shape,
  TEXT,
  TEXT_OR_NULL,
  TEXTS,
  WEEK_SECONDS,
  wordOf,
} from '../json-file.js';
import {
  type AgentRecord,
  byId,
  CALLER,
  type IntervalUnit,
  isGuid,
  type ScheduleSettings,
  type Settings,
  type World,
} from '../world.js';

/** The initial state of a sandbox, as a seed file describes it. Every part is optional. */

export interface Seed {
  /** Default: the agents of `defaultSeed()`. */
  agents?: SeedAgent[];
  groups?: SeedGroup[];
  pipelines?: SeedPipeline[];
  schedules?: SeedSchedule[];
  keys?: SeedKey[];
  /** What was started before the sandbox. */
  history?: SeedStart[];
  /** Whom owners and keys can name, besides `caller`. Default: anybody, in the company `sandbox`. */
  users?: SeedUser[];
  settings?: Partial<Settings>;
  /** The scope names that the service knows. Default: only `agents.run`. */
  scopes?: string[];
}

export interface SeedUser {
  /** `caller` is the user of the key that the sandbox prints. */
  name: string;
  /** Default `sandbox`. Null: the user belongs to no company. */
  company?: string | null;
}

export interface SeedAgent
  extends Partial<
    Pick<
      AgentRecord,
      'assignedTo' | 'demo' | 'sessions' | 'format' | 'fields' | 'sample' | 'unpaid' | 'outcomes'
    >
  > {
  id?: string;
  externalAgentId: string;
  name: string;
  version?: string;
  inputParameters?: { key: string; defaultValue: string }[];
  /** Default true. False: an agent of another customer, invisible to the caller. */
  assigned?: boolean;
}

interface SeedCollection {
  id?: string;
  name: string;
  description?: string;
  isActive?: boolean;
  /** Default true. False: provided by the operator and read-only. */
  canManage?: boolean;
  /** Who created it. Default: the caller. */
  owner?: string;
}

/** `members`: externalAgentIds, or ids. */
export interface SeedGroup extends SeedCollection {
  members: string[];
}

/** `steps`: externalAgentIds, or ids, in order. */
export interface SeedPipeline extends SeedCollection {
  steps: string[];
}

/**
 * The body of a schedule create (interface.md §2). `targetId` may also be the externalAgentId of an agent, or the name of a
 * group or pipeline of the seed.
 */
export interface SeedSchedule
  extends Partial<Pick<ScheduleSettings, 'targetType' | 'timeZoneId' | 'inputParameters' | 'isEnabled'>> {
  id?: string | number;
  /** Default: the caller. */
  owner?: string;
  scheduleType: ScheduleSettings['scheduleType'];
  targetId: string;
  startTime: string;
  intervalValue?: number;
  intervalUnit?: IntervalUnit;
  cronExpression?: string;
}

/** A start in the past. What it started has gone on since then: it may have finished, or be in progress. */
export interface SeedStart {
  /** A GUID: the id of the job, group run or pipeline run. Default: a random one. */
  id?: string;
  /** An externalAgentId or id. Exactly one of these four. */
  agent?: string;
  /** An id, or a name of the seed. */
  group?: string;
  pipeline?: string;
  /** An id of the seed. */
  schedule?: string | number;
  /** With an offset. Exactly one of these two. */
  startedAt?: string;
  /** How long before the time at which the sandbox starts: `8h`. */
  ago?: string;
  /** Not for pipelines. Default: those of the schedule, or none. */
  inputParameters?: string;
  /** Who started it. Default: the caller. */
  owner?: string;
  /** How this start of an agent ends. Default: as the outcomes of the agent say. */
  outcome?: Omit<Outcome, 'nth'>;
  /** The access level of the dataset that a finished agent leaves. Default `Private`. */
  accessLevel?: 'Private' | 'Company';
  /** On the dataset of an agent that has finished. They belong to who started it. */
  savedQueries?: SeedQuery[];
}

export interface SeedQuery {
  name: string;
  /** A query (interface.md §4, Datasets). */
  definition: Record<string, unknown>;
}

export interface SeedKey {
  id?: string;
  /** The full key, for requests. Without it the key is only listed, and nobody can use it. */
  key?: string;
  name: string;
  scopes?: string[];
  /** Whose key it is. Default: the caller. */
  user?: string;
  isRevoked?: boolean;
  createdDate?: string;
  expires?: string | null;
  lastUsedDate?: string | null;
}

const AGENTS: readonly [string, string, Record<string, string>][] = [
  ['acme-shop', 'Acme Shop prices', { country: 'DE', query: '' }],
  ['globex', 'Globex product search', { country: 'DE', query: '', maxPages: '5' }],
  ['initech', 'Initech catalogue', { country: 'DE', category: 'all' }],
  ['umbrella-pharma', 'Umbrella Pharma stock', { country: 'DE' }],
  ['hooli-jobs', 'Hooli job postings', { query: '', location: '' }],
  ['stark-listings', 'Stark property listings', { city: 'Berlin', maxPrice: '' }],
  ['wayne-news', 'Wayne newsroom', { since: '' }],
  ['login-check', 'Login check', {}],
  ['catalogue', 'Catalogue crawl', { section: 'all' }],
  ['prices', 'Price refresh', { currency: 'EUR' }],
];

/** Only ten agents, with fixed ids. */
export function defaultSeed(): Seed {
  return { agents: AGENTS.map(seedAgent) };
}

function seedAgent([externalAgentId, name, inputs]: (typeof AGENTS)[number], index: number): SeedAgent {
  const number = String(index + 1).padStart(12, '0');
  return {
    id: `a9e00000-0000-4000-8000-${number}`,
    externalAgentId,
    name,
    version: `1.${index}.0`,
    inputParameters: Object.entries(inputs).map(([key, defaultValue]) => ({ key, defaultValue })),
  };
}

/** Checks the properties of a seed file and their types. */

const FATE = {
  result: wordOf('succeed', 'fail', 'refuse', 'lose'),
  failedRuns: integerFrom(1, 20),
  seconds: numberTo(WEEK_SECONDS),
  records: integerFrom(0, 1_000_000),
  errors: integerFrom(0, 1_000_000),
  message: TEXT,
  anomaly: wordOf('None', 'Slow', 'Fast'),
  dataset: wordOf('Available', 'Failed', 'Stale', 'None'),
};

const OUTCOME: Shape = { required: {}, optional: { nth: COUNTS, ...FATE } };

const SETTINGS = {
  retentionDays: numberTo(36_500),
  staggerSeconds: numberTo(3_600),
  bulkExportSeconds: numberTo(3_600),
  startsPerMinute: integerFrom(0, 1_000_000),
};

const COLLECTION = { id: TEXT, description: TEXT, isActive: FLAG, canManage: FLAG, owner: TEXT };

const SECTIONS: Readonly<Record<string, Shape>> = {
  agents: {
    required: { externalAgentId: TEXT, name: TEXT },
    optional: {
      id: TEXT,
      version: TEXT,
      inputParameters: INPUTS,
      assigned: FLAG,
      assignedTo: TEXTS,
      demo: FLAG,
      sessions: integerFrom(1, 20),
      format: wordOf('csv', 'json'),
      fields: TEXTS,
      sample: FLAG,
      unpaid: FLAG,
      outcomes: OBJECTS,
    },
  },
  groups: { required: { name: TEXT, members: TEXTS }, optional: COLLECTION },
  pipelines: { required: { name: TEXT, steps: TEXTS }, optional: COLLECTION },
  schedules: {
    required: { targetId: TEXT, scheduleType: TEXT, startTime: TEXT },
    optional: {
      id: ID,
      targetType: TEXT,
      intervalValue: NUMBER,
      intervalUnit: TEXT,
      cronExpression: TEXT,
      timeZoneId: TEXT,
      inputParameters: TEXT,
      isEnabled: FLAG,
      owner: TEXT,
    },
  },
  history: {
    required: {},
    optional: {
      id: TEXT,
      agent: TEXT,
      group: TEXT,
      pipeline: TEXT,
      schedule: ID,
      startedAt: INSTANT,
      ago: DURATION,
      inputParameters: TEXT,
      owner: TEXT,
      outcome: OBJECT,
      accessLevel: wordOf('Private', 'Company'),
      savedQueries: OBJECTS,
    },
  },
  users: { required: { name: TEXT }, optional: { company: TEXT_OR_NULL } },
  keys: {
    required: { name: TEXT },
    optional: {
      id: TEXT,
      key: TEXT,
      scopes: TEXTS,
      user: TEXT,
      isRevoked: FLAG,
      createdDate: TEXT,
      expires: TEXT_OR_NULL,
      lastUsedDate: TEXT_OR_NULL,
    },
  },
};

const OUTCOME_OF_START: Shape = { required: {}, optional: FATE };
const QUERY: Shape = { required: { name: FILLED, definition: OBJECT }, optional: {} };

const PARTS = [...Object.keys(SECTIONS), 'scopes', 'settings', '$schema'];

export function checkShape(seed: unknown): asserts seed is Fields {
  checkTogether(
    () => checkObject(seed, PARTS),
    () => isFields(seed) && checkParts(seed),
  );
}

function checkParts(seed: Fields): void {
  const { scopes, settings, agents, history } = seed;
  checkTogether(
    () => scopes !== undefined && checkField('scopes', scopes, TEXTS),
    () => settings !== undefined && checkEntry('settings', settings, { required: {}, optional: SETTINGS }),
    () => checkAll(Object.entries(SECTIONS), ([name, shape]) => checkSection(name, seed[name], shape)),
  );
  checkTogether(
    () => checkOutcomes(agents),
    () => checkHistory(history),
  );
}

function checkHistory(starts: unknown): void {
  if (!Array.isArray(starts)) return;
  checkAll(starts.entries(), ([index, start]: [number, Fields]) => checkStart(`history[${index}]`, start));
}

function checkStart(where: string, start: Fields): void {
  const { agent, outcome, savedQueries } = start;
  checkTogether(
    () => {
      checkOneOf(where, start, ['agent', 'group', 'pipeline', 'schedule']);
      if (agent === undefined) checkNoneOfAgents(where, start);
    },
    () => checkOneOf(where, start, ['startedAt', 'ago']),
    () =>
      agent !== undefined &&
      outcome !== undefined &&
      checkEntry(`${where}.outcome`, outcome, OUTCOME_OF_START),
    () => checkSection(`${where}.savedQueries`, savedQueries, QUERY),
  );
}

/** Groups, pipelines and schedules start several agents. */
function checkNoneOfAgents(where: string, start: Fields): void {
  if (start.outcome !== undefined)
    throw new JsonFileError(`${where}.outcome`, 'is not for an agent', 'Use `outcomes` of the agents.');
  const found = ['accessLevel', 'savedQueries'].find((key) => start[key] !== undefined);
  if (found !== undefined)
    throw new JsonFileError(`${where}.${found}`, 'is not for an agent', 'Use it with `agent`.');
}

function checkOneOf(where: string, entry: Fields, names: readonly string[]): void {
  const count = names.filter((name) => entry[name] !== undefined).length;
  if (count === 1) return;
  const what = count === 0 ? `has none of ${listed(names)}` : `has several of ${listed(names)}`;
  throw new JsonFileError(where, what, 'Use one of them.');
}

function checkOutcomes(agents: unknown): void {
  if (!Array.isArray(agents)) return;
  checkAll(agents.entries(), ([index, agent]: [number, Fields]) =>
    checkSection(`agents[${index}].outcomes`, agent.outcomes, OUTCOME),
  );
}

/** What a seed refers to by its name or its id. */

/** Throws JsonFileError. */
export function agentId(world: World, where: string, name: string): string {
  const id = findAgent(world, name);
  if (id) return id;
  const known = [...world.agents.values()].map((agent) => agent.externalAgentId).join(', ');
  throw new JsonFileError(where, `refers to the agent "${name}", which does not exist`, `Agents: ${known}.`);
}

/** Owners and users of keys. Without `users`, any name is one of the caller's colleagues. Throws JsonFileError. */
export function checkUsers({ users, groups, pipelines, schedules, history, keys }: Seed): void {
  if (users === undefined) return;
  const known = new Set([CALLER, ...users.map(({ name }) => name)]);
  const help = `Add it to \`users\`, or use one of: ${[...known].join(', ')}.`;
  const owners = Object.entries({ groups, pipelines, schedules, history }).flatMap(
    ([section, entries = []]) =>
      entries.map(({ owner }: { owner?: string }, index) => [`${section}[${index}].owner`, owner] as const),
  );
  const holders = (keys ?? []).map(({ user }, index) => [`keys[${index}].user`, user] as const);
  checkAll([...owners, ...holders], ([where, name]) => {
    if (name !== undefined && !known.has(name))
      throw new JsonFileError(where, `is "${name}", which is not one of the users`, help);
  });
}

function findAgent(world: World, name: string): string | undefined {
  return byId(world.agents, name)?.id ?? namesIn(world.agents, 'externalAgentId').get(name)?.[0];
}

/** Groups and pipelines by id, or by a name that only one of them has. Throws JsonFileError. */
export function targetId(
  world: World,
  where: string,
  { targetType, targetId: name }: Pick<SeedSchedule, 'targetType' | 'targetId'>,
): string {
  if (targetType === undefined || targetType === 'Agent') return findAgent(world, name) ?? name;
  const idsByName = namesIn(targetType === 'Group' ? world.groups : world.pipelines, 'name');
  const [found, other] = idsByName.get(name) ?? [];
  if (found !== undefined && other === undefined) return found;
  if (found === undefined && isGuid(name)) return name;
  const what = found === undefined ? 'which does not exist' : 'a name that several have';
  const names = [...idsByName.keys()].join(', ') || 'none';
  throw new JsonFileError(`${where}.targetId`, `is "${name}", ${what}`, `Use an id, or one of: ${names}.`);
}

type IdsByName = ReadonlyMap<string, readonly string[]>;

const indexes = new WeakMap<object, Map<string, IdsByName>>();

/** The ids by name, once all records are there: each of thousands of schedules names its target. */
function namesIn<K extends string>(
  records: Map<string, { id: string } & Record<K, string>>,
  key: K,
): IdsByName {
  const byKey = indexes.get(records) ?? new Map<string, IdsByName>();
  const ids = byKey.get(key) ?? idsBy(key, [...records.values()]);
  indexes.set(records, byKey.set(key, ids));
  return ids;
}

function idsBy<K extends string>(key: K, records: ({ id: string } & Record<K, string>)[]): IdsByName {
  const ids = new Map<string, string[]>();
  for (const record of records) {
    const same = ids.get(record[key]);
    if (same === undefined) ids.set(record[key], [record.id]);
    else same.push(record.id);
  }
  return ids;
}
