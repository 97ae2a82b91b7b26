import { isFields } from './body.js';
import {
  emptyWorld,
  HISTORY_SECTIONS,
  put,
  SECTIONS,
  SETUP_SECTIONS,
  type Section,
  type Settings,
  type UserRecord,
  type World,
} from './world.js';

/**
 * The world as text, so that a sandbox can continue where it stopped: a JSON document, and after it a line for each later
 * change (`data-file.ts`). It holds all keys but the newest as hashes.
 */

const FORMAT = 2;
/** Format 1 had no history, users or settings. */
const READABLE: readonly unknown[] = [1, FORMAT];

/** Says why a data file cannot be used, and how to fix it. */
export class DataFileError extends Error {
  constructor(file: string, what: string, help = 'Correct it, or delete the file to start over.') {
    super(`${file} ${what}. ${help}`);
    this.name = 'DataFileError';
  }
}

export function worldToJson(world: World): string {
  const sections = SECTIONS.map((section) => [section, [...world[section].values()]]);
  const { apiKey, scopes, settings, lastSeq, seedHash } = world;
  const users = [...world.users.values()];
  const starts = Object.fromEntries(world.starts);
  const own = { formatVersion: FORMAT, seedHash, apiKey, scopes, settings, users, starts, lastSeq };
  const saved = { ...own, ...Object.fromEntries(sections) };
  return `${JSON.stringify(saved, null, 1)}\n`;
}

/** The reverse of worldToJson. Throws DataFileError; `file` is only for its message. */
export function worldFromJson(text: string, file = 'the data file'): World {
  const { saved, lines } = parse(text, file);
  const world = emptyWorld();
  for (const section of SETUP_SECTIONS) fillSection(world, section, saved[section], file);
  if (saved.formatVersion === FORMAT)
    for (const section of HISTORY_SECTIONS) fillSection(world, section, saved[section], file);
  setParts(world, saved);
  for (const line of lines) change(world, line, file);
  return world;
}

/** What a line of the data file says. */
function change(world: World, line: string, file: string): void {
  const { set, removed } = parsedLine(line, file);
  for (const section of SECTIONS) {
    for (const key of (removed[section] as string[] | undefined) ?? []) world[section].delete(key);
    if (set[section] !== undefined) fillSection(world, section, set[section], file);
  }
  setParts(world, set);
}

function parsedLine(line: string, file: string): Record<'set' | 'removed', Record<string, unknown>> {
  const fields = parsed(line);
  if (isFields(fields) && isFields(fields.set) && isFields(fields.removed))
    return { set: fields.set, removed: fields.removed };
  throw new DataFileError(file, `has a line that is not a change: ${line.slice(0, 40)}`);
}

function setParts(world: World, saved: Readonly<Record<string, unknown>>): void {
  const { apiKey, scopes, users, starts, settings, lastSeq, seedHash } = saved;
  if (typeof apiKey === 'string') world.apiKey = apiKey;
  if (typeof seedHash === 'string') world.seedHash = seedHash;
  if (Array.isArray(scopes)) world.scopes = scopes.map(String);
  if (Array.isArray(users)) world.users = new Map((users as UserRecord[]).map((user) => [user.name, user]));
  if (isFields(settings)) world.settings = { ...world.settings, ...(settings as Partial<Settings>) };
  if (typeof lastSeq === 'number') world.lastSeq = lastSeq;
  for (const [agent, count] of Object.entries(isFields(starts) ? starts : {}))
    world.starts.set(agent, Number(count));
}

/** What a record of each section cannot be without: this program wrote the file, but a person may have changed it. */
const REQUIRED: Readonly<Record<Section, readonly string[]>> = {
  agents: ['externalAgentId', 'name', 'inputParameters', 'assigned'],
  groups: ['name', 'agentIds', 'isActive', 'canManage'],
  pipelines: ['name', 'agentIds', 'isActive', 'canManage'],
  schedules: ['targetType', 'targetId', 'scheduleType', 'startTime', 'timeZoneId', 'isEnabled'],
  keys: ['user', 'hash', 'keyPrefix', 'scopes', 'isRevoked'],
  jobs: ['owner', 'seq', 'agentId', 'runIds', 'startedAt'],
  runs: ['owner', 'seq', 'agentId', 'outcome', 'startedAt', 'endsAt'],
  groupRuns: ['owner', 'seq', 'groupId', 'members', 'startedAt'],
  pipelineRuns: ['owner', 'seq', 'pipelineId', 'steps', 'startedAt'],
  datasets: ['owner', 'seq', 'agentId', 'parts', 'createdAt', 'expiresAt'],
  savedQueries: ['owner', 'name', 'datasetId', 'definition'],
};

function fillSection(world: World, section: Section, entries: unknown, file: string): void {
  const records = world[section] as Map<string, { id: string }>;
  fill(records, entries, `${file}: ${section}`, REQUIRED[section]);
}

interface Parsed {
  readonly saved: Record<string, unknown>;
  readonly lines: readonly string[];
}

function parse(text: string, file: string): Parsed {
  const whole = parsed(text);
  // The document is indented: the first line without an indent that closes it is its last.
  const end = whole === undefined ? text.indexOf('\n}\n') + 2 : text.length;
  const saved = whole ?? parsed(text.slice(0, end));
  if (saved === undefined) throw new DataFileError(file, 'is not JSON');
  if (!isFields(saved) || !READABLE.includes(saved.formatVersion)) {
    throw new DataFileError(file, `is not a sandbox data file of format ${READABLE.join(' or ')}`);
  }
  // What follows the last line end was being written when the sandbox was killed, and not acknowledged.
  const lines = text.slice(end).split('\n').slice(1, -1);
  return { saved, lines };
}

/** Undefined for what is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fill(
  records: Map<string, { id: string }>,
  entries: unknown,
  where: string,
  required: readonly string[],
): void {
  if (!Array.isArray(entries)) throw new DataFileError(where, 'is not an array');
  for (const entry of entries) {
    if (!isFields(entry) || typeof entry.id !== 'string')
      throw new DataFileError(where, 'has an entry without an id');
    const missing = required.find((field) => entry[field] === undefined);
    if (missing !== undefined)
      throw new DataFileError(where, `has an entry without "${missing}": ${entry.id}`);
    put(records, { ...entry, id: entry.id });
  }
}
