import { describe, expect, test } from 'vitest';
import * as schedules from '../../../../src/service/operations/schedules.js';

const targetId = 'aaaaaaaa-0000-4000-8000-000000000001';
const cron = {
  id: 12,
  targetType: 'group',
  targetId: targetId.toUpperCase(),
  scheduleType: 'Cron',
  cronExpression: '0 30 2 * * *',
  intervalValue: 0,
  startTime: '2026-12-01T06:00:00',
  inputParameters: '{"a":1}',
  isEnabled: true,
  status: 'Waiting',
  nextRunTime: '2026-12-02T02:30:00Z',
};
const basic = { ...cron, scheduleType: 'basic', intervalValue: '6', intervalUnit: 'hours' };
const parse = (item: unknown) => schedules.listSchedules().parse(item);

test('a cron schedule is read', () => {
  expect(parse(cron)).toEqual({
    id: '12',
    rawId: 12,
    targetType: 'Group',
    targetId,
    scheduleType: 'Cron',
    intervalValue: null,
    intervalUnit: null,
    cronExpression: '0 30 2 * * *',
    startTime: '2026-12-01T06:00:00',
    timeZoneId: 'UTC',
    inputParameters: '{"a":1}',
    isEnabled: true,
    facts: { status: 'Waiting', nextRunTime: '2026-12-02T02:30:00Z' },
  });
});

test('a basic and a once schedule have no fields of other types', () => {
  expect(parse(basic)).toMatchObject({ intervalValue: 6, intervalUnit: 'Hours', cronExpression: null });
  expect(parse({ ...basic, scheduleType: 'Once' })).toMatchObject({
    intervalValue: null,
    cronExpression: null,
  });
});

test.each<[object, object]>([
  [{ id: 'ab-1' }, { id: 'ab-1', rawId: 'ab-1' }],
  [
    { id: undefined, scheduleId: 9 },
    { id: '9', rawId: 9 },
  ],
  [{ targetType: undefined }, { targetType: 'Agent' }],
  [{ timeZoneId: 'Europe/Berlin' }, { timeZoneId: 'Europe/Berlin' }],
  [{ inputParameters: null }, { inputParameters: null }],
  [{ inputParameters: { b: 2 } }, { inputParameters: '{"b":2}' }],
  [{ isEnabled: undefined, status: 'Disabled' }, { isEnabled: false }],
  [{ isEnabled: undefined, status: 'running' }, { isEnabled: true }],
])('%o reads as %o', (change, expected) => {
  expect(parse({ ...cron, ...change })).toMatchObject(expected);
});

test.each<[object, RegExp]>([
  [{ id: undefined }, /id to be an id/],
  [{ id: 2 ** 53 }, /id to be an id/],
  [{ id: '..' }, /id to be an id/],
  [{ scheduleId: 13 }, /id and scheduleId to be equal/],
  [{ targetType: 'Team' }, /targetType to be one of Agent, Group, Pipeline, got the text "Team"/],
  [{ targetId: null }, /targetId/],
  [{ scheduleType: undefined }, /scheduleType/],
  [{ scheduleType: 'Hourly' }, /scheduleType .*"Hourly"/],
  [{ cronExpression: null }, /cronExpression/],
  [{ startTime: 'soon' }, /startTime/],
  [{ startTime: '2026-02-30T06:00:00' }, /startTime to be a date and a time without an offset/],
  [{ startTime: '2026-12-01T25:00' }, /startTime/],
  [{ startTime: '2026-12-01T06:00:00Z' }, /startTime .* without an offset/],
  [{ startTime: '2026-12-01T06:00:00+02:00' }, /startTime .* without an offset/],
  [{ status: 'Paused' }, /status .*"Paused"/],
  [{ isEnabled: undefined, status: undefined }, /isEnabled or status/],
  [{ isEnabled: 'on' }, /isEnabled/],
  [{ isEnabled: 'false' }, /isEnabled to be true or false, got the text "false"/],
  [{ inputParameters: ['secret'] }, /inputParameters to be text$/],
])('%o cannot be read', (change, message) => {
  expect(() => parse({ ...cron, ...change })).toThrow(message);
});

