import { expect, test } from 'vitest';
import { serviceNow } from '../../../src/engine/clock.js';
import { ServiceTime } from '../../../src/service/client.js';

const date = 'Tue, 01 Dec 2026 06:00:00 GMT';
const own = new Date('2026-12-01T06:10:00Z');
const clock = { now: () => own, monotonic: () => 0, sleep: async () => {} };

function seen(...headers: Readonly<Record<string, string>>[]): number | null {
  const time = new ServiceTime();
  for (const each of headers) time.note(each);
  return time.now();
}

test("the service's clock is that of its newest dated answer, and goes on from there", () => {
  const later = 'Tue, 01 Dec 2026 07:00:00 GMT';
  const found = seen({ date }, { date: later }, {}) ?? 0;
  expect(found).toBeGreaterThanOrEqual(Date.parse(later));
  expect(found).toBeLessThan(Date.parse(later) + 60_000);
});

test.each([[{}], [{ date: 'soon' }], [{ date: '-1' }], [{ date, age: '600' }]])(
  'an answer with the headers %j says nothing of the time',
  (headers) => {
    expect(seen(headers)).toBeNull();
  },
);

test.each([
  ['never told', null, own],
  ['a minute off', own.getTime() - 60_000, own],
  ['hours off', own.getTime() - 7_200_000, new Date(own.getTime() - 7_200_000)],
] as const)('when the time of the service is %s, the right clock is used', (_, time, expected) => {
  expect(serviceNow(clock, { serviceTime: () => time })).toEqual(expected);
});
