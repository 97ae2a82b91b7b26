import { expect, test } from 'vitest';
import { Pace } from '../../../src/service/pace.js';
import { bucket, type Limit, sendAll, shortest, window } from '../../support/limited-service.js';
import { sampleOf } from '../../support/size.js';

interface Case {
  readonly name: string;
  /** `phase`: how much of the first period has passed. */
  readonly limit: (phase: number) => Limit;
  readonly readsHeaders?: true;
  /** The median of the times, as a multiple of the shortest possible, and the share of refused requests. */
  readonly ratio: number;
  readonly refused: number;
}

/** Numbers from 0 to 1 that are spread evenly, the same in each run. */
function spread(): () => number {
  let last = 0;
  return () => {
    last = (last + 0.618_034) % 1;
    return last;
  };
}

const told = { hasRetryAfter: true };
const cases: readonly Case[] = [
  { name: '50 a second, Retry-After', limit: () => bucket(50, 50, told), ratio: 1.15, refused: 0.1 },
  { name: '20 a second, no header', limit: () => bucket(20, 20), ratio: 1.1, refused: 0.12 },
  { name: '20 a second and none at once', limit: () => bucket(20, 0), ratio: 1.35, refused: 0.12 },
  { name: '5 a second and none at once', limit: () => bucket(5, 0), ratio: 1.3, refused: 0.13 },
  {
    name: '20 a second, 5 at once, whole seconds',
    limit: () => bucket(20, 5, told),
    ratio: 1.3,
    refused: 0.1,
  },
  {
    name: '20 a second, 10 at once, whole seconds',
    limit: () => bucket(20, 10, told),
    ratio: 1.3,
    refused: 0.1,
  },
  {
    name: '10 a second, 5 at once, whole seconds',
    limit: () => bucket(10, 5, told),
    ratio: 1.3,
    refused: 0.1,
  },
  {
    name: '40 in 2 s, Retry-After',
    limit: (phase) => window(40, 2_000, { ...told, phase }),
    ratio: 1.3,
    refused: 0.1,
  },
  {
    name: '100 in 5 s, no header',
    limit: (phase) => window(100, 5_000, { phase }),
    ratio: 1.3,
    refused: 0.1,
  },
  {
    name: '100 in 5 s, RateLimit headers',
    limit: (phase) => window(100, 5_000, { phase }),
    readsHeaders: true,
    ratio: 1.15,
    refused: 0.08,
  },
  {
    name: '60 in 1 min, no header',
    limit: (phase) => window(60, 60_000, { phase }),
    ratio: 1.1,
    refused: 0.2,
  },
  {
    name: '20 a second and none at once, RateLimit headers',
    limit: () => bucket(20, 0),
    readsHeaders: true,
    ratio: 1.35,
    refused: 0.12,
  },
];

test.each(sampleOf(cases, 6))(
  'a limit of $name is met in nearly the shortest time, and few requests are refused',
  ({ limit, readsHeaders = false, ratio, refused }) => {
    const random = spread();
    const runs = [150, 250, 350].flatMap((count) =>
      [5, 30, 120].flatMap((latencyMs) =>
        [0.25, 0.5, 0.75].map((phase) => {
          const load = { count, latencyMs, random, readsHeaders };
          const outcome = sendAll(limit(phase), load);
          return { ...outcome, ratio: outcome.ms / shortest(limit(phase), load) };
        }),
      ),
    );
    const ratios = runs.map((each) => each.ratio).toSorted((a, b) => a - b);
    const share =
      runs.reduce((sum, each) => sum + each.refused, 0) / runs.reduce((sum, each) => sum + each.attempts, 0);
    expect(ratios[Math.floor(ratios.length / 2)]).toBeLessThan(ratio);
    expect(share).toBeLessThan(refused);
  },
);

test('requests that no limit meets wait for nothing', () => {
  const pace = new Pace(() => 0);
  for (let each = 0; each < 1_000; each += 1) {
    expect(pace.delay(0)).toBe(0);
    pace.taken(pace.start(0));
  }
});

test('no request starts before the time that the service gave, whichever request it told', () => {
  const pace = new Pace(() => 0);
  const [first, second] = [pace.start(0), pace.start(0)];
  expect(pace.refused(first, 10, 1_000)).toBe(1_000);
  expect(pace.refused(second, 20, 3_000)).toBeNull();
  expect(pace.delay(20)).toBe(3_000);
});

test('a quota that is used up for an hour, by a header, is tried after ten seconds, and ignored if that was wrong', () => {
  const pace = new Pace(() => 0);
  const start = pace.start(0);
  pace.note(0, 3_600_000, 5);
  pace.taken(start);
  expect(pace.delay(5)).toBe(10_000);
  // It takes a request in spite of what it says: its headers are not believed any more.
  const next = pace.start(10_005);
  pace.note(0, 3_590_000, 10_010);
  pace.taken(next);
  pace.note(0, 3_590_000, 20_020);
  expect(pace.delay(20_020)).toBe(0);
});
