import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';

/** The compiled code of one chunk, and what its file looked like when it was compiled. */
export interface CachedChunk {
  readonly size: number;
  readonly modified: number;
  readonly code: Buffer;
}

export type CachedChunks = ReadonlyMap<string, CachedChunk>;

/** V8 would copy code that does not begin at a multiple of this. */
const ALIGNMENT = 8;
/** Far more than the compiled code of all chunks. */
const MOST = 64 * 1024 * 1024;
/** Not through a link, and without waiting for a writer if it is a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The content of a cache: the length of the header, the header, the code of each part; and then all of it once more.
 * V8 trusts what it is given, and damaged code could do anything. Comparing the two halves finds any damage, and takes a
 * tenth of the time of a checksum: those of Node are in modules that take longer to load than the cache saves.
 */
export function encode(key: string, parts: CachedChunks): Buffer[] {
  const rows = [...parts].map(([name, { size, modified, code }]) => [name, size, modified, code.length]);
  const text = Buffer.from(JSON.stringify([key, rows]), 'latin1');
  const header = Buffer.alloc(aligned(4 + text.length), ' ');
  header.writeUInt32LE(header.length - 4);
  header.set(text, 4);
  const codes = [...parts.values()].flatMap(({ code }) => [code, Buffer.alloc(padding(code.length))]);
  const half = [header, ...codes];
  return [...half, ...half];
}

/** Null if anything is not as `encode` wrote it, or was written for another key. */
export function decode(bytes: Buffer, key: string): CachedChunks | null {
  const half = bytes.subarray(0, bytes.length / 2);
  if (half.length < 4 || !half.equals(bytes.subarray(half.length))) return null;
  const begin = 4 + half.readUInt32LE();
  if (begin > half.length) return null;
  const [found, rows]: [string, [string, number, number, number][]] = JSON.parse(
    half.toString('latin1', 4, begin),
  );
  if (found !== key) return null;
  const parts = new Map<string, CachedChunk>();
  let offset = begin;
  for (const [name, size, modified, length] of rows) {
    parts.set(name, { size, modified, code: half.subarray(offset, offset + length) });
    offset = aligned(offset + length);
  }
  return offset === half.length ? parts : null;
}

function aligned(length: number): number {
  return length + padding(length);
}

function padding(length: number): number {
  return -length & (ALIGNMENT - 1);
}

/** Reads a cache that only this user can have written. Throws if there is none. */
export function readCache(folder: string, file: string, key: string): CachedChunks | null {
  if (!isPrivate(lstatSync(folder))) return null;
  const open = openSync(file, FLAGS);
  try {
    const stats = fstatSync(open);
    if (!stats.isFile() || !isPrivate(stats) || stats.size > MOST) return null;
    const bytes = Buffer.allocUnsafeSlow(stats.size);
    return fill(open, bytes, 0) === stats.size ? decode(bytes, key) : null;
  } finally {
    closeSync(open);
  }
}

/** A folder or file of this user that nobody else can even read: not one from a checkout or an archive. */
export function isPrivate(stats: Stats): boolean {
  return !stats.isSymbolicLink() && isOwn(stats) && (stats.mode & 0o077) === 0;
}

export function isOwn({ uid }: Stats): boolean {
  return uid === process.geteuid?.();
}

/** Returns where the content ends in `bytes`. */
export function fill(file: number, bytes: Buffer, begin: number): number {
  let end = begin;
  while (end < bytes.length) {
    const count = readSync(file, bytes, end, bytes.length - end, null);
    if (count === 0) break;
    end += count;
  }
  return end;
}
