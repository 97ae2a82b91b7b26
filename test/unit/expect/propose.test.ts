import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/json.js';
import { type DeliveredByAgent, type DeliveredRun, proposalOf } from '../../../src/operate/expect/propose.js';

const minute = 60_000;

/** Runs of this many records, the newest first, each of one minute. */
function runsOf(...records: number[]): readonly DeliveredRun[] {
  return records.map((each, index) => ({ records: each, took: minute, before: records.slice(index + 1) }));
}

const agent = (name: string, rest: Partial<DeliveredByAgent> = {}): DeliveredByAgent => ({
  name,
  runs: [],
  columns: null,
  empty: new Map(),
  rowCount: 100,
  ...rest,
});

const steady = runsOf(1_000, 1_050, 1_000, 1_100, 1_000, 1_000);

test.each<[string, readonly DeliveredByAgent[], JsonObject]>([
  ['nothing without runs', [agent('a')], {}],
  ['nothing from two runs', [agent('a', { runs: runsOf(100, 100) })], {}],
  [
    'no drop where fewer than three runs have three before them',
    [agent('a', { runs: runsOf(100, 100, 100) })],
    { records: { min: 80 }, finish: '5 minutes' },
  ],
  [
    'a drop of 20% where the runs hardly differ',
    [agent('a', { runs: steady })],
    { records: { min: 800, drop: '20%' }, finish: '5 minutes' },
  ],
  [
    'a drop that leaves room for the largest one so far',
    [agent('a', { runs: runsOf(600, 1_000, 1_000, 1_000, 1_000, 1_000) })],
    { records: { min: 480, drop: '60%' }, finish: '5 minutes' },
  ],
  [
    'no least number for an agent that sometimes finds nothing',
    [agent('a', { runs: runsOf(5, 0, 0) })],
    { finish: '5 minutes' },
  ],
  [
    'twice the longest time, rounded up',
    [agent('a', { runs: runsOf(0, 0, 0).map((run, index) => ({ ...run, took: (30 + index) * minute })) })],
    { finish: '2 hours' },
  ],
  [
    'no time that is not known',
    [agent('a', { runs: runsOf(0, 0, 0).map((run) => ({ ...run, took: null })) })],
    {},
  ],
  [
    'twice as many empty values as there are, and at least one row',
    [
      agent('a', {
        columns: ['sku', 'price', 'note'],
        empty: new Map([
          ['sku', 0],
          ['price', 3],
          ['note', 90],
        ]),
      }),
    ],
    { columns: ['sku', 'price', 'note'], empty: { sku: '1%', price: '6%' } },
  ],
  [
    'one value for agents that are alike',
    [agent('a', { runs: runsOf(100, 100, 100) }), agent('b', { runs: runsOf(120, 110, 150) })],
    { records: { min: 80 }, finish: '5 minutes' },
  ],
  [
    'values of its own for an agent that delivers more than twice as much or less than the others',
    [
      agent('small', { runs: runsOf(25, 25, 25) }),
      agent('a', { runs: runsOf(1_000, 1_000, 1_000) }),
      agent('b', { runs: runsOf(1_100, 1_100, 1_100) }),
    ],
    { records: { min: 800 }, finish: '5 minutes', members: { small: { records: { min: 20 } } } },
  ],
  [
    'nothing of all agents while the runs of one show nothing',
    [agent('a', { runs: runsOf(100, 100, 100), columns: ['sku'] }), agent('new')],
    { members: { a: { records: { min: 80 }, finish: '5 minutes', columns: ['sku'] } } },
  ],
  [
    'other columns of one agent as its own',
    [
      agent('a', { columns: ['sku', 'price'] }),
      agent('b', { columns: ['sku', 'price'] }),
      agent('c', { columns: ['id'] }),
    ],
    { columns: ['sku', 'price'], members: { c: { columns: ['id'] } } },
  ],
])('proposes %s', (_what, agents, proposed) => {
  expect(proposalOf(agents)).toEqual(proposed);
});
