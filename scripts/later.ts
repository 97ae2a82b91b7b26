import { join } from 'node:path';
import { root } from './fresh.js';
import { runVitest } from './vitest.js';

/** `npm run test:later`: `npm test` with the clock a year ahead. Dates that tests treat as future must still be in the future. */

const clock = join(root, 'test/support/year-ahead.cjs');
const passed = runVitest(process.argv.slice(2), {
  env: { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require ${JSON.stringify(clock)}` },
});
process.exitCode = passed ? 0 : 1;
