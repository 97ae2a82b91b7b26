import { describe, expect, it } from 'vitest';
import type { Calendar, CalendarDay } from '../../../src/model/schedule.js';
import { calendarText } from '../../../src/view/calendar/calendar-text.js';
import { heatShades, loadSteps, shortNumber, stepOf } from '../../../src/view/calendar/heat-scale.js';
import { calendarHtml } from '../../../src/view/html/calendar-html.js';
import { calendarJson } from '../../../src/view/json/plan-json.js';

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

it('every format of the calendar has the same kind of scale, with ranges and thousands separators', () => {
  const two = day('2099-12-01', { 0: 62, 1: 63, 2: 86, 3: 1187 });
  const busy = { ...calendar, days: [two] };
  const classes = [...calendarHtml(busy, []).matchAll(/<td class="(h\d)/g)].map((each) => each[1]);
  expect(classes).toEqual(['h0', 'h1', 'h2', 'h3']);
  expect(calendarHtml(busy, [])).toContain('<span class="key h3"></span> 1,187</span>');
  expect(calendarText(busy, { color: false, width: 80 })).toMatch(
    /░░▒▒▓▓██·.*\n\n· none {2}░ 62 {2}▒ 63 {2}▓ 86 {2}█ 1,187/,
  );
});

describe('the shades of a calendar', () => {
  it.each(['light', 'dark'] as const)('let their numbers be read on %s pages (WCAG AA)', (side) => {
    for (const shade of heatShades)
      expect(contrast(shade[side].fill, shade[side].text)).toBeGreaterThanOrEqual(4.5);
  });
});

it.each([
  [0, '0'],
  [987, '987'],
  [1_101, '1,101'],
  [9_999, '9,999'],
  [10_000, '10k'],
  [999_499, '999k'],
  [999_500, '1M'],
])('the cell of %i starts says %s', (starts, text) => {
  expect(shortNumber(starts)).toBe(text);
});

/** The contrast ratio of WCAG 2. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

it('the calendar names its time-zone data in every format', () => {
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
