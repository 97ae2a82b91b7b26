import { describe, expect, test } from 'vitest';
import { canonicalZone, offsetAt, zoneProblem, zoneWarning } from '../../../src/timing/zone.js';
import { intlOffset } from '../../properties/timings.js';
import { sampleOf } from '../../support/size.js';

describe('a zone is accepted', () => {
  test.each([
    'UTC',
    'utc',
    'Etc/UTC',
    'Etc/GMT+5',
    'Europe/Berlin',
    'europe/berlin',
    'AMERICA/NEW_YORK',
    'America/Argentina/Buenos_Aires',
    'Asia/Calcutta',
    'US/Pacific',
    'Japan',
    'GB',
    ...Intl.supportedValuesOf('timeZone'),
  ])('%s', (name) => {
    expect(zoneProblem(name)).toBeNull();
  });
});

describe('a zone is refused', () => {
  test.each([
    ['PST', 'abbreviation'],
    ['IST', 'abbreviation'],
    ['CEST', 'abbreviation'],
    ['+02:00', 'daylight saving'],
    ['-5', 'daylight saving'],
    ['UTC+2', 'daylight saving'],
    ['', 'IANA name'],
    [' ', 'IANA name'],
    ['Mars/Phobos', 'IANA name'],
    ['Europe/', 'IANA name'],
    ['SystemV/EST5', 'IANA name'],
    ['Etc/Unknown', 'IANA name'],
    ['posixrules', 'IANA name'],
    ['Berlin', 'Did you mean Europe/Berlin?'],
    ['new york', 'Did you mean America/New_York?'],
    ['Europe/Berlin ', 'IANA name'],
    ['Europe/Berlin\n', 'IANA name'],
    ['x'.repeat(100_000), 'IANA name'],
  ])('%.40j', (name, help) => {
    expect(zoneProblem(name)?.help).toContain(help);
  });

  test('with the nearest name, when the caller can tell it', () => {
    const nearest = (word: string, known: readonly string[]) =>
      word === 'Europe/Berlyn' && known.includes('Europe/Berlin') ? 'Europe/Berlin' : null;
    expect(zoneProblem('Europe/Berlyn', nearest)?.help).toBe('Did you mean Europe/Berlin?');
  });
});

describe('a zone whose name reads as an abbreviation', () => {
  test.each([
    ['EST', 'America/Panama'],
    ['MST', 'America/Phoenix'],
    ['HST', 'Pacific/Honolulu'],
    ['EST5EDT', 'America/New_York'],
    ['CST6CDT', 'America/Chicago'],
    ['MST7MDT', 'America/Denver'],
    ['PST8PDT', 'America/Los_Angeles'],
    ['CET', 'Europe/Brussels'],
    ['MET', 'Europe/Brussels'],
    ['EET', 'Europe/Athens'],
    ['WET', 'Europe/Lisbon'],
  ])('%s is accepted as itself, and the warning names a place with the same time', (name, place) => {
    expect([zoneProblem(name), canonicalZone(name.toLowerCase())]).toEqual([null, name]);
    expect(zoneWarning(name)?.help).toContain(`\`${place}\``);
    expect([zoneProblem(place), zoneWarning(place)]).toEqual([null, null]);
    for (const month of [0, 6]) {
      const instant = Date.UTC(2026, month, 15);
      expect(offsetAt(name, instant)).toBe(offsetAt(place, instant));
    }
  });
});

describe('two names of one zone are equal', () => {
  test.each([
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['Europe/Kiev', 'Europe/Kyiv'],
    ['UTC', 'Etc/UTC'],
    ['UTC', 'Etc/Zulu'],
    ['UTC', 'Zulu'],
    ['UTC', 'GMT'],
    ['Europe/Berlin', 'europe/BERLIN'],
    ['US/Pacific', 'America/Los_Angeles'],
    ['GB', 'Europe/London'],
    ['Japan', 'Asia/Tokyo'],
    // Renamed by IANA.
    ['Africa/Asmera', 'Africa/Asmara'],
    ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['America/Catamarca', 'America/Argentina/Catamarca'],
    ['America/Coral_Harbour', 'America/Atikokan'],
    ['America/Cordoba', 'America/Argentina/Cordoba'],
    ['America/Godthab', 'America/Nuuk'],
    ['America/Indianapolis', 'America/Indiana/Indianapolis'],
    ['America/Jujuy', 'America/Argentina/Jujuy'],
    ['America/Louisville', 'America/Kentucky/Louisville'],
    ['America/Mendoza', 'America/Argentina/Mendoza'],
    ['Asia/Katmandu', 'Asia/Kathmandu'],
    ['Asia/Rangoon', 'Asia/Yangon'],
    ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
    ['Atlantic/Faeroe', 'Atlantic/Faroe'],
    ['Pacific/Enderbury', 'Pacific/Kanton'],
    ['Pacific/Ponape', 'Pacific/Pohnpei'],
    ['Pacific/Truk', 'Pacific/Chuuk'],
    ['Etc/UTC', 'UTC'],
    ['Etc/GMT', 'UTC'],
    ['GMT', 'UTC'],
  ])('%s and %s', (one, other) => {
    expect(canonicalZone(one)).toBe(canonicalZone(other));
  });

  test('under the name that IANA gives the zone today', () => {
    expect(canonicalZone('Asia/Calcutta')).toBe('Asia/Kolkata');
    expect(canonicalZone('Europe/Kiev')).toBe('Europe/Kyiv');
    expect(canonicalZone('Pacific/Enderbury')).toBe('Pacific/Kanton');
    expect(canonicalZone('etc/zulu')).toBe('UTC');
  });

  test('and zones that only keep the same time are not', () => {
    expect(canonicalZone('Europe/Oslo')).not.toBe(canonicalZone('Europe/Berlin'));
    expect(canonicalZone('Etc/GMT+1')).not.toBe(canonicalZone('Etc/GMT-1'));
  });

  test('and a canonical name is its own', () => {
    const names = Intl.supportedValuesOf('timeZone').map(canonicalZone);
    expect(names.map(canonicalZone)).toEqual(names);
    expect(new Set(names).size).toBe(names.length);
  });

  test('and text that is not a zone is returned unchanged', () => {
    for (const text of ['', 'PST', 'Mars/Phobos', 'W. Europe Standard Time']) {
      expect(canonicalZone(text)).toBe(text);
    }
  });
});

test('an offset needs a zone that exists', () => {
  expect(offsetAt('Europe/Berlin', Date.UTC(2026, 6, 1))).toBe(2 * 3_600_000);
  expect(() => offsetAt('Mars/Phobos', 0)).toThrow(RangeError);
});

const HOUR = 3_600_000;
/** Every 47 hours of a year, and four times a year for 80 years. */
const instants = [
  ...Array.from({ length: 187 }, (_, index) => Date.UTC(2026, 0, 1) + index * 47 * HOUR + 1_000),
  ...Array.from({ length: 80 * 4 }, (_, index) =>
    Date.UTC(1970, index * 3, 1 + (index % 28), index % 24, 59, 59),
  ),
];

test.each(sampleOf(Intl.supportedValuesOf('timeZone'), 25))('the offsets of %s are those of Intl', (zone) => {
  for (const instant of instants)
    expect([instant, offsetAt(zone, instant)]).toEqual([instant, intlOffset(zone, instant)]);
});
