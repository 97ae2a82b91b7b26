import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isFields } from './body.js';
import { emptyWorld, put, type Settings, type UserRecord, type World } from './world.js';

/** The world as a file, so that a sandbox can continue where it stopped. It holds all keys but the newest as hashes. */

const FORMAT = 2;
/** Format 1 had no history, users or settings. */
const READABLE: readonly unknown[] = [1, FORMAT];
const SECTIONS = ['agents', 'groups', 'pipelines', 'schedules', 'keys'] as const;
const HISTORY = ['jobs', 'runs', 'groupRuns', 'pipelineRuns', 'datasets', 'savedQueries'] as const;

type Section = (typeof SECTIONS)[number] | (typeof HISTORY)[number];

/** Says why a data file cannot be used, and how to fix it. */
export class DataFileError extends Error {
  constructor(file: string, what: string, help = 'Correct it, or delete the file to start over.') {
    super(`${file} ${what}. ${help}`);
    this.name = 'DataFileError';
  }
}

export function worldToJson(world: World): string {
  const sections = [...SECTIONS, ...HISTORY].map((section) => [section, [...world[section].values()]]);
  const { apiKey, scopes, settings, lastSeq } = world;
  const users = [...world.users.values()];
  const starts = Object.fromEntries(world.starts);
  const own = { formatVersion: FORMAT, apiKey, scopes, settings, users, starts, lastSeq };
  const saved = { ...own, ...Object.fromEntries(sections) };
  return `${JSON.stringify(saved, null, 1)}\n`;
}

/** The reverse of worldToJson. Throws DataFileError; `file` is only for its message. */
export function worldFromJson(text: string, file = 'the data file'): World {
  const saved = parse(text, file);
  const world = emptyWorld();
  if (typeof saved.apiKey === 'string') world.apiKey = saved.apiKey;
  if (Array.isArray(saved.scopes)) world.scopes = saved.scopes.map(String);
  for (const section of SECTIONS) {
    fillSection(world, section, saved[section], file);
  }
  if (saved.formatVersion === FORMAT) fillHistory(world, saved, file);
  return world;
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

function fillHistory(world: World, saved: Record<string, unknown>, file: string): void {
  for (const section of HISTORY) {
    fillSection(world, section, saved[section], file);
  }
  const { users = [], starts = {}, settings = {}, lastSeq = 0 } = saved as Partial<Record<string, never>>;
  world.users = new Map((users as UserRecord[]).map((user) => [user.name, user]));
  world.starts = new Map(Object.entries(starts as Record<string, number>));
  world.settings = { ...world.settings, ...(settings as Partial<Settings>) };
  world.lastSeq = Number(lastSeq);
}

function parse(text: string, file: string): Record<string, unknown> {
  let saved: unknown;
  try {
    saved = JSON.parse(text);
  } catch {
    throw new DataFileError(file, 'is not JSON');
  }
  if (!isFields(saved) || !READABLE.includes(saved.formatVersion)) {
    throw new DataFileError(file, `is not a sandbox data file of format ${READABLE.join(' or ')}`);
  }
  return saved;
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

/** Undefined if the file does not exist. */
export async function loadWorld(file: string): Promise<World | undefined> {
  try {
    return worldFromJson(await readFile(file, 'utf8'), file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a temporary file and renames it, so that the file is never incomplete. Mode 0600. */
async function saveWorld(file: string, world: World): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, worldToJson(world), { mode: 0o600, flag: 'wx' });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Runs one save at a time; requests that arrive during a save share the next one. */
export function saver(file: string, world: World): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        running = saveWorld(file, world);
        return running;
      });
    return next;
  };
}
