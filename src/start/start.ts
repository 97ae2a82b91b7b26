import { type CachedChunks, readCache } from './cache-file.js';
import { Chunks } from './chunks.js';
import { type CachePlace, writeCache } from './write-cache.js';

/**
 * The first part of the program, before any of its chunks. V8 compiles the code of a run anew each time, which takes
 * longer than all the rest of a short command. So the compiled code of each command is kept next to the program.
 */

/** Set by the build: a hash of all chunks. */
declare const __build: string;

/** Longer runs have had V8 drop the code that they needed only at their start. */
const MOST_SECONDS = 10;
/** Done, and "there are changes". */
const goodCodes: readonly unknown[] = [0, 2];

/**
 * V8 of Node 20 optimizes functions early, and the HTTP parser of the client for up to 0.1 seconds, for which Node waits
 * at the end of a run. Later versions wait until a function has run about as often as these say.
 */
const OPTIMIZE_LATER = ['--interrupt-budget=600000', '--wasm-tiering-budget=1000000000'];

/** Commands that end before V8 would optimize them: loading what sets its flags takes longer. */
const shortCommand = /^(-.*|__.*|completion|explain|help|schema|version)?$/;

/** Returns what loads a chunk by its name. */
export function loader(program: string, require: (id: string) => unknown): (name: string) => unknown {
  const command = process.argv[2] ?? '';
  // Before any chunk is read: V8 refuses code that was compiled with other flags, so they depend on the command alone.
  if (!shortCommand.test(command) && process.versions.node.startsWith('20.'))
    OPTIMIZE_LATER.forEach((require('node:v8') as typeof import('node:v8')).setFlagsFromString);
  const place = placeOf(program, command);
  if (place === null) return (name) => require(`./chunks/${name}`);
  const cached = attempt(() => readCache(place.folder, place.file, place.key)) ?? new Map();
  const chunks = new Chunks(`${program}/chunks`, cached, require);
  process.on('exit', (code) => {
    if (goodCodes.includes(code)) attempt(() => keep(place, cached, chunks));
  });
  return (name) => chunks.load(name);
}

/** Null when this run uses no cache. A system without users cannot tell whose file it is. */
function placeOf(program: string, command: string): CachePlace | null {
  const { NODE_DISABLE_COMPILE_CACHE: isOff, NODE_V8_COVERAGE: coverage } = process.env;
  if (isOff || coverage || process.geteuid === undefined || !/^_{0,2}[a-z]{1,20}$/.test(command)) return null;
  const folder = `${program}/cache`;
  const { node, v8 } = process.versions;
  const key = [__build, node, v8, process.platform, process.arch].join(' ');
  return { program, folder, file: `${folder}/${command}`, key };
}

function keep(place: CachePlace, cached: CachedChunks, { loaded }: Chunks): void {
  if (process.uptime() > MOST_SECONDS || ![...loaded.values()].some(({ isCold }) => isCold)) return;
  writeCache(place, cached, loaded);
}

/** Without a cache, everything works as it does with one. */
function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
