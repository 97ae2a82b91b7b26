import { describe, expect, test } from 'vitest';
import {
  canonicalWallClock,
  readWallClock,
  wallClockProblem,
  writeWallClock,
} from '../../../src/timing/zone.js';

describe('a time is accepted, and its spellings are one', () => {
  test.each([
    ['2026-12-01T06:00', '2026-12-01T06:00:00'],
    ['2026-12-01T06:00:00', '2026-12-01T06:00:00'],
    ['2026-12-01T06:00:00.000', '2026-12-01T06:00:00'],
    ['2026-12-01T06:00:00.0000000', '2026-12-01T06:00:00'],
    ['2026-12-01T06:00:00.500', '2026-12-01T06:00:00.5'],
    ['2026-12-01T06:00:00.000000001', '2026-12-01T06:00:00.000000001'],
    ['2024-02-29T23:59:59', '2024-02-29T23:59:59'],
    ['1970-01-01T00:00', '1970-01-01T00:00:00'],
    ['9999-12-31T23:59:59', '9999-12-31T23:59:59'],
  ])('%s', (text, canonical) => {
    expect(wallClockProblem(text)).toBeNull();
    expect(canonicalWallClock(text)).toBe(canonical);
  });
});

describe('a time is refused with a hint', () => {
  test.each([
    ['', 'YYYY-MM-DDTHH:MM:SS'],
    ['tomorrow', 'YYYY-MM-DDTHH:MM:SS'],
    ['2026-12-01', '"2026-12-01T00:00:00"'],
    ['2026-12-01T06:00:00Z', 'local time in `timeZone`'],
    ['2026-12-01T06:00z', 'local time in `timeZone`'],
    ['2026-12-01T06:00:00+01:00', 'local time in `timeZone`'],
    ['2026-12-01T06:00:00.5 -0530', 'local time in `timeZone`'],
    ['2026-12-01T06:00:00+01', 'local time in `timeZone`'],
    ['2026-12-01 06:00', 'Write "2026-12-01T06:00:00".'],
    ['2026-12-01t06:00:00', 'Write "2026-12-01T06:00:00".'],
    ['2026-02-30T06:00:00', '01 to 28'],
    ['2025-02-29T06:00:00', '01 to 28'],
    ['2026-04-31T06:00:00', '01 to 30'],
    ['2026-00-01T06:00:00', '01 to 12'],
    ['2026-13-01T06:00:00', '01 to 12'],
    ['1969-12-31T23:59:59', '1970 or later'],
    ['2026-12-01T24:00:00', '23:59:59'],
    ['2026-12-01T23:59:60', '23:59:59'],
    ['2026-12-01T06:00:00.1234567890', 'YYYY-MM-DDTHH:MM:SS'],
    ['2026-12-01T06', 'YYYY-MM-DDTHH:MM:SS'],
    ['2026-12-01T06:00:00\n', 'YYYY-MM-DDTHH:MM:SS'],
    ['2026-12-1T06:00:00', 'YYYY-MM-DDTHH:MM:SS'],
    ['+012026-12-01T06:00:00', 'YYYY-MM-DDTHH:MM:SS'],
  ])('%j', (text, help) => {
    expect(wallClockProblem(text)?.help).toContain(help);
  });
});

test('what the service returns is read with a space or a small t as well', () => {
  expect(canonicalWallClock('2026-12-01 06:00:00.0000')).toBe('2026-12-01T06:00:00');
  expect(canonicalWallClock('2026-12-01t06:00')).toBe('2026-12-01T06:00:00');
});

test('a text that cannot be read is its own canonical form, and an error where a time is needed', () => {
  for (const text of ['', '2026-02-30T00:00:00', '2026-12-01T06:00:00Z']) {
    expect(canonicalWallClock(text)).toBe(text);
    expect(() => readWallClock(text)).toThrow(RangeError);
  }
});

test('a local time is written as it was read', () => {
  expect(writeWallClock(readWallClock('2026-12-01T06:00'))).toBe('2026-12-01T06:00:00');
  expect(writeWallClock(readWallClock('2026-12-01T06:00:00.25'))).toBe('2026-12-01T06:00:00.250');
});
