import { mkdirSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { pageAddress } from './cli/help/page-address.js';
import rootHelp from './cli/help/root-help.txt?raw';
import { writeAll } from './cli/host/write-all.js';

/** Prints the help from its text, which takes as long as starting Node alone. Everything else is main.ts. */
const argv = process.argv.slice(2);
if (argv.length !== 1 || (argv[0] !== '--help' && argv[0] !== '-h') || !showHelp()) {
  keepCompiledCode();
  void import('./main.js');
}

/** False if it cannot be written: main.ts tries again, and reports that. */
function showHelp(): boolean {
  try {
    writeAll(1, Buffer.from(rootHelp.replace('docs/commands.md', (page) => pageAddress(page))));
    return true;
  } catch {
    return false;
  }
}

/**
 * Turns on Node's compile cache, which Node 20 does not have. All users of a machine share its default folder: another one
 * could leave code there for this one to run.
 */
function keepCompiledCode(): void {
  const { XDG_CACHE_HOME, HOME, USERPROFILE } = process.env;
  const home = HOME || USERPROFILE;
  const caches = XDG_CACHE_HOME || (home && join(home, '.cache'));
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  if (!caches || enableCompileCache === undefined) return;
  const own = join(caches, 'roster');
  if (canBeMade(caches) && canBeMade(own)) enableCompileCache(own);
}

/**
 * Makes a folder, unless it exists. Where none can be made, there is no cache: in some places, such as /proc, Node tries to
 * make one for ever.
 */
function canBeMade(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EEXIST';
  }
}