test.each([0, -1, 1.5, 'six', null])('an interval of %s cannot be read', (intervalValue) => {
  expect(() => parse({ ...basic, intervalValue })).toThrow('intervalValue');
});

describe('requests', () => {
  const body = {
    targetType: 'Group',
    targetId: '0b6f3a52-7d1e-4c7a-8a55-3a1f0e9c2d10',
    scheduleType: 'Once',
    startTime: '2026-12-01T06:00:00',
    timeZoneId: 'UTC',
    isEnabled: false,
  } as const;

  test('a pending target is named next to the body, which has no property for it', () => {
    const { targetId: _, ...rest } = body;
    expect(schedules.createSchedule({ ...body, targetId: { pending: 'group/a' } })).toEqual({
      method: 'POST',
      path: '/api/schedules',
      body: rest,
      pendingIds: { targetId: 'group/a' },
      effect: 'create',
    });
  });

  test('create, replace and preview take one body', () => {
    expect(schedules.createSchedule(body)).toEqual({
      method: 'POST',
      path: '/api/schedules',
      body,
      effect: 'create',
    });
    expect(schedules.replaceSchedule('12', body)).toEqual({
      method: 'PUT',
      path: '/api/schedules/12',
      body,
      effect: 'repeatable',
    });
    expect(schedules.previewSchedule(body).request).toEqual({
      method: 'POST',
      path: '/api/schedules/preview',
      body,
      effect: 'read',
      optional: true,
    });
  });

  test('single and bulk requests', () => {
    expect(schedules.enableSchedule('12', true)).toMatchObject({
      path: '/api/schedules/12/enabled',
      body: { isEnabled: true },
      effect: 'repeatable',
    });
    expect(schedules.deleteSchedule('12')).toMatchObject({ method: 'DELETE', path: '/api/schedules/12' });
    expect(schedules.bulkEnable([1, 'a'], false)).toMatchObject({
      path: '/api/schedules/bulk/enabled',
      body: { ids: [1, 'a'], isEnabled: false },
      effect: 'repeatable',
    });
    expect(schedules.bulkDelete([1])).toMatchObject({
      path: '/api/schedules/bulk/delete',
      body: { ids: [1] },
    });
  });
});

test('the counts of a bulk call are read', () => {
  expect(schedules.bulkCounts({ affected: 2, skipped: '0' })).toEqual({ affected: 2, skipped: 0 });
  for (const odd of [null, {}, { affected: 2 }, { affected: -1, skipped: 0 }, []])
    expect(schedules.bulkCounts(odd)).toBeNull();
});

describe('a preview', () => {
  const parseRuns = (data: unknown) =>
    schedules
      .previewSchedule({
        targetType: 'Agent',
        targetId,
        scheduleType: 'Once',
        startTime: '2026-12-01T06:00:00',
        timeZoneId: 'UTC',
        isEnabled: true,
      })
      .parse(data);
  const runs = ['2026-12-01T06:00:00Z', '2026-12-02T06:00:00Z'];

  test.each<[unknown]>([
    [runs],
    [['2026-12-01T06:00:00', '2026-12-02T07:00:00.000+01:00']],
    [{ runs }],
    [{ nextRuns: runs, timeZoneId: 'UTC' }],
    [{ runTimes: runs, tags: ['x'] }],
    [{ fires: runs }],
    [{ items: runs.map((runTime) => ({ runTime })) }],
    [{ upcoming: runs.map((utc) => ({ time: '2026-12-01T07:00:00', utc })) }],
  ])('%o', (data) => {
    expect(parseRuns(data)).toEqual(runs);
  });

  test('that goes backwards stays as it is, so that the difference is noticed', () => {
    expect(parseRuns([...runs].reverse())).toEqual([...runs].reverse());
  });

  test.each<[unknown]>([
    [null],
    ['soon'],
    [{}],
    [{ a: [], b: [] }],
    [['soon']],
    [[1]],
    [[{ when: 'x' }]],
    [['2026-13-01T00:00Z']],
  ])('%o cannot be read', (data) => {
    expect(() => parseRuns(data)).toThrow('expected');
  });
});
