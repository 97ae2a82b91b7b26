import { expect, test } from 'vitest';
import { instantOf, parseSince, type Since } from '../../../src/operate/status/since.js';

const now = new Date('2026-12-08T06:00:00Z');

test.each([
  ['7d', '2026-12-01T06:00:00.000Z'],
  ['24h', '2026-12-07T06:00:00.000Z'],
  ['90m', '2026-12-08T04:30:00.000Z'],
  ['2026-12-01T08:00Z', '2026-12-01T08:00:00.000Z'],
  ['2026-12-01T08:00:00+01:00', '2026-12-01T07:00:00.000Z'],
])('%s is since %s', (text, expected) => {
  expect(new Date(instantOf(parseSince(text) as Since, now)).toISOString()).toBe(expected);
});

test('`apply` is looked up in the inventory', () => {
  expect(parseSince('apply')).toBe('apply');
});

test.each([
  '',
  '7',
  '7 days',
  '-7d',
  '0d',
  'yesterday',
  '2026-12-01',
  '2026-12-01T08:00',
  '2026-02-30T08:00Z',
  '2027-01-01T00:00Z',
  '2020-01-01T00:00Z',
  '9999d',
])('"%s" is refused', (text) => {
  expect(() => instantOf(parseSince(text) as Since, now)).toThrow(`--since: "${text}" is`);
});
