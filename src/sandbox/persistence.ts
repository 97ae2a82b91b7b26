import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isFields } from './body.js';
import { emptyWorld, put, type World } from './world.js';

/** The world as a file, so that a sandbox can go on where it stopped. Keys are in it as hashes, but for the newest. */

const FORMAT = 1;
const SECTIONS = ['agents', 'groups', 'pipelines', 'schedules', 'keys'] as const;

/** Says why a data file cannot be used, and what to do. */
export class DataFileError extends Error {
  constructor(file: string, what: string) {
    super(`${file}: ${what}. Correct it, or remove the file to start afresh.`);
    this.name = 'DataFileError';
  }
}

export function worldToJson(world: World): string {
  const sections = SECTIONS.map((section) => [section, [...world[section].values()]]);
  const { apiKey, scopes, nextScheduleNumber } = world;
  const saved = {
    formatVersion: FORMAT,
    apiKey,
    scopes,
    nextScheduleNumber,
    ...Object.fromEntries(sections),
  };
  return `${JSON.stringify(saved, null, 1)}\n`;
}

/** The reverse of worldToJson. Throws DataFileError; `file` is only for its message. */
export function worldFromJson(text: string, file = 'data file'): World {
  const saved = parse(text, file);
  const world = emptyWorld();
  if (typeof saved.apiKey === 'string') world.apiKey = saved.apiKey;
  if (Array.isArray(saved.scopes)) world.scopes = saved.scopes.map(String);
  if (typeof saved.nextScheduleNumber === 'number') world.nextScheduleNumber = saved.nextScheduleNumber;
  for (const section of SECTIONS) {
    // Which type of record it is goes unchecked: this program wrote the file.
    fill(world[section] as Map<string, { id: string }>, saved[section], `${file}: ${section}`);
  }
  return world;
}

function parse(text: string, file: string): Record<string, unknown> {
  let saved: unknown;
  try {
    saved = JSON.parse(text);
  } catch {
    throw new DataFileError(file, 'is not JSON');
  }
  if (!isFields(saved) || saved.formatVersion !== FORMAT) {
    throw new DataFileError(file, `is not a sandbox data file of format ${FORMAT}`);
  }
  return saved;
}

function fill(records: Map<string, { id: string }>, entries: unknown, where: string): void {
  if (!Array.isArray(entries)) throw new DataFileError(where, 'is not an array');
  for (const entry of entries) {
    if (!isFields(entry) || typeof entry.id !== 'string')
      throw new DataFileError(where, 'has no id in an entry');
    put(records, { ...entry, id: entry.id });
  }
}

/** Undefined when there is no such file. */
export async function loadWorld(file: string): Promise<World | undefined> {
  try {
    return worldFromJson(await readFile(file, 'utf8'), file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written beside the file and renamed, so that it is never half there. Mode 0600. */
export async function saveWorld(file: string, world: World): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(draft, worldToJson(world), { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Saves one at a time; requests that come while a save is under way share the next one. */
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
