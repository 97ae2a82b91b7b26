import { expect, test } from 'vitest';
import type { Calendar } from '../../../src/model/schedule.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';

const nowhere = { url: '', apiKey: '' };
const ids = [1, 2, 3].map((each) => `10000000-0000-4000-8000-00000000000${each}`);
const bound = (index: number, rest: object) => ({ id: ids[index]?.toUpperCase(), ...rest });
const every = { every: '1 day', startTime: '2026-01-01T05:00:00' };
const project = (once: string) => ({
  project: 'pricing',
  groups: { shops: bound(0, { members: ['acme-shop', 'globex'] }) },
  pipelines: { nightly: bound(1, { stages: ['login-check', 'prices'] }) },
  schedules: {
    shops: bound(2, { target: 'group/shops', ...every }),
    nightly: { target: 'pipeline/nightly', ...every },
    once: { target: 'group/shops', once },
  },
});

test('the calendar counts what is bound to an object by its id, and says of what has passed alone that it will not run', async () => {
  const text = JSON.stringify(project('2026-01-01T05:00:00'));
  const workspace = new Workspace({ 'roster.yaml': text }, nowhere);
  const words = ['calendar', '--from', '2099-12-01', '--days', '7', '--format', 'json'];
  const calendar = jsonOf<Calendar>(await workspace.command(words));
  expect([calendar.starts, calendar.uncounted]).toEqual([
    21,
    [{ address: 'schedule/once', reason: 'it will not run again' }],
  ]);
});
