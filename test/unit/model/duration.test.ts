import { expect, test } from 'vitest';
import { readDuration } from '../../../src/model/duration.js';

test.each([
  ['0s', 0],
  ['90s', 90_000],
  ['90m', 5_400_000],
  ['8h', 28_800_000],
  ['3d', 259_200_000],
  ['2w', 1_209_600_000],
])('%s is a duration', (text, milliseconds) => {
  expect(readDuration(text)).toBe(milliseconds);
});

test.each(['', '90', 'm', '1.5h', '-1h', '1 h', '1h30m', '1M', '1y', '1e3s', '1234567890s', '1h\n'])(
  '%j is not a duration',
  (text) => {
    expect(readDuration(text)).toBeNull();
  },
);
