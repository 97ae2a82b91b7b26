import { expect, test } from 'vitest';
import { isRefusal } from '../../../src/model/finding.js';
import { unseenChanges } from '../../../src/reconcile/rules/unseen.js';
import {
  actionsOf,
  codesOf,
  group,
  owning,
  reconcileWorld,
  remoteSchedule,
  schedule,
} from '../../support/small-world.js';

const now = new Date('2026-11-01T00:10:00Z');
const applied = {
  target: ['agent', 'aaaaaaaa-0000-4000-8000-000000000000'],
  every: null,
  cron: '0 0 6 * * *',
  once: null,
  startTime: '2026-01-01T00:00:00',
  timeZone: 'UTC',
};

function unseen(
  created: string,
  entries = [schedule('s')],
  objects: Parameters<typeof reconcileWorld>[0]['objects'] = [],
) {
  const inventory = owning({ 'schedule/s': 'x1' }, { created, applied });
  const { plan, matches } = reconcileWorld({ entries, objects, inventory, now });
  if (plan === null) throw new Error('there is no plan');
  return { plan, waiting: [...unseenChanges(plan, matches, now).keys()] };
}

test.each([
  ['2026-11-01T00:09:00Z', true],
  ['2026-11-01T00:00:01Z', true],
  ['2026-11-01T00:00:00Z', false],
  ['2026-11-01T00:19:59Z', true],
  ['2026-11-01T00:20:00Z', false],
  ['2099-01-01T00:00:00Z', false],
])('unseen: a schedule created at %s waits at 00:10: %s', (created, waits) => {
  const { plan, waiting } = unseen(created);
  expect(actionsOf(plan)).toEqual(['create schedule/s']);
  expect(waiting).toEqual(waits ? ['schedule/s'] : []);
  expect(codesOf(plan.findings.filter(isRefusal))).toEqual(waits ? [] : ['inventory-mismatch']);
});

test('unseen: what a list shows does not wait', () => {
  expect(unseen('2026-11-01T00:09:00Z', [schedule('s')], [remoteSchedule('x1')]).waiting).toEqual([]);
});

test('unseen: what is no longer declared is not forgotten', () => {
  const { plan, waiting } = unseen('2026-11-01T00:09:00Z', [schedule('t', { target: 'agent/globex' })]);
  expect(actionsOf(plan)).toEqual(['forget schedule/s', 'create schedule/t']);
  expect(waiting).toEqual(['schedule/s']);
});

test('unseen: an entry under another key that declares the same object waits, too', () => {
  expect(unseen('2026-11-01T00:09:00Z', [schedule('t')]).waiting).toEqual(['schedule/s', 'schedule/t']);
});

test('unseen: a group waits, too, because a read of a new object may lag like a list', () => {
  const inventory = owning({ 'group/g': 'g1' }, { created: '2026-11-01T00:09:00Z' });
  const { plan, matches } = reconcileWorld({ entries: [group('g')], inventory, now });
  expect(plan && [...unseenChanges(plan, matches, now).keys()]).toEqual(['group/g']);
});
