import type { Outcome } from '../engine/records.js';
import type { AgentRecord, IntervalUnit, ScheduleSettings, Settings } from '../world.js';

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

/** The source of this agent has changed its page: its runs succeed without two of the columns that others have. */
const CHANGED = 'umbrella-pharma';
const LEFT: readonly string[] = ['id', 'title', 'inStock', 'url', 'collectedAt'];

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
    outcomes: externalAgentId === CHANGED ? [{ fields: [...LEFT] }] : [],
  };
}
