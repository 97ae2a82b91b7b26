import { describe, expect, test } from 'vitest';
import { everyProblem, parseEvery, showEvery } from '../../../src/timing/interval.js';

describe('an interval is read', () => {
  test.each([
    ['6 hours', 6, 'Hours', '6 hours'],
    ['1 hour', 1, 'Hours', '1 hour'],
    ['1 hours', 1, 'Hours', '1 hour'],
    ['2 hour', 2, 'Hours', '2 hours'],
    ['15   Minutes', 15, 'Minutes', '15 minutes'],
    ['1 DAY', 1, 'Days', '1 day'],
    ['1000000 weeks', 1_000_000, 'Weeks', '1000000 weeks'],
  ] as const)('%j', (text, value, unit, shown) => {
    expect(parseEvery(text)).toEqual({ value, unit });
    expect(showEvery(value, unit)).toBe(shown);
    expect(everyProblem(text)).toBeNull();
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
    ['0 hours', 'from 1 to 1000000'],
    ['-1 days', 'from 1 to 1000000'],
    ['1.5 hours', 'from 1 to 1000000'],
    ['1000001 hours', 'from 1 to 1000000'],
    ['30 seconds', 'use cron for seconds'],
    ['2 months', 'Use cron for months'],
    ['1 year', 'Use cron for months'],
    ['6 parsecs', 'such as "6 hours"'],
    ['6 hourss', 'such as "6 hours"'],
    ['six hours', 'such as "6 hours"'],
    ['1e3 hours', 'such as "6 hours"'],
    ['٦ hours', 'such as "6 hours"'],
  ])('%j', (text, help) => {
    expect(parseEvery(text)).toBeNull();
    expect(everyProblem(text)?.help).toContain(help);
  });
});
