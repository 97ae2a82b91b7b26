import { expect, test } from 'vitest';
import { RateLimiter } from '../../../src/service/rate-limit.js';

/** How long 20 requests wait in all, in seconds, when each answer has these headers. */
async function waitedFor(headers: Readonly<Record<string, string | string[]>>): Promise<number> {
  let waited = 0;
  const limiter = new RateLimiter({
    deadlineMs: 3_600_000,
    random: () => 0.5,
    sleep: async (ms) => {
      waited += ms;
    },
    onPause: () => {},
    signal: undefined,
  });
  for (let sent = 0; sent < 20; sent += 1)
    await limiter.run({ subject: 'GET /x', isWrite: false }, async () => limiter.note(headers));
  return Math.round(waited / 1_000);
}

const near = '"minute";r=0;t=30';
const far = '"day";r=90000;t=80000';

test('of several quotas of the service, the nearest counts, whichever comes first', async () => {
  const alone = await waitedFor({ ratelimit: near });
  expect(alone).toBeGreaterThan(0);
  expect(await waitedFor({ ratelimit: far })).toBe(0);
  for (const ratelimit of [`${near}, ${far}`, `${far}, ${near}`, [far, near], [near, far]])
    expect(await waitedFor({ ratelimit })).toBe(alone);
  const older = { 'ratelimit-remaining': '0', 'ratelimit-reset': '30' };
  expect(await waitedFor({ ratelimit: far, ...older })).toBe(alone);
});
