import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isFields } from './body.js';
import { parseJson, writeJson } from './digits.js';
import { emptyWorld, type Section, type World } from './world.js';

/**
 * The data file: a log, from which a sandbox continues where it stopped. Its first line is the format, and each other line the
 * changes of one request: `["groups", KEY, RECORD]`, `["groups", KEY, null]` for one that was removed, and `["lastSeq", 17]`.
 * It holds all keys but the newest as hashes.
 */

const FIRST_LINE = '{"formatVersion":3}';

/** What the world holds besides maps. */
const VALUES = ['seedHash', 'apiKey', 'scopes', 'settings', 'lastSeq'] as const;
type ValueName = (typeof VALUES)[number];

/** What a record cannot be without: this program wrote the file, but a person may have changed it. */
const REQUIRED: Readonly<Record<Section | 'users', readonly string[]>> = {
  users: ['name'],
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

type MapName = keyof typeof REQUIRED | 'starts';

/** In the order of the file. */
const MAPS: readonly MapName[] = [...(Object.keys(REQUIRED) as (keyof typeof REQUIRED)[]), 'starts'];

/** More lines than this, and than the world takes, are written anew as the world. */
const SLACK_BYTES = 65_536;

type Change =
  | readonly [name: ValueName, value: unknown]
  | readonly [name: MapName, key: string, value: unknown];

/** Says why a data file cannot be used, and how to fix it. */
export class DataFileError extends Error {
  constructor(file: string, what: string, help = 'Correct it, or delete the file to start over.') {
    super(`${file} ${what}. ${help}`);
    this.name = 'DataFileError';
  }
}

/** The shortest log that gives this world. */
export function worldToLog(world: World): string {
  const lines = [FIRST_LINE, lineOf(VALUES.map((name) => [name, world[name]]))];
  for (const name of MAPS) {
    for (const [key, value] of world[name]) lines.push(lineOf([[name, key, value]]));
  }
  return `${lines.join('\n')}\n`;
}

function lineOf(changes: readonly Change[]): string {
  return writeJson(changes);
}

/** The reverse of worldToLog. Throws DataFileError; `file` is only for its message. */
export function worldFromLog(text: string, file = 'the data file'): World {
  // What follows the last line end was being written when the sandbox was killed, and not acknowledged.
  const [first, ...lines] = text.split('\n').slice(0, -1);
  if (first !== FIRST_LINE)
    throw new DataFileError(file, 'is not a data file of this version of the sandbox');
  const world = emptyWorld();
  lines.forEach((line, index) => {
    const fault = replay(world, line);
    if (fault !== null) throw new DataFileError(`${file}:${index + 2}`, fault);
  });
  return world;
}

/** Null, or what is wrong with the line. */
function replay(world: World, line: string): string | null {
  const changes = parsed(line);
  if (!Array.isArray(changes)) return 'is not a list of changes';
  for (const change of changes) {
    const fault = Array.isArray(change) ? make(world, change) : 'is not a list of changes';
    if (fault !== null) return fault;
  }
  return null;
}

/** Undefined for what is not JSON. */
function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function make(world: World, [name, ...rest]: readonly unknown[]): string | null {
  if (isValueName(name)) return setValue(world, name, rest[0]);
  const [key, value] = rest;
  if (!isMapName(name) || typeof key !== 'string') return 'changes what a sandbox does not have';
  const map = world[name] as Map<string, unknown>;
  const fault = value === null ? null : faultOf(name, value);
  if (value === null) map.delete(key);
  else if (fault === null) map.set(key, value);
  return fault;
}

function isValueName(name: unknown): name is ValueName {
  return VALUES.some((each) => each === name);
}

function isMapName(name: unknown): name is MapName {
  return MAPS.some((each) => each === name);
}

function setValue(world: World, name: ValueName, value: unknown): string | null {
  if (
    value === null ||
    typeof value !== typeof world[name] ||
    Array.isArray(value) !== Array.isArray(world[name])
  )
    return `has a wrong "${name}"`;
  Object.assign(world, { [name]: value });
  return null;
}

function faultOf(name: MapName, value: unknown): string | null {
  if (name === 'starts') return typeof value === 'number' ? null : 'has a wrong number of starts';
  if (!isFields(value)) return `has an entry of "${name}" that is not an object`;
  if (name !== 'users' && typeof value.id !== 'string') return `has an entry of "${name}" without an id`;
  const missing = REQUIRED[name].find((field) => value[field] === undefined);
  return missing === undefined ? null : `has an entry of "${name}" without "${missing}": ${value.id}`;
}

/** Undefined if the file does not exist. */
export function loadWorld(file: string): World | undefined {
  try {
    return worldFromLog(readFileSync(file, 'utf8'), file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Keeps the file as the world is. Everything is written at once: nobody sees a change that is not in the file. */
export class DataFile {
  /** Bytes of the file, and of the world when it was last written whole. */
  private size = 0;
  private wholeSize = 0;
  private readonly changes: NonNullable<World['changes']> = new Map();

  constructor(
    private readonly file: string,
    private readonly world: World,
  ) {
    world.changes = this.changes;
  }

  /** Appends what has changed since the last time. */
  save(): void {
    const changes = this.changed();
    if (changes.length === 0) return;
    const line = Buffer.from(`${lineOf(changes)}\n`);
    const fits = this.size + line.length <= 2 * this.wholeSize + SLACK_BYTES;
    // Of earlier keys the file has hashes only.
    const isKeyNew = this.changes.has('apiKey');
    if (isKeyNew || !fits || !this.append(line)) this.rewrite();
    this.changes.clear();
  }

  private changed(): Change[] {
    const values = VALUES.filter((name) => this.changes.has(name)).map(
      (name): Change => [name, this.world[name]],
    );
    const records = MAPS.flatMap((name) =>
      [...(this.changes.get(name) ?? [])].map(
        (key): Change => [name, key, this.world[name].get(key) ?? null],
      ),
    );
    return [...values, ...records];
  }

  /** False if the file is not as it was left, or the line could not be written. */
  private append(line: Buffer): boolean {
    try {
      if (statSync(this.file).size !== this.size) return false;
      appendFileSync(this.file, line);
    } catch {
      return false;
    }
    this.size += line.length;
    return true;
  }

  /** Writes the world whole: a temporary file, which is renamed, so that the file is never incomplete. Mode 0600. */
  rewrite(): void {
    const bytes = Buffer.from(worldToLog(this.world));
    const temporary = `${this.file}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' });
      renameSync(temporary, this.file);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    this.size = bytes.length;
    this.wholeSize = bytes.length;
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
