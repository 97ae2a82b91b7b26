import { expect, test } from 'vitest';
import { parse, print } from '../../../src/inventory/format.js';

const hold = { by: 'Anna', reason: 'incident 42', since: '2026-12-01T03:00:00.000Z', until: null };

function text(version: number, more: object): string {
  const entry = { kind: 'schedule', id: '7', name: null, protect: false, applied: {}, sensitive: [] };
  const entries = { 'schedule/nightly': { ...entry, ...more } };
  return JSON.stringify({ version, project: 'pricing', environment: null, entries, drafts: {} });
}

test.each([
  hold,
  { ...hold, until: '2026-12-01T11:00:00.000Z' },
  { ...hold, resumed: true },
  { ...hold, of: ['agent/globex'] },
])('an inventory keeps the hold %j, with version 2', (held) => {
  const printed = print(parse(text(2, { hold: held }), 'inventory'));
  expect(JSON.parse(printed).version).toBe(2);
  expect(parse(printed, 'inventory').entries.get('schedule/nightly')?.hold).toEqual(held);
});

test.each([1, 2, 3])('an inventory of version %i without holds is written with version 1', (version) => {
  expect(JSON.parse(print(parse(text(version, {}), 'inventory'))).version).toBe(1);
});

test('an inventory keeps that something was paused before its hold, with version 3', () => {
  const paused = { ...hold, wasPaused: true };
  const printed = print(parse(text(3, { hold: paused }), 'inventory'));
  expect(JSON.parse(printed).version).toBe(3);
  expect(parse(printed, 'inventory').entries.get('schedule/nightly')?.hold).toEqual(paused);
});

test.each([0, 4, '2', null])('an inventory of version %j is refused', (version) => {
  expect(() => parse(text(version as number, {}), 'inventory')).toThrow(/reads versions 1 to 3/);
});

test.each([
  null,
  'incident 42',
  { ...hold, by: 7 },
  { ...hold, reason: null },
  { ...hold, since: 'yesterday' },
  { ...hold, since: '2026-12-01' },
  { ...hold, until: '2026-12-01T11:00:00Z' },
  { ...hold, until: undefined },
])('a hold that roster has not written, %j, is refused and not dropped', (held) => {
  expect(() => parse(text(2, { hold: held }), 'inventory')).toThrow(
    'the entry schedule/nightly is not valid',
  );
});
