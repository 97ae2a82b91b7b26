import { expect, it } from 'vitest';
import { instantText } from '../../../src/model/instant-text.js';

it.each([
  ['2026-11-01T12:00:00.000Z', '2026-11-01 12:00 UTC'],
  ['2026-11-01T12:00:59Z', '2026-11-01 12:00 UTC'],
  ['2026-11-01 12:00:00', '2026-11-01 12:00 UTC'],
  ['2026-11-01T12:00', '2026-11-01 12:00 UTC'],
  ['2026-11-01T12:00:00+02:00', '2026-11-01 10:00 UTC'],
  ['unreadable', 'unreadable'],
])('the instant %s is shown to people as %s', (text, shown) => {
  expect(instantText(text)).toBe(shown);
});
