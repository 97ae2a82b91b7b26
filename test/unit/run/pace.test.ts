import { expect, test } from 'vitest';
import { type SentStarts, waitBefore } from '../../../src/operate/watch.js';

/** Starts stay under 60 a minute (interface §8). */

const cases: readonly [
  what: string,
  sent: readonly [at: number, starts: number][],
  starts: number,
  wait: number,
][] = [
  ['nothing was sent', [], 1, 0],
  ['a few fit', [[0, 10]], 45, 0],
  [
    'one too many waits until the first are a minute old',
    [
      [0, 10],
      [5_000, 45],
    ],
    1,
    50_000,
  ],
  [
    'many wait for all before them',
    [
      [0, 10],
      [5_000, 45],
    ],
    40,
    55_000,
  ],
  ['more than a minute allows is sent when nothing else was', [], 300, 0],
  [
    'and waits for everything else',
    [
      [0, 10],
      [5_000, 1],
    ],
    300,
    55_000,
  ],
];

test.each(cases)('%s', (_what, list, starts, wait) => {
  const sent = list.map(([at, number]): SentStarts => ({ at, starts: number }));
  expect(waitBefore(sent, starts, 10_000)).toBe(wait);
});

test('whatever is sent after its wait, no minute has more than 55 starts', () => {
  const sent: SentStarts[] = [];
  let now = 0;
  for (let index = 0; index < 400; index += 1) {
    const starts = 1 + ((index * 7) % 12);
    now += waitBefore(sent, starts, now);
    sent.push({ at: now, starts });
    const minute = sent.filter(({ at }) => at > now - 60_000).reduce((sum, each) => sum + each.starts, 0);
    expect(minute).toBeLessThanOrEqual(55);
    now += 100;
  }
});
