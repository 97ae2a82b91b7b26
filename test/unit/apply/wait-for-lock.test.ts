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

/** Time passes only while something waits. */
function sessionAt(holder: LockInfo, sleepAtMost = 2 * 3_770_000) {
  const time = { elapsed: 0 };
  const clock = {
    now: () => new Date(start + time.elapsed),
    monotonic: () => time.elapsed,
    sleep: async (milliseconds: number) => {
      if (time.elapsed > sleepAtMost) throw new Error('it waits for ever');
      time.elapsed += milliseconds;
    },
  };
  const store = {
    holder: async () => holder,
    lockedBy: async ({ name }: LockInfo) => new LockProblem('locked', `locked by ${name}`, ''),
  };
  return { time, session: { store, clock } as unknown as Session };
}

test('a lock that looks expired is not watched for longer than any lease, whatever the store says', async () => {
  const { time, session } = sessionAt(locked);
  const attempt = () => Promise.reject(new LockProblem('locked', 'locked', ''));
  await expect(waitForLock(session, 0, () => undefined, attempt)).rejects.toThrow(LockProblem);
  expect(time.elapsed).toBeGreaterThanOrEqual(3_770_000);
});

const live: LockInfo = { ...locked, until: '2026-03-01T12:03:00Z' };

test('when the time to wait for a lock is over, nothing is read or planned any more', async () => {
  const { time, session } = sessionAt(live);
  let attempts = 0;
  const attempt = async () => {
    attempts += 1;
  };
  await expect(waitForLock(session, 5_000, () => undefined, attempt)).rejects.toThrow('locked by a run');
  expect([attempts, time.elapsed]).toEqual([0, 5_000]);
});

test('without time to wait, the plan is made although the lock is held', async () => {
  const { time, session } = sessionAt(live);
  expect(
    await waitForLock(
      session,
      0,
      () => undefined,
      async () => 'made',
    ),
  ).toBe('made');
  expect(time.elapsed).toBe(0);
});
