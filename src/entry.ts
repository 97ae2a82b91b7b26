import rootHelp from './cli/help/root-help.txt?raw';
import { writeAll } from './cli/host/write-all.js';

/** Prints the help from its text, which takes as long as starting Node alone. Everything else is main.ts. */
const argv = process.argv.slice(2);
if (argv.length !== 1 || (argv[0] !== '--help' && argv[0] !== '-h') || !showHelp()) void import('./main.js');

/** False if it cannot be written: main.ts tries again, and reports that. */
function showHelp(): boolean {
  try {
    writeAll(1, Buffer.from(rootHelp));
    return true;
  } catch {
    return false;
  }
}
