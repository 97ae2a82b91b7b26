import { describe, expect, test } from 'vitest';
import { localKind, toInstant } from '../../../src/timing/zone.js';
import { show } from '../../support/local-time.js';

/** Zone; a time that is left out, where it moves to in UTC; a time that is shown twice, its first pass in UTC. */
const changes = [
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30Z', '2026-10-25T02:30', '2026-10-25T00:30Z'],
  ['Europe/London', '2026-03-29T01:00', '2026-03-29T01:00Z', '2026-10-25T01:59:59', '2026-10-25T00:59:59Z'],
  ['Europe/Lisbon', '2026-03-29T01:30', '2026-03-29T01:30Z', '2026-10-25T01:30', '2026-10-25T00:30Z'],
  ['Europe/Kyiv', '2026-03-29T03:15', '2026-03-29T01:15Z', '2026-10-25T03:15', '2026-10-25T00:15Z'],
  ['Europe/Bucharest', '2025-03-30T03:15', '2025-03-30T01:15Z', '2025-10-26T03:15', '2025-10-26T00:15Z'],
  ['Atlantic/Azores', '2026-03-29T00:30', '2026-03-29T01:30Z', '2026-10-25T00:30', '2026-10-25T00:30Z'],
  ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:30Z', '2026-11-01T01:30', '2026-11-01T05:30Z'],
  ['America/Chicago', '2026-03-08T02:00', '2026-03-08T08:00Z', '2026-11-01T01:00', '2026-11-01T06:00Z'],
  ['America/Los_Angeles', '2026-03-08T02:59', '2026-03-08T10:59Z', '2026-11-01T01:59', '2026-11-01T08:59Z'],
  ['America/St_Johns', '2026-03-08T02:30', '2026-03-08T06:00Z', '2026-11-01T01:30', '2026-11-01T04:00Z'],
  ['America/Nuuk', '2025-03-29T23:30', '2025-03-30T01:30Z', '2025-10-25T23:30', '2025-10-26T00:30Z'],
  ['America/Havana', '2026-03-08T00:30', '2026-03-08T05:30Z', '2026-11-01T00:30', '2026-11-01T04:30Z'],
  ['America/Santiago', '2026-09-06T00:30', '2026-09-06T04:30Z', '2026-04-04T23:30', '2026-04-05T02:30Z'],
  ['Africa/Cairo', '2025-04-25T00:30', '2025-04-24T22:30Z', '2025-10-30T23:30', '2025-10-30T20:30Z'],
  ['Africa/Casablanca', '2025-04-06T02:30', '2025-04-06T02:30Z', '2025-02-23T02:30', '2025-02-23T01:30Z'],
  ['Asia/Beirut', '2026-03-29T00:30', '2026-03-28T22:30Z', '2026-10-24T23:30', '2026-10-24T20:30Z'],
  ['Asia/Jerusalem', '2026-03-27T02:30', '2026-03-27T00:30Z', '2026-10-25T01:30', '2026-10-24T22:30Z'],
  ['Australia/Sydney', '2026-10-04T02:30', '2026-10-03T16:30Z', '2026-04-05T02:30', '2026-04-04T15:30Z'],
  ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:45Z', '2026-04-05T01:45', '2026-04-04T14:45Z'],
  ['Pacific/Auckland', '2026-09-27T02:30', '2026-09-26T14:30Z', '2026-04-05T02:30', '2026-04-04T13:30Z'],
  ['Pacific/Chatham', '2026-09-27T03:00', '2026-09-26T14:15Z', '2026-04-05T03:00', '2026-04-04T13:15Z'],
] as const;

describe('the days of a clock change', () => {
  test.each(changes)('%s', (zone, skipped, movesTo, repeated, first) => {
    expect(localKind(skipped, zone)).toBe('skipped');
    expect(toInstant(skipped, zone)).toEqual(new Date(movesTo));
    expect(localKind(repeated, zone)).toBe('repeated');
    expect(toInstant(repeated, zone)).toEqual(new Date(first));
  });

  test('begin and end to the second', () => {
    const kinds = (times: string[]) => times.map((time) => localKind(time, 'Europe/Berlin'));
    const spring = ['01:59:59', '02:00:00', '02:59:59', '03:00:00'].map((time) => `2026-03-29T${time}`);
    const autumn = ['01:59:59', '02:00:00', '02:59:59', '03:00:00'].map((time) => `2026-10-25T${time}`);
    expect(kinds(spring)).toEqual(['normal', 'skipped', 'skipped', 'normal']);
    expect(kinds(autumn)).toEqual(['normal', 'repeated', 'repeated', 'normal']);
  });

  test('may be a whole day left out', () => {
    expect(localKind('2011-12-29T23:59:59', 'Pacific/Apia')).toBe('normal');
    expect(localKind('2011-12-30T00:00:00', 'Pacific/Apia')).toBe('skipped');
    expect(localKind('2011-12-30T23:59:59', 'Pacific/Apia')).toBe('skipped');
    expect(localKind('2011-12-31T00:00:00', 'Pacific/Apia')).toBe('normal');
    expect(toInstant('2011-12-30T09:00:00', 'Pacific/Apia')).toEqual(new Date('2011-12-30T19:00:00Z'));
  });

  test('may be off the whole minute', () => {
    expect(localKind('1972-01-07T00:00:15', 'Africa/Monrovia')).toBe('skipped');
    expect(localKind('1972-01-07T00:45:00', 'Africa/Monrovia')).toBe('normal');
    expect(show(new Date('1972-01-06T00:00:00Z'), 'Africa/Monrovia')).toBe('1972-01-05 23:15:30 -00:44:30');
  });
});

test('UTC has no clock changes', () => {
  expect(localKind('2026-03-29T02:30', 'UTC')).toBe('normal');
  expect(toInstant('2026-03-29T02:30', 'UTC')).toEqual(new Date('2026-03-29T02:30Z'));
});

test('an instant is shown as wall clock with its offset', () => {
  expect(show(new Date('2026-12-01T05:00:00Z'), 'Europe/Berlin')).toBe('2026-12-01 06:00 +01:00');
  expect(show(new Date('2026-12-01T05:00:07Z'), 'Europe/Berlin')).toBe('2026-12-01 06:00:07 +01:00');
  expect(show(new Date('2026-10-25T00:30:00Z'), 'Europe/Berlin')).toBe('2026-10-25 02:30 +02:00');
  expect(show(new Date('2026-10-25T01:30:00Z'), 'Europe/Berlin')).toBe('2026-10-25 02:30 +01:00');
  expect(show(new Date('2026-12-01T05:00:00Z'), 'America/St_Johns')).toBe('2026-12-01 01:30 -03:30');
  expect(show(new Date('2026-12-01T05:00:00Z'), 'UTC')).toBe('2026-12-01 05:00 +00:00');
});

test('a time or zone that cannot be read is an error', () => {
  expect(() => toInstant('2026-02-30T00:00:00', 'UTC')).toThrow(RangeError);
  expect(() => toInstant('2026-03-01T00:00:00', 'Mars/Phobos')).toThrow(RangeError);
});
