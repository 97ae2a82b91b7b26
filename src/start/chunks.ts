import { closeSync, fstatSync, openSync } from 'node:fs';
import type { Script } from 'node:vm';
import { type CachedChunk, type CachedChunks, fill } from './cache-file.js';

type Require = (id: string) => unknown;

/** A chunk that this run has loaded. */
export interface LoadedChunk {
  readonly script: Script;
  readonly size: number;
  readonly modified: number;
  /** Whether V8 had to compile it. */
  readonly isCold: boolean;
}

interface ChunkSource {
  readonly text: string;
  readonly size: number;
  readonly modified: number;
}

/** What Node puts around the text of a CommonJS module. */
const BEFORE = '(function (exports, require, module, __filename) { ';
const AFTER = '\n})';

/** Loads the chunks of the program as Node would, but with compiled code from the cache. */
export class Chunks {
  readonly loaded = new Map<string, LoadedChunk>();
  private readonly modules = new Map<string, { exports: unknown }>();
  /** What chunks get as `require`. */
  private readonly require: Require;
  /** Loaded here, and not for `--help`. */
  private readonly vm: typeof import('node:vm');

  constructor(
    private readonly folder: string,
    private readonly cached: CachedChunks,
    builtIn: Require,
  ) {
    this.vm = builtIn('node:vm') as typeof import('node:vm');
    this.require = (id) => (id.startsWith('.') ? this.load(id.slice(id.lastIndexOf('/') + 1)) : builtIn(id));
  }

  load(name: string): unknown {
    const known = this.modules.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    this.modules.set(name, module);
    const path = `${this.folder}/${name}`;
    this.compile(name, path).runInThisContext()(module.exports, this.require, module, path);
    return module.exports;
  }

  private compile(name: string, path: string): Script {
    const { text, size, modified } = read(path);
    const part = this.cached.get(name);
    const usable = part !== undefined && fits(part, size, modified) ? part.code : undefined;
    const script = new this.vm.Script(text, {
      filename: path,
      // Places in stack traces are those in the file.
      columnOffset: -BEFORE.length,
      cachedData: usable,
    });
    this.loaded.set(name, { script, size, modified, isCold: script.cachedDataRejected !== false });
    return script;
  }
}

/** V8 compares only lengths. A file that somebody has changed by hand must not run the code of the old one. */
function fits(part: CachedChunk, size: number, modified: number): boolean {
  return part.size === size && part.modified === modified;
}

/** Most chunks are ASCII. Regular expressions and tagged templates may hold other characters. */
function read(path: string): ChunkSource {
  const file = openSync(path, 'r');
  try {
    const { size, mtimeMs } = fstatSync(file);
    const bytes = Buffer.allocUnsafe(BEFORE.length + size + AFTER.length);
    bytes.write(BEFORE, 'latin1');
    const end = fill(file, bytes.subarray(0, BEFORE.length + size), BEFORE.length);
    bytes.write(AFTER, end, 'latin1');
    return { text: bytes.toString('utf8', 0, end + AFTER.length), size, modified: mtimeMs };
  } finally {
    closeSync(file);
  }
}
