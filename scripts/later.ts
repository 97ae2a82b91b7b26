import { join } from 'node:path';
import { root } from './fresh.js';
import { runVitest } from './vitest.js';

/** `npm run test:later`: `npm test` with the clock a year ahead. What the tests take for the future must still be it. */

const clock = join(root, 'test/support/year-ahead.cjs');
const passed = runVitest(process.argv.slice(2), {
  env: { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require ${JSON.stringify(clock)}` },
});
process.exitCode = passed ? 0 : 1;
