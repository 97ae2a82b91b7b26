import { expect, test } from 'vitest';
import { schedule } from '../../../src/kinds/schedule.js';
import type { Timetable } from '../../../src/model/schedule.js';
import { previewDiffers } from '../../../src/reconcile/next-runs.js';
import { remoteSchedule } from '../../support/small-world.js';

const now = new Date('2026-11-01T00:00:00Z');
const timetable = schedule.timetable as Timetable<unknown>;
const { spec } = remoteSchedule('s', { cron: '0 0 6 * * *' });
const runs = ['2026-11-01T06:00:00Z', '2026-11-02T06:00:00Z', '2026-11-03T06:00:00Z'];

test('a preview of the right runs differs when they go backwards', () => {
  expect(previewDiffers(timetable, spec, runs, now)).toBe(false);
  expect(previewDiffers(timetable, spec, [...runs].reverse(), now)).toBe(true);
  expect(
    previewDiffers(
      timetable,
      spec,
      [0, 2, 1].map((each) => runs[each] ?? ''),
      now,
    ),
  ).toBe(true);
});
