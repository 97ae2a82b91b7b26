import { expect, test, vi } from 'vitest';
import { parseSeed } from '../../src/sandbox/index.js';
import { GROUP, SEED } from './service.js';

const schedule = {
  targetType: 'Group',
  targetId: GROUP,
  scheduleType: 'Cron',
  cronExpression: '0 30 6 * * MON-FRI',
  startTime: '2026-01-01T00:00:00',
  inputParameters: '{"country":"de"}',
} as const;

test('seed: a time zone is looked up once, not for each schedule', () => {
  const zones = ['UTC', 'Europe/Berlin', 'Asia/Tokyo'];
  const schedules = Array.from({ length: 300 }, (_, index) => ({
    ...schedule,
    timeZoneId: zones[index % 3],
  }));
  const lookedUp = vi.spyOn(Intl, 'DateTimeFormat');
  parseSeed(JSON.stringify({ ...SEED, schedules }));
  expect(lookedUp.mock.calls.length).toBeLessThanOrEqual(zones.length * 2);
  lookedUp.mockRestore();
});
