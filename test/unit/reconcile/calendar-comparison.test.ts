import { describe, expect, test } from 'vitest';
import type { CalendarSide } from '../../../src/model/schedule.js';
import { compareCalendars } from '../../../src/reconcile/calendar.js';
import {
  agents,
  group,
  owning,
  reconcileWorld,
  remoteGroup,
  remoteSchedule,
  type SmallWorld,
  schedule,
} from '../../support/small-world.js';

const [acme = '', globex = ''] = agents.map(({ id }) => id);
const owned = owning({ 'group/shops': 'shops', 'schedule/s': 's' });
const shops = remoteGroup('shops', { members: [acme, globex] });
const inGroup = { target: { kind: 'group', id: 'shops' } };
const sixDaily = { cron: '0 0 6 * * *' };
const now = new Date('2026-11-01T12:30:00Z');

function calendarOf(world: SmallWorld) {
  const limits = { startsPerMinute: 1, ...world.limits };
  return compareCalendars(reconcileWorld({ now, ...world, limits }));
}

/** `2026-11-02 06:00: 2` for each hour in which agents start. */
function startsOf({ days }: CalendarSide): string[] {
  return days.flatMap(({ date, hours }) =>
    hours.flatMap((starts, hour) => (starts === 0 ? [] : [`${date} ${hour}: ${starts}`])),
  );
}

describe('the calendar of a plan', () => {
  test('counts the agents of what exists before it, and of what is declared after it', () => {
    const { before, after, ...rest } = calendarOf({
      entries: [
        group('shops', { agents: ['acme'] }),
        schedule('s', { target: 'group/shops', cron: '0 0 9 * * *' }),
      ],
      objects: [shops, remoteSchedule('s', { ...inGroup, ...sixDaily })],
      inventory: owned,
    });
    const days = ['02', '03', '04', '05', '06', '07', '08'].map((day) => `2026-11-${day}`);
    expect(startsOf(before)).toEqual(days.map((day) => `${day} 6: 2`));
    expect(startsOf(after)).toEqual(days.map((day) => `${day} 9: 1`));
    expect(rest).toEqual({
      localZone: null,
      from: '2026-11-02T06:00:00.000Z',
      until: '2026-11-09T06:00:00.000Z',
      limit: 1,
    });
    expect(
      [before, after].map(({ starts, minutesOverLimit, days: all }) => [
        starts,
        minutesOverLimit,
        all.length,
      ]),
    ).toEqual([
      [14, 7, 8],
      [7, 0, 8],
    ]);
  });

  test('has nothing of a deleted schedule afterwards, and nothing of what is not managed here', () => {
    const { before, after } = calendarOf({
      entries: [group('shops', { agents: ['acme', 'globex'] })],
      objects: [shops, remoteSchedule('s', { ...inGroup, ...sixDaily }), remoteSchedule('theirs', sixDaily)],
      inventory: owned,
    });
    expect([before.starts, after.starts]).toEqual([14, 0]);
  });

  test.each([
    ['a cron expression', { cron: '0 30 2 ? * MON#1,TUE#2' }],
    ['a time zone', { ...sixDaily, timeZone: 'Mars/Olympus' }],
  ])('counts a schedule with %s that roster cannot read as not counted', (_, part) => {
    const { before, after } = calendarOf({
      entries: [schedule('s', sixDaily)],
      objects: [remoteSchedule('s', part)],
      inventory: owning({ 'schedule/s': 's' }),
    });
    expect([before.uncounted, before.starts, after.uncounted, after.starts]).toEqual([1, 0, 0, 7]);
  });

  test('begins with the first start, however late it is', () => {
    const late = schedule('s', { cron: '0 0 6 1 3 ?' });
    const { from, after } = calendarOf({ entries: [late], objects: [], inventory: owning({}) });
    expect([from, after.days[0]?.date]).toEqual(['2027-03-01T06:00:00.000Z', '2027-03-01']);
  });

  test('has the same starts by the clocks of most schedules', () => {
    const berlin = schedule('s', {
      ...sixDaily,
      timeZone: 'Europe/Berlin',
    });
    const { localZone, after } = calendarOf({ entries: [berlin], objects: [], inventory: owning({}) });
    const hoursOf = (days: CalendarSide['days'] | null) => days?.[0]?.hours.indexOf(1);
    expect([localZone, hoursOf(after.localDays), hoursOf(after.days)]).toEqual(['Europe/Berlin', 6, 5]);
  });
});
