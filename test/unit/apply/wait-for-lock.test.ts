import { expect, test } from 'vitest';
import { waitForLock } from '../../../src/engine/reviewed-run.js';
import type { Session } from '../../../src/engine/session.js';
import { type LockInfo, LockProblem } from '../../../src/model/inventory.js';

const start = Date.parse('2026-03-01T12:00:00Z');
const locked: LockInfo = {
  token: 't',
  name: 'a run',
  since: '2026-03-01T11:00:00Z',
  until: '2026-03-01T11:10:00Z',
  takeOverMs: 1e15,
};

test('a lock that looks expired is not watched for longer than any lease, whatever the store says', async () => {
  let elapsed = 0;
  const clock = {
    now: () => new Date(start + elapsed),
    monotonic: () => elapsed,
    sleep: async (milliseconds: number) => {
      if (elapsed > 2 * 3_770_000) throw new Error('it waits for ever');
      elapsed += milliseconds;
    },
  };
  const store = { holder: async () => locked };
  const session = { store, clock } as unknown as Session;
  const attempt = () => Promise.reject(new LockProblem('locked', 'locked', ''));
  await expect(waitForLock(session, 0, () => undefined, attempt)).rejects.toThrow(LockProblem);
  expect(elapsed).toBeGreaterThanOrEqual(3_770_000);
});
