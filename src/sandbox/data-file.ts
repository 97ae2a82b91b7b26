import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { Changes } from './changes.js';
import { worldFromJson, worldToJson } from './persistence.js';
import type { World } from './world.js';

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
    const line = Buffer.from(`${JSON.stringify(change)}\n`);
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
