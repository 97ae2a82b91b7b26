import fc from 'fast-check';
import { cronProblem } from '../../src/timing/cron-check.js';
import type { Timing } from '../../src/timing/runs.js';
import { writeWallClock } from '../../src/timing/zone.js';

/** Zones with unusual clock changes, and some without any. */
export const zones = [
  'UTC',
  'Africa/Cairo',
  'Africa/Casablanca',
  'America/Havana',
  'America/New_York',
  'America/Nuuk',
  'America/Santiago',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Asia/Beirut',
  'Asia/Jerusalem',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Atlantic/Azores',
  'Australia/Lord_Howe',
  'Europe/Berlin',
  'Europe/Dublin',
  'Europe/Moscow',
  'Pacific/Apia',
  'Pacific/Chatham',
];
export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;
export const from2005 = Date.UTC(2005, 0, 1);
export const to2037 = Date.UTC(2037, 0, 1);

/** The instants at which a zone's clocks change, to the minute, found with Intl alone, so that tests can look there. */
function changesOf(zone: string): number[] {
  const found: number[] = [];
  for (let low = from2005; low < to2037; low += 10 * day) {
    let [before, after] = [low, low + 10 * day];
    if (intlOffset(zone, before) === intlOffset(zone, after)) continue;
    const offset = intlOffset(zone, before);
    while (after - before > minute) {
      const middle = before + Math.floor((after - before) / minute / 2) * minute;
      if (intlOffset(zone, middle) === offset) before = middle;
      else after = middle;
    }
    found.push(after);
  }
  return found;
}

const formats = new Map<string, Intl.DateTimeFormat>();

export function intlOffset(zone: string, instant: number): number {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(zone, format);
  return Date.parse(`${format.format(instant).replace(' ', 'T')}Z`) - instant;
}

export const changes = new Map(zones.map((zone) => [zone, changesOf(zone)]));

/** A zone and an instant, half of the time within a day of a clock change, on whole seconds. */
export const zonedInstants = fc.constantFrom(...zones).chain((zone) => {
  const anywhere = fc.integer({ min: from2005 / 1000, max: to2037 / 1000 }).map((second) => second * 1000);
  const known = changes.get(zone) ?? [];
  if (known.length === 0) return fc.record({ zone: fc.constant(zone), instant: anywhere });
  const near = fc
    .tuple(fc.constantFrom(...known), fc.integer({ min: -1440, max: 1440 }))
    .map(([change, minutes]) => change + minutes * minute);
  return fc.record({ zone: fc.constant(zone), instant: fc.oneof(anywhere, near) });
});

function fieldOf(min: number, max: number, names: readonly string[] = []): fc.Arbitrary<string> {
  const value = fc.integer({ min, max });
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const step = fc.tuple(fc.oneof(fc.constant('*'), range), fc.integer({ min: 1, max: 20 }));
  return fc.oneof(
    fc.constant('*'),
    value.map(String),
    range,
    step.map(([all, by]) => `${all}/${by}`),
    fc.uniqueArray(value, { minLength: 1, maxLength: 4 }).map((list) => list.join(',')),
    ...(names.length === 0 ? [] : [fc.constantFrom(...names)]),
  );
}

export const expressions = fc
  .tuple(
    fieldOf(0, 59),
    fieldOf(0, 59),
    fieldOf(0, 23),
    fieldOf(1, 31, ['?', 'L', 'L,15']),
    fieldOf(1, 12, ['JAN', 'feb,OCT']),
    fieldOf(0, 6, ['?', '7', 'SUN', 'mon-FRI', '5L', '1,0L', 'TUE#1', '4#5']),
  )
  .map((fields) => fields.join(' '))
  .filter((text) => cronProblem(text) === null);

/** Runs on every day, so that clock changes matter; several times a day, but not every hour. */
export const dailyExpressions = fc
  .tuple(fieldOf(0, 59), fieldOf(0, 59), fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 1 }))
  .map(([second, minute, hours]) => `${second} ${minute} ${hours.join(',')} * * *`);

export const timings: fc.Arbitrary<Timing> = fc
  .integer({ min: from2005 / minute, max: to2037 / minute })
  .map((each) => writeWallClock(each * minute))
  .chain((startTime) =>
    fc.oneof(
      expressions.map((expression): Timing => ({ type: 'Cron', expression, startTime })),
      fc
        .tuple(fc.integer({ min: 1, max: 500 }), fc.constantFrom('Minutes', 'Hours', 'Days', 'Weeks'))
        .map(([value, unit]): Timing => ({ type: 'Basic', value, unit, startTime })),
      fc.constant<Timing>({ type: 'Once', startTime }),
    ),
  );
