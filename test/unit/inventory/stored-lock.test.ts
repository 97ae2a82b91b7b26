import { expect, test } from 'vitest';
import { readLock } from '../../../src/inventory/lock-state.js';

const now = new Date('2026-03-01T12:00:00Z');
const lock = {
  token: 't',
  name: 'a run',
  since: '2026-03-01T11:00:00Z',
  until: '2026-03-01T12:03:00Z',
  leaseMs: 200_000,
};

test('a lock is read as it was written', () => {
  expect(readLock(JSON.stringify(lock), now)).toEqual(lock);
});

test.each(['since', 'until'])(
  'a lock whose %s is not a time counts as one that has just been taken',
  (field) => {
    const read = readLock(JSON.stringify({ ...lock, [field]: 'soon' }), now);
    expect(read).toMatchObject({ name: 'an unknown command', since: now.toISOString() });
  },
);

test.each([1e15, 1e300])('a lease of %d ms is cut to the longest that a timeout allows', (leaseMs) => {
  expect(readLock(JSON.stringify({ ...lock, leaseMs }), now)?.leaseMs).toBe(3_770_000);
});
