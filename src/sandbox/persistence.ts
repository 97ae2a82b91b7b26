import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { Digits, parseJson, writeJson } from './digits.js';
import { isFields } from './http.js';
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
 * change. It holds all keys but the newest as hashes.
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
  return `${writeJson(saved, 1)}\n`;
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
    return parseJson(text);
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

/** Saves the world in a file: a large one by appending what has changed, so that writing a change takes time in proportion to its size. */

/** Smaller ones are written anew at each change: that is as fast, and the file stays one JSON document. */
const SMALL_BYTES = 65_536;

export interface DataFile {
  /** Resolves when all changes up to now are saved. */
  save(): Promise<void>;
  /** Leaves the file as one JSON document. */
  finish(): Promise<void>;
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

/** Runs one save at a time; requests that arrive during a save share the next one. */
export function dataFile(file: string, world: World): DataFile {
  const writer = new Writer(file, world);
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const save = () => {
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        running = writer.save();
        return running;
      });
    return next;
  };
  const finish = () => {
    running = (next ?? running).catch(() => undefined).then(() => writer.rewrite());
    return running;
  };
  return { save, finish };
}

class Writer {
  /** What has changed since the last save; null before the first, and while the file is small. */
  private changes: Changes | null = null;
  /** Bytes of the document, and of the file with its lines. */
  private document = 0;
  private size = 0;

  constructor(
    private readonly file: string,
    private readonly world: World,
  ) {}

  async save(): Promise<void> {
    if (this.changes === null) return this.rewrite();
    const change = this.changes.take();
    if (change === null) return;
    const line = Buffer.from(`${writeJson(change)}\n`);
    // All lines together are at most as long as the document: on average, a change writes twice its own size.
    const fits = this.size + line.length <= 2 * this.document;
    if (!(fits && (await this.append(line)))) await this.rewrite();
  }

  /** False if the file is not as it was left, or the line could not be written. */
  private async append(line: Buffer): Promise<boolean> {
    try {
      const handle = await open(this.file, constants.O_WRONLY | constants.O_APPEND);
      try {
        if ((await handle.stat()).size !== this.size) return false;
        await handle.writeFile(line);
        this.size += line.length;
        return true;
      } finally {
        await handle.close();
      }
    } catch {
      return false;
    }
  }

