import { describe, expect, it } from 'vitest';
import type { Calendar, CalendarDay } from '../../../src/model/calendar.js';
import { calendarJson } from '../../../src/view/calendar/calendar-json.js';
import { calendarSvg } from '../../../src/view/calendar/calendar-svg.js';
import { calendarText } from '../../../src/view/calendar/calendar-text.js';
import { loadSteps, stepOf } from '../../../src/view/calendar/load-scale.js';

function day(date: string, starts: Readonly<Record<number, number>>, peaks = starts): CalendarDay {
  const hours = (from: Readonly<Record<number, number>>) =>
    Array.from({ length: 24 }, (_, hour) => from[hour] ?? 0);
  return { date, hours: hours(starts), peaks: hours(peaks) };
}

const calendar: Calendar = {
  project: 'pricing',
  environment: 'staging',
  timeZone: 'Europe/Berlin',
  timeZoneData: '2025c',
  from: new Date('2099-12-01T00:00:00Z'),
  until: new Date('2099-12-03T00:00:00Z'),
  limit: 20,
  days: [day('2099-12-01', { 0: 1, 6: 30, 23: 1200 }, { 6: 21, 23: 20 }), day('2099-12-02', { 6: 31 })],
  schedules: 2,
  starts: 1262,
  busiest: [],
  minutesOverLimit: 1,
  uncounted: [],
};
const svg = calendarSvg(calendar);
const texts = [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map((each) => each[1]);

describe('the calendar as SVG', () => {
  it('labels the hours of a day from 00 to 23', () => {
    expect(texts.filter((each) => /^\d\d$/.test(each ?? '')).slice(0, 24)).toEqual(
      Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0')),
    );
    expect(svg).toContain('<title>2099-12-01 23:00 to 24:00: 1200</title>');
  });

  it('has the total of each day, each hour, and all of them', () => {
    expect(texts).toEqual(expect.arrayContaining(['1,231', '31', '61', '1.2k', '1,262']));
    expect(texts).toContain(
      '2 schedules: 1262 agent starts in 2 days. 1 minute above limits.startsPerMinute (20).',
    );
  });

  it('has a legend with the numbers of each shade', () => {
    expect(texts.slice(texts.indexOf('none'))).toEqual(
      expect.arrayContaining(['none', '1', '30', '31', '1,200', 'more than 20 in one minute']),
    );
  });

  it('marks the hours with a minute over the limit, by more than a color', () => {
    const marked = [...svg.matchAll(/<g><title>([^<]*)<\/title><rect[^>]*><rect class="over"[^>]*><path/g)];
    expect(marked.map((each) => each[1])).toEqual([
      '2099-12-01 06:00 to 07:00: 30, up to 21 in one minute',
      '2099-12-02 06:00 to 07:00: 31, up to 31 in one minute',
      'more than 20 in one minute',
    ]);
  });

  it('has colors for dark pages as well', () => {
    const [light = '', dark = ''] = (/<style>(.*)<\/style>/.exec(svg)?.[1] ?? '').split('@media');
    expect(dark).toMatch(/^\(prefers-color-scheme:dark\)/);
    for (const name of ['page', 'none', 'over', 's0', 's4'])
      for (const part of [light, dark]) expect(part).toContain(`.${name}{`);
  });

  it('shows any name as text', () => {
    const hostile = calendarSvg({ ...calendar, project: '</title><script>&"\u202e', timeZoneData: '<b>' });
    expect(hostile).not.toMatch(/<script|<b>|\u202e/);
    expect(hostile).toContain('&#60;script&#62;');
  });
});

it('the calendar names its time-zone data in every format', () => {
  expect(texts).toContain('Time-zone data: 2025c');
  expect(calendarText(calendar, { color: false, width: 80 })).toContain('\nTime-zone data: 2025c\n');
  expect(calendarJson(calendar, [])).toMatchObject({ timeZoneData: '2025c' });
});

describe('the scale of a calendar', () => {
  it('separates busy hours although one hour is much busier', () => {
    const hours = [0, 1, 2, 100, 150, 200, 250, 60_000];
    const steps = loadSteps(hours, 5);
    expect(new Set(hours.slice(3).map((starts) => stepOf(starts, steps))).size).toBeGreaterThanOrEqual(3);
    expect(stepOf(0, steps)).toBe(-1);
  });

  it('covers every number, in order, without an empty step', () => {
    for (const hours of [
      [],
      [0],
      [7, 7],
      [1, 2, 3],
      Array.from({ length: 100 }, (_, index) => index * index),
    ]) {
      const steps = loadSteps(hours, 5);
      const found = hours.filter((each) => each > 0).map((starts) => stepOf(starts, steps));
      expect(new Set(found)).toEqual(new Set(steps.keys()));
      expect(steps.every(({ low, high }, index) => low <= high && low > (steps[index - 1]?.high ?? 0))).toBe(
        true,
      );
    }
  });
});
