import type {
  DatasetRecord,
  GroupRunRecord,
  JobRecord,
  Outcome,
  PipelineRunRecord,
  RunRecord,
  SavedQueryRecord,
} from './engine/records.js';

/**
 * The state of the service: plain mutable records in maps. Tests read and change it directly.
 * Map keys are ids in lower case, because the service accepts a GUID in either case.
 */

/** An agent (interface.md §2, Agent). `assigned` false: not assigned to the caller or the caller's company. */
export interface AgentRecord {
  id: string;
  externalAgentId: string;
  name: string;
  version: string;
  inputParameters: { key: string; defaultValue: string }[];
  assigned: boolean;
  /** Only to these users and companies. Default: to all. */
  assignedTo?: string[];
  /** A demo agent: its data is not production data. */
  demo?: boolean;
  /** Runs of a job; more than one export as one zip. Default 1. */
  sessions?: number;
  /** Default `csv`. */
  format?: 'csv' | 'json';
  fields?: string[];
  /** Default true. False: no sample output. */
  sample?: boolean;
  /** Its data exists, but its final payment has not settled (402). */
  unpaid?: boolean;
  outcomes?: Outcome[];
}

/** A user of the service. A user whom no seed mentions belongs to the company of the caller. */
export interface UserRecord {
  name: string;
  company: string | null;
}

/** The user that the sandbox acts for. */
export const CALLER = 'caller';
export const DEFAULT_COMPANY = 'sandbox';

/** How the service is set up, where the interface leaves it open. */
export interface Settings {
  /** How long the file of a dataset is kept. */
  retentionDays: number;
  /** Between the starts of two members of a group. */
  staggerSeconds: number;
  /** How long a bulk export takes at least. */
  bulkExportSeconds: number;
  /** Starts per minute and user (§8). */
  startsPerMinute: number;
}

const DEFAULT_SETTINGS: Settings = {
  retentionDays: 30,
  staggerSeconds: 1,
  bulkExportSeconds: 0,
  startsPerMinute: 60,
};

/** A group or a pipeline (interface.md §2): `agentIds` are the members, or the stages in order. */
export interface CollectionRecord {
  id: string;
  name: string;
  description: string;
  isActive: boolean;
  agentIds: string[];
  canManage: boolean;
  /** Who created it. Default: the caller. */
  owner?: string;
  activeRunCount: number;
  lastRunStatus: string | null;
  lastRunAt: string | null;
}

export const TARGET_TYPES = ['Agent', 'Group', 'Pipeline'] as const;
export type TargetType = (typeof TARGET_TYPES)[number];
export const SCHEDULE_TYPES = ['Basic', 'Cron', 'Once'] as const;
export type ScheduleType = (typeof SCHEDULE_TYPES)[number];
export const INTERVAL_UNITS = ['Minutes', 'Hours', 'Days', 'Weeks'] as const;
export type IntervalUnit = (typeof INTERVAL_UNITS)[number];

/** The content of a create or update body of a schedule (interface.md §2, Schedule). */
export interface ScheduleSettings {
  targetType: TargetType;
  targetId: string;
  scheduleType: ScheduleType;
  intervalValue: number | null;
  intervalUnit: IntervalUnit | null;
  cronExpression: string | null;
  /** Wall clock in `timeZoneId`, `YYYY-MM-DDTHH:MM:SS`, with a fraction only where one was sent. */
  startTime: string;
  timeZoneId: string;
  inputParameters: string;
  isEnabled: boolean;
}

/** A stored schedule. `status`, `description` and `nextRunTime` are computed on each read. */
export interface ScheduleRecord extends ScheduleSettings {
  id: string;
  /** Default: the caller. */
  owner?: string;
  isRunning: boolean;
  /** Until then it is starting a run: milliseconds. */
  startingUntil?: number;
  lastRunTime: string | null;
  lastJobStatusName: string | null;
  lastJobId: string | null;
  errorMessage: string | null;
}

