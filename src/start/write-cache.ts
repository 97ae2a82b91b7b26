import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
  writevSync,
} from 'node:fs';
import { type CachedChunk, type CachedChunks, encode, isOwn, isPrivate } from './cache-file.js';
import type { LoadedChunk } from './chunks.js';

/** More than there are commands. Words that are none have no cache of their own. */
const MOST_FILES = 40;
/** A draft that is older belongs to a run that was killed. */
const DRAFT_MS = 60_000;

export interface CachePlace {
  /** The folder with the program. */
  readonly program: string;
  readonly folder: string;
  readonly file: string;
  readonly key: string;
}

/** Writes the compiled code of what was loaded, and keeps the rest of the cache. Throws if it cannot. */
export function writeCache(
  place: CachePlace,
  cached: CachedChunks,
  loaded: ReadonlyMap<string, LoadedChunk>,
): void {
  if (!isOwn(statSync(place.program))) return;
  prepare(place.folder);
  if (!isPrivate(lstatSync(place.folder)) || readdirSync(place.folder).length >= MOST_FILES) return;
  const draft = `${place.file}.draft`;
  const open = openDraft(draft);
  try {
    try {
      writeAllOf(open, encode(place.key, new Map([...cached, ...compiled(loaded)])));
    } finally {
      closeSync(open);
    }
    renameSync(draft, place.file);
  } catch (failure) {
    unlinkSync(draft);
    throw failure;
  }
}

function prepare(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== 'EEXIST') throw failure;
  }
}

/** Only one of several runs at once writes. The draft of a run that was killed does not stop all later ones. */
function openDraft(draft: string): number {
  try {
    return openSync(draft, 'wx', 0o600);
  } catch (failure) {
    if (Date.now() - lstatSync(draft).mtimeMs > DRAFT_MS) unlinkSync(draft);
    throw failure;
  }
}

/** By now it holds the functions that were called, and not only those at the top of a chunk. */
function compiled(loaded: ReadonlyMap<string, LoadedChunk>): [string, CachedChunk][] {
  return [...loaded].map(([name, { script, size, modified }]) => [
    name,
    { size, modified, code: script.createCachedData() },
  ]);
}

/** A full disk can take less than it was given. */
function writeAllOf(file: number, buffers: readonly Buffer[]): void {
  const total = buffers.reduce((sum, { length }) => sum + length, 0);
  if (writevSync(file, buffers) !== total) throw new Error('not all was written');
}
