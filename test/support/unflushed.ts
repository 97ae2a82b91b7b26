import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Loaded before each test file: commands that run in the process of the tests do not wait for the disk. Flushing changes
 * nothing that another process can read; what a failed flush does, `test/faults` and `test/attacks` try with processes.
 */
fs.fsyncSync = () => undefined;
syncBuiltinESMExports();