/** The runs of a new group or pipeline, and of a new schedule. */
export const NEVER_RUN = { activeRunCount: 0, lastRunStatus: null, lastRunAt: null };
export const NEVER_STARTED = {
  isRunning: false,
  lastRunTime: null,
  lastJobStatusName: null,
  lastJobId: null,
  errorMessage: null,
};

/** An API key (interface.md §5). Only its hash is stored. A key without scopes has the full access of its user. */
export interface KeyRecord {
  id: string;
  user: string;
  hash: string;
  keyPrefix: string;
  name: string;
  scopes: string[];
  isRevoked: boolean;
  createdDate: string;
  expires: string | null;
  lastUsedDate: string | null;
}

/** What the service stores, by section. */
export interface Records {
  agents: AgentRecord;
  groups: CollectionRecord;
  pipelines: CollectionRecord;
  schedules: ScheduleRecord;
  keys: KeyRecord;
  jobs: JobRecord;
  runs: RunRecord;
  groupRuns: GroupRunRecord;
  pipelineRuns: PipelineRunRecord;
  datasets: DatasetRecord;
  savedQueries: SavedQueryRecord;
}
export type Section = keyof Records;
type Sections = { [S in Section]: Map<string, Records[S]> };

export interface World extends Sections {
  users: Map<string, UserRecord>;
  /** How often each agent was started. */
  starts: Map<string, number>;
  /** The last number given to what was run: it gives the order. */
  lastSeq: number;
  settings: Settings;
  /** The scope names that the service knows; others are dropped when a key is created (§5.8). */
  scopes: string[];
  /** The newest active key of the caller in clear text, so that `roster sandbox` can print it after a restart. */
  apiKey: string;
  /** The hash of the seed that it was made from; empty if that is unknown. */
  seedHash: string;
  /** What the data file does not have yet: keys of maps, by the name of the map. Null without a data file. */
  changes: Map<keyof World, Set<string>> | null;
}

export function emptyWorld(): World {
  return {
    agents: new Map(),
    groups: new Map(),
    pipelines: new Map(),
    schedules: new Map(),
    keys: new Map(),
    users: new Map(),
    jobs: new Map(),
    runs: new Map(),
    groupRuns: new Map(),
    pipelineRuns: new Map(),
    datasets: new Map(),
    savedQueries: new Map(),
    starts: new Map(),
    lastSeq: 0,
    settings: { ...DEFAULT_SETTINGS },
    scopes: ['agents.run'],
    apiKey: '',
    seedHash: '',
    changes: null,
  };
}

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isGuid(text: string): boolean {
  return GUID.test(text);
}

/** Finds a record by an id from a path or a body, in upper or lower case. */
export function byId<T>(records: Map<string, T>, id: string): T | undefined {
  return records.get(id.toLowerCase());
}

/** Adds a record. Who changes a record puts it again: otherwise the data file would not get the change. */
export function put<S extends Section>(world: World, section: S, record: Records[S]): Records[S] {
  const key = record.id.toLowerCase();
  const records: Sections[S] = world[section];
  records.set(key, record);
  noteChange(world, section, key);
  return record;
}

export function remove(world: World, section: Section, id: string): void {
  const key = id.toLowerCase();
  world[section].delete(key);
  noteChange(world, section, key);
}

/** The number of the next thing that is run. */
export function nextSeq(world: World): number {
  world.lastSeq += 1;
  noteChange(world, 'lastSeq');
  return world.lastSeq;
}

/** Counts a start of an agent, and says which it is. */
export function countStart(world: World, agentId: string): number {
  const nth = (world.starts.get(agentId) ?? 0) + 1;
  world.starts.set(agentId, nth);
  noteChange(world, 'starts', agentId);
  return nth;
}

export function setApiKey(world: World, key: string): void {
  world.apiKey = key;
  noteChange(world, 'apiKey');
}

/** `key` is for a map: without it, the whole value has changed. */
function noteChange(world: World, name: keyof World, key = ''): void {
  if (world.changes === null) return;
  const keys = world.changes.get(name);
  if (keys === undefined) world.changes.set(name, new Set([key]));
  else keys.add(key);
}
