import { expect, test } from 'vitest';
import { isKnownZone } from '../../../src/timing/known-zones.js';
import { localTimeIn } from '../../../src/timing/local-time.js';
import { askProcess } from '../../../src/timing/process-time.js';
import { sampleOf } from '../../support/size.js';

const supported = Intl.supportedValuesOf('timeZone');
const known = supported.filter(isKnownZone);
const HOUR = 3_600_000;

/** Every 47 hours of a year, and four times a year for 150 years. */
const year = Array.from({ length: 187 }, (_, index) => Date.UTC(2026, 0, 1) + index * 47 * HOUR + 1_000);
const ages = Array.from({ length: 150 * 4 }, (_, index) =>
  Date.UTC(1950, index * 3, 1 + (index % 28), index % 24, 59, 59),
);

test.each(sampleOf(known, 25))('the process and Intl know the same local times of %s', (zone) => {
  const before = process.env['TZ'];
  for (const instant of [...year, ...ages])
    expect([instant, askProcess(zone, instant)]).toEqual([instant, localTimeIn(zone, instant)]);
  expect(process.env['TZ']).toBe(before);
});

test('most zones that Intl lists are known without it, and no other name is', () => {
  expect(known.length).toBeGreaterThan(supported.length * 0.9);
  for (const name of [
    'Europe/Nowhere',
    'europe/berlin',
    '',
    'constructor',
    'Africa',
    'UTC+1',
    ':/etc/localtime',
  ])
    expect(isKnownZone(name)).toBe(false);
});