  /** Writes a temporary file and renames it, so that the file is never incomplete. Mode 0600. */
  async rewrite(): Promise<void> {
    const bytes = Buffer.from(worldToJson(this.world));
    const changes = bytes.length > SMALL_BYTES ? new Changes(this.world) : null;
    this.changes = null; // until it is written
    const temporary = `${this.file}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await writeFile(temporary, bytes, { mode: 0o600, flag: 'wx' });
      await rename(temporary, this.file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    this.changes = changes;
    this.document = bytes.length;
    this.size = bytes.length;
  }
}

/** Keeps two sandboxes of a machine from using one data file: each would overwrite what the other has saved. */

/** Throws DataFileError while another process that runs has the file. Returns what releases it. */
export async function lockDataFile(file: string): Promise<() => Promise<void>> {
  const lock = await lockPath(file);
  for (const isRetry of [false, true]) {
    try {
      await writeFile(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
      return () => rm(lock, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      const holder = Number(await readFile(lock, 'utf8').catch(() => ''));
      if (isRetry || isRunning(holder)) throw inUse(file, holder, lock);
      await rm(lock, { force: true }); // of a process that was killed
    }
  }
  throw new Error('unreachable');
}

/** After a crash, the number of the process may be that of another program. */
function inUse(file: string, holder: number, lock: string): DataFileError {
  const help = `Stop that one first. If it is not a sandbox, delete ${lock}.`;
  return new DataFileError(file, `is used by another sandbox (process ${holder})`, help);
}

/** Outside the folder of the file, which may be watched or under version control. */
async function lockPath(file: string): Promise<string> {
  const folder = await realpath(dirname(resolve(file)));
  const name = createHash('sha256')
    .update(join(folder, basename(file)))
    .digest('hex')
    .slice(0, 24);
  return join(tmpdir(), `roster-sandbox-${name}.lock`);
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Removes the temporary files that a killed sandbox has left. */
export async function sweepTemporaryFiles(file: string): Promise<void> {
  const folder = dirname(resolve(file));
  const prefix = `${basename(file)}.`;
  const names = await readdir(folder).catch(() => []);
  const left = names.filter(
    (name) => name.startsWith(prefix) && /^[0-9a-f]{12}\.tmp$/.test(name.slice(prefix.length)),
  );
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
}

/** What has changed in the world since it was last saved. */

/** What a change sets: records by section, and what the world holds besides records. */
const PARTS = ['apiKey', 'scopes', 'settings', 'users', 'lastSeq'] as const;

/** A line of the data file. */
export interface Change {
  readonly set: Partial<Record<Section, readonly unknown[]>> & Readonly<Record<string, unknown>>;
  /** Keys of records. */
  readonly removed: Partial<Record<Section, readonly string[]>>;
}

/**
 * Compares the world with a copy of what was saved. Handlers change records in many places, and a change that nobody noted
 * would be lost: comparing ten thousand records takes about as long as answering a request.
 */
class Changes {
  /** The values of the fields of each record. */
  private readonly saved = new Map<Section, Map<string, readonly unknown[]>>();
  private readonly parts = new Map<string, unknown>();
  private readonly starts: Map<string, number>;

  constructor(private readonly world: World) {
    for (const section of SECTIONS) {
      const records = [...(world[section] as Map<string, object>)];
      this.saved.set(section, new Map(records.map(([key, record]) => [key, Object.values(copied(record))])));
    }
    for (const part of PARTS) this.parts.set(part, copied(world[part]));
    this.starts = new Map(world.starts);
  }

  /** Null if nothing has changed. What it returns counts as saved. */
  take(): Change | null {
    const set: Record<string, unknown> = {};
    const removed: Partial<Record<Section, string[]>> = {};
    for (const section of SECTIONS) {
      const [changed, gone] = this.ofSection(section);
      if (changed.length > 0) set[section] = changed;
      if (gone.length > 0) removed[section] = gone;
    }
    for (const part of PARTS) {
      if (isSame(this.world[part], this.parts.get(part))) continue;
      this.parts.set(part, copied(this.world[part]));
      set[part] = part === 'users' ? [...this.world.users.values()] : this.world[part];
    }
    const starts = [...this.world.starts].filter(([agent, count]) => this.starts.get(agent) !== count);
    for (const [agent, count] of starts) this.starts.set(agent, count);
    if (starts.length > 0) set['starts'] = Object.fromEntries(starts);
    return Object.keys(set).length === 0 && Object.keys(removed).length === 0 ? null : { set, removed };
  }

  private ofSection(section: Section): [changed: object[], gone: string[]] {
    const records = this.world[section] as Map<string, object>;
    const saved = this.saved.get(section) ?? new Map<string, readonly unknown[]>();
    const changed: object[] = [];
    for (const [key, record] of records) {
      if (isUnchanged(record, saved.get(key))) continue;
      saved.set(key, Object.values(copied(record)));
      changed.push(record);
    }
    const gone = saved.size === records.size ? [] : [...saved.keys()].filter((key) => !records.has(key));
    for (const key of gone) saved.delete(key);
    return [changed, gone];
  }
}

/** Compares plain data, as records are. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Map) return b instanceof Map && isSame([...a], [...b]);
  const own = Object.values(a);
  const other = Object.values(b);
  return own.length === other.length && own.every((value, index) => isSame(value, other[index]));
}

/** The fields of a record are always in the same order. A loop, because it runs for every record after every change. */
function isUnchanged(record: object, saved: readonly unknown[] | undefined): boolean {
  const values = Object.values(record);
  if (values.length !== saved?.length) return false;
  for (let index = 0; index < values.length; index += 1) {
    if (values[index] !== saved[index] && !isSame(values[index], saved[index])) return false;
  }
  return true;
}

/** A copy of plain data. Several times as fast as `structuredClone`. */
export function copied<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Digits) return value;
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, copied(each)])) as T;
  if (Array.isArray(value)) return value.map(copied) as T;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copied(each)])) as T;
}
