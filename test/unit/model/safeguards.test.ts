import { describe, expect, test } from 'vitest';
import { safeguardsFrom, weakerSafeguards } from '../../../src/model/safeguards.js';

const written = { deletes: 5, startsPerMinute: 60, shortestInterval: '5 minutes', runsPerWeek: 100 };

describe('the limits of the last apply, as an inventory holds them', () => {
  const lifted = safeguardsFrom('owned', { ...written, runsPerWeek: 'none' });
  const weaker = (runsPerWeek: unknown) =>
    weakerSafeguards(lifted, safeguardsFrom('owned', { ...written, runsPerWeek })).map(({ name }) => name);

  test.each([100, 'zzz', null, -1, 1.5, {}])('lifting runsPerWeek is weaker than %j', (before) => {
    expect(weaker(before)).toEqual(['limits.startsPerWeek']);
  });

  test('without a limit of runsPerWeek before, none is lifted', () => {
    expect(weaker('none')).toEqual([]);
  });

  test('a line of runsPerWeek that somebody removed limited everything', () => {
    const { runsPerWeek: _, shortestInterval: __, ...others } = written;
    expect(weaker(undefined)).toEqual(['limits.startsPerWeek']);
    const before = safeguardsFrom('owned', others);
    expect(weakerSafeguards(lifted, before).map(({ name }) => name)).toEqual(['limits.startsPerWeek']);
  });

  test.each(['deletes', 'startsPerMinute'] as const)('%s that is no limit has its default', (name) => {
    for (const value of [-1, 1.5, 'zzz', null])
      expect(safeguardsFrom('owned', { ...written, [name]: value }).limits[name]).toBe(written[name]);
  });
});

test.each([
  ['60 minutes', '1 hour'],
  ['1 hours', '1 hour'],
  ['120 minutes', '2 hours'],
  ['90 minutes', '90 minutes'],
  ['24 hours', '24 hours'],
  ['14 days', '2 weeks'],
  ['8 days', '8 days'],
])('the interval %s is written as %s, so that the digest is the same', (shortestInterval, spelling) => {
  expect(safeguardsFrom('owned', { ...written, shortestInterval }).limits.shortestInterval).toBe(spelling);
});
