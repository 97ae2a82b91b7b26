import { expect, test } from 'vitest';
import { type ScheduleSpec, timetable } from '../../../src/kinds/schedule-spec.js';

test('a preview of the next runs is asked for without inputs, which the service could quote', () => {
  const spec: ScheduleSpec = {
    target: { kind: 'agent', id: 'a-1' },
    every: null,
    cron: '0 0 6 * * *',
    once: null,
    startTime: '2026-01-01T00:00:00',
    timeZone: 'UTC',
    inputs: { token: 'the-secret' },
    enabled: true,
  };
  const created = { ...spec, target: { kind: 'group', id: { pending: 'group/g' } } };
  for (const each of [spec, created]) {
    const call = timetable.preview(each, 'a-2');
    expect(call?.request.body).toMatchObject({ cronExpression: '0 0 6 * * *' });
    expect(JSON.stringify(call)).not.toContain('the-secret');
  }
});
