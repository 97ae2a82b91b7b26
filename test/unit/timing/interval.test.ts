import { describe, expect, test } from 'vitest';
import { suggest } from '../../../src/manifest/suggest.js';
import {
  ageRange,
  everyRange,
  intervalProblem,
  parseInterval,
  showEvery,
} from '../../../src/timing/interval.js';

describe('an interval is read', () => {
  test.each([
    ['6 hours', 6, 'Hours', '6 hours'],
    ['1 hour', 1, 'Hours', '1 hour'],
    ['1 hours', 1, 'Hours', '1 hour'],
    ['2 hour', 2, 'Hours', '2 hours'],
    ['15 minutes', 15, 'Minutes', '15 minutes'],
    ['1 day', 1, 'Days', '1 day'],
    ['1000000 weeks', 1_000_000, 'Weeks', '1000000 weeks'],
  ] as const)('%j', (text, value, unit, shown) => {
    expect(parseInterval(text, everyRange)).toEqual({ value, unit });
    expect(showEvery(value, unit)).toBe(shown);
    expect(intervalProblem(text, everyRange)).toBeNull();
  });
});

describe('an interval is refused with a hint', () => {
  test.each([
    ['', 'such as "6 hours"'],
    ['hours', 'Write "1 hour".'],
    ['6hours', 'Write "6 hours".'],
    [' 6 hours', 'Write "6 hours".'],
    ['6 hours\n', 'Write "6 hours".'],
    ['06 hours', 'Write "6 hours".'],
    ['6 hrs', 'Write "6 hours".'],
    ['6h', 'Write "6 hours".'],
    ['6  hours', 'Write "6 hours".'],
    ['6 Hours', 'Write "6 hours".'],
    ['30s', 'use cron for seconds'],
    ['0 hours', 'from 1 to 1000000'],
    ['-1 days', 'from 1 to 1000000'],
    ['1.5 hours', 'from 1 to 1000000'],
    ['1000001 hours', 'from 1 to 1000000'],
    ['30 seconds', 'use cron for seconds'],
    ['2 months', 'Use cron for months'],
    ['1 year', 'Use cron for months'],
    ['6 parsecs', 'such as "6 hours"'],
    ['6 hourss', 'Write "6 hours".'],
    ['3 houres', 'Write "3 hours".'],
    ['1 mnute', 'Write "1 minute".'],
    ['3 mnths', 'Use cron for months'],
    ['six hours', 'such as "6 hours"'],
    ['1e3 hours', 'such as "6 hours"'],
    ['٦ hours', 'such as "6 hours"'],
  ])('%j', (text, help) => {
    expect(parseInterval(text, everyRange)).toBeNull();
    expect(intervalProblem(text, everyRange, suggest)?.help).toContain(help);
  });
});

describe('an age is an interval of hours, days or weeks', () => {
  test.each([
    ['90 days', 90, 'Days'],
    ['1 hour', 1, 'Hours'],
    ['99999 weeks', 99_999, 'Weeks'],
  ] as const)('%j', (text, value, unit) => {
    expect(parseInterval(text, ageRange)).toEqual({ value, unit });
    expect(intervalProblem(text, ageRange)).toBeNull();
  });

  test.each([
    ['soon', 'Write a whole number and hours, days or weeks, such as "90 days".'],
    ['90d', 'Write "90 days".'],
    ['90 dys', 'Write "90 days".'],
    ['100000 days', 'from 1 to 99999'],
    ['90 minutes', 'The shortest unit is hours.'],
    ['30 seconds', 'The shortest unit is hours.'],
    ['1 year', 'in days, such as "365 days"'],
  ])('and not %j', (text, help) => {
    expect(parseInterval(text, ageRange)).toBeNull();
    expect(intervalProblem(text, ageRange, suggest)?.help).toContain(help);
  });
});
