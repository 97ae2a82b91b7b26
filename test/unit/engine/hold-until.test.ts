import { expect, test } from 'vitest';
import { endOf, parseUntil } from '../../../src/engine/hold.js';

const now = new Date('2026-12-01T03:00:00.250Z');

test.each([
  ['90m', '2026-12-01T04:30:01.000Z'],
  ['8h', '2026-12-01T11:00:01.000Z'],
  ['3d', '2026-12-04T03:00:01.000Z'],
  ['2026-12-01T08:00Z', '2026-12-01T08:00:00.000Z'],
  ['2026-12-01T08:00:30Z', '2026-12-01T08:00:30.000Z'],
  ['2026-12-01T08:00+01:00', '2026-12-01T07:00:00.000Z'],
  ['2028-02-29T23:30-09:30', '2028-03-01T09:00:00.000Z'],
])('%s ends a hold at %s', (text, expected) => {
  expect(endOf(parseUntil(text), now)).toBe(expected);
});

test.each([
  ['', 'is neither a time nor a duration'],
  ['8', 'is neither a time nor a duration'],
  ['8 hours', 'is neither a time nor a duration'],
  ['-8h', 'is neither a time nor a duration'],
  ['1.5h', 'is neither a time nor a duration'],
  ['tomorrow', 'is neither a time nor a duration'],
  ['2026-12-01T08:00', 'is not a time with an offset'],
  ['2026-12-01', 'is not a time with an offset'],
  ['2027-02-30T08:00Z', 'does not exist'],
  ['2027-01-01T24:30Z', 'does not exist'],
  ['2026-13-01T08:00Z', 'does not exist'],
  ['2026-12-01T08:00+25:00', 'is neither a time nor a duration'],
  ['9999-12-31T23:59-01:00', 'is after the year 9999'],
  ['0h', 'is in the past'],
  ['2026-12-01T03:00:00Z', 'is in the past'],
  ['2026-12-01T03:30+01:00', 'is in the past'],
])('"%s" is refused: it %s', (text, reason) => {
  expect(() => endOf(parseUntil(text), now)).toThrow(`"${text}" ${reason}`);
});
