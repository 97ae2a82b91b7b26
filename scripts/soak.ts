import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isFlat, soak } from '../test/support/soak.js';
import { root } from './fresh.js';

/** `npm run soak`: half a million requests to the built sandbox in a heap of 128 MB, whose heap must stay flat. Ends after an hour. */

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '500000' },
    minutes: { type: 'string', default: '60' },
    heap: { type: 'string', default: '128' },
    program: { type: 'string', default: join(root, 'dist/roster.cjs') },
  },
});

const result = await soak({
  program: values.program,
  requests: Number(values.requests),
  heapMb: Number(values.heap),
  days: 3,
  minutes: Number(values.minutes),
  onSample: (sent, { heap, resident }) =>
    console.log(`${sent} requests: ${heap} MB of heap after a collection, ${resident} MB resident`),
});
const { sent, statuses, seconds, memory } = result;
console.log(`${sent} requests in ${seconds} s, answered with ${JSON.stringify(statuses)}`);
const failed = Object.keys(statuses).filter((status) => Number(status) >= 500);
if (failed.length > 0) console.log(`failed: answers with ${failed.join(', ')}`);
if (!isFlat(memory)) console.log('failed: the memory grows');
process.exitCode = failed.length > 0 || !isFlat(memory) ? 1 : 0;
