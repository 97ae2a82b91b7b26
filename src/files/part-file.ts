import { createHash, randomUUID } from 'node:crypto';
import { constants, lstatSync, readdirSync } from 'node:fs';
import { type FileHandle, link, open, rename } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, parse } from 'node:path';
import { errnoOf } from './errno.js';
import { flushIfPossible, removeAbandoned, removeIfPossible } from './new-file.js';

const { O_RDWR, O_CREAT, O_EXCL } = constants;
/** Windows has no such flag. */
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const MOST_NUMBERS = 10_000;
/** What a file system without hard links answers. */
const noLinks = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV', 'EINVAL']);

/**
 * A file that arrives piece by piece. It has a hidden name until it is whole, and then never that of another file. What a
 * killed process leaves is hidden, and removed by `sweepParts`. Throws the system's errors.
 */
export class PartFile {
  #isOpen = true;

  private constructor(
    private readonly folder: string,
    private readonly path: string,
    readonly handle: FileHandle,
  ) {}

  static async create(folder: string): Promise<PartFile> {
    const path = join(folder, `.${hostMark()}-${process.pid}-${randomUUID().slice(0, 8)}.roster-tmp`);
    return new PartFile(folder, path, await open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW));
  }

  async write(piece: Uint8Array): Promise<void> {
    // A single write may take a part only.
    for (let at = 0; at < piece.length; )
      at += (await this.handle.write(piece, at, piece.length - at)).bytesWritten;
  }

  /** Gives it the name, or the first free one of `name-2.csv`, `name-3.csv`, … Returns it. */
  async keep(name: string): Promise<string> {
    await this.handle.sync();
    await this.#close();
    const kept = await this.#named(name);
    // The file is there. That its name may not survive a loss of power, as in a folder that cannot be read, is not a failure.
    removeIfPossible(this.path);
    flushIfPossible(this.folder);
    return kept;
  }

  async discard(): Promise<void> {
    await this.#close().catch(() => undefined);
    removeIfPossible(this.path);
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.handle.close();
  }

  async #named(name: string): Promise<string> {
    for (let number = 1; number <= MOST_NUMBERS; number += 1) {
      const candidate = number === 1 ? name : numbered(name, number);
      if (await this.#take(join(this.folder, candidate))) return candidate;
    }
    throw Object.assign(new Error('all names are taken'), { code: 'EEXIST' });
  }

  /** A link never replaces a file: of two processes, one gets the name. Without links, only a look can tell. */
  async #take(path: string): Promise<boolean> {
    try {
      await link(this.path, path);
      return true;
    } catch (failure) {
      const code = errnoOf(failure) ?? '';
      if (code === 'EEXIST') return false;
      if (!noLinks.has(code)) throw failure;
      if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false;
      await rename(this.path, path);
      return true;
    }
  }
}

function numbered(name: string, number: number): string {
  const { name: stem, ext } = parse(name);
  return `${stem}-${number}${ext}`;
}

/** Removes what killed processes of this machine left in a folder, and older leftovers of others. */
export function sweepParts(folder: string): void {
  for (const name of namesIn(folder)) {
    const [, host, pid] = /^\.([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.roster-tmp$/.exec(name) ?? [];
    if (host === hostMark() && !isAlive(Number(pid))) removeIfPossible(join(folder, name));
  }
  removeAbandoned(folder);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // What cannot be read will be reported by the first write.
    return [];
  }
}

/** Folders may be shared by machines, whose process ids mean nothing here. */
function hostMark(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (failure) {
    return errnoOf(failure) !== 'ESRCH';
  }
}

/** A comment of the longest length may follow the end record. */
const LONGEST_END_BYTES = 22 + 65_535;
const END_SIGNATURE = 0x06054b50;
/** A zip64 has this record in front of its end record, and may keep any of the numbers elsewhere. */
const LOCATOR_SIGNATURE = 0x07064b50;
const LOCATOR_BYTES = 20;
const MANY = 0xffff;

/**
 * The number of files in a zip, from the record at its end; `many` for a zip64, which keeps the number elsewhere. Null if
 * there is no such record, as in a zip that was cut off, or if it belongs to a zip of another length: one with a piece
 * missing, or one inside a zip that was cut off.
 */
export async function zipEntries(file: FileHandle, size: number): Promise<number | 'many' | null> {
  const length = Math.min(size, LONGEST_END_BYTES);
  const tail = Buffer.alloc(length);
  await file.read(tail, 0, length, size - length);
  for (let at = length - 22; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE) continue;
    if (at + 22 + tail.readUInt16LE(at + 20) !== length) continue;
    const isLarge = at >= LOCATOR_BYTES && tail.readUInt32LE(at - LOCATOR_BYTES) === LOCATOR_SIGNATURE;
    if (!isLarge && listEnd(tail, at) !== size - length + at) continue;
    const count = tail.readUInt16LE(at + 10);
    return count === MANY ? 'many' : count;
  }
  return null;
}

/** The end of the list of files, by the end record, which must follow it. */
function listEnd(tail: Buffer, at: number): number {
  return tail.readUInt32LE(at + 12) + tail.readUInt32LE(at + 16);
}
