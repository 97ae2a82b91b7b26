import { expect, test } from 'vitest';
import type { Fault, Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const now = new Date('2026-12-08T12:00:00Z');
const scheduleId = '5c4ed000-0000-4000-8000-000000000001';

const seed: Seed = {
  agents: [
    {
      externalAgentId: 'shop',
      name: 'Shop',
      fields: ['sku', 'price'],
      outcomes: [{ seconds: 60, records: 100 }],
    },
  ],
  schedules: [
    {
      id: scheduleId,
      targetType: 'Agent',
      targetId: 'shop',
      scheduleType: 'Cron',
      cronExpression: '0 0 6 * * *',
      startTime: '2026-01-01T00:00:00',
    },
  ],
  history: [{ schedule: scheduleId, startedAt: '2026-12-08T06:00:00Z' }],
};

const text = `project: prices
schedules:
  daily:
    target: agent/shop
    cron: "0 0 6 * * *"
    startTime: 2026-01-01T00:00:00
    expect: { columns: [sku], empty: { price: 2% }, rows: { "price lte 0": 5 } }
`;

/** The answer to a query, or to the nth of them. */
function answer(data: unknown, nth?: number): Fault {
  const fault: Fault = {
    act: 'status',
    status: 200,
    body: JSON.stringify({ success: true, data }),
    method: 'POST',
    path: '/api/data-explorer/*/query',
  };
  return nth === undefined ? fault : { ...fault, nth };
}

const columns = ['sku', 'price'];
const rows: readonly unknown[] = [];

test.each<[string, Fault, number, string[]]>([
  ['no count', answer({ columns, rows }), 1, ['unknown', 'unknown', 'unknown']],
  ['null for a count', answer({ columns, rows, totalMatches: null }), 1, ['unknown', 'unknown', 'unknown']],
  ['a negative count', answer({ columns, rows, totalMatches: -1 }), 1, ['unknown', 'unknown', 'unknown']],
  [
    'a word for a count',
    answer({ columns, rows, totalMatches: 'all' }),
    1,
    ['unknown', 'unknown', 'unknown'],
  ],
  ['no columns', answer({ rows, totalMatches: 9 }), 1, ['unknown', 'unknown', 'unknown']],
  [
    'columns without names',
    answer({ columns: [{ type: 'text' }], rows, totalMatches: 9 }),
    1,
    ['unknown', 'unknown', 'unknown'],
  ],
  [
    'rows without columns',
    answer({ columns: [], rows, totalMatches: 9 }),
    0,
    ['unknown', 'unknown', 'unknown'],
  ],
  ['a text', answer('ok'), 1, ['unknown', 'unknown', 'unknown']],
  [
    'more rows that meet a condition than rows',
    answer({ columns, rows, totalMatches: 101 }, 2),
    0,
    ['met', 'unknown', 'met'],
  ],
  [
    'a count as a text, which is a number',
    answer({ columns, rows, totalMatches: '100' }, 2),
    5,
    ['met', 'unmet', 'met'],
  ],
])(
  'an odd answer about a dataset is an error or unknown, and never met: %s',
  async (_, fault, exit, found) => {
    const sandbox = await startSandbox({ seed, speed: 0, now });
    const workspace = new Workspace({ 'roster.yaml': text }, sandbox);
    workspace.now = () => sandbox.now();
    expect((await workspace.apply()).exit).toBe(0);
    sandbox.faults.faults = [fault];
    const ran = await workspace.command(['data', 'check', '--format', 'json']);
    const { datasets } = jsonOf<{ datasets: { expectations: { verdict: string }[] }[] }>(ran);
    const verdicts = datasets.flatMap(({ expectations }) => expectations.map(({ verdict }) => verdict));
    expect([ran.exit, verdicts]).toEqual([exit, found]);
  },
);
