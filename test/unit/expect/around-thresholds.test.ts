import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { many } from '../../support/size.js';

/** Collections made at random around the thresholds of their expectations: one service, one `data check`. */

const now = new Date('2026-12-08T12:00:00Z');
const DAY = 86_400_000;
const MINUTE = 60;
/** Runs before the one that is judged. */
const BEFORE = 7;

type Outcome = NonNullable<NonNullable<Seed['agents']>[number]['outcomes']>[number];

interface Collection {
  /** What its newest run delivers, and those before it. */
  readonly last: Outcome;
  readonly usual: Outcome;
  readonly expect: object;
  /** The properties that are not met. */
  readonly unmet: readonly string[];
}

/** What is wrong with a collection. Null: nothing is, but everything is as close to its threshold as it may be. */
const flaws = [
  'records.min',
  'records.drop',
  'finish',
  'columns',
  'columns.only',
  'empty.price',
  'rows.price gt 0',
  'never ends',
] as const;

type Flaw = (typeof flaws)[number] | null;

const FIELDS = ['sku', 'price', 'currency'];

/** `size`: the usual records, a multiple of 100, so that every share of them is a whole number. */
function collectionOf(flaw: Flaw, size: number, percent: number, slack: number): Collection {
  const part = (size * percent) / 100;
  const records = size - part - (flaw === 'records.drop' ? 1 : -slack);
  const minimum = flaw === 'records.min' ? records + 1 : records - slack;
  const minutes = 10 + percent;
  const seconds = minutes * MINUTE + (flaw === 'finish' ? 1 : -slack);
  const fields = flaw === 'columns' ? ['sku', 'currency'] : FIELDS;
  const share = Math.floor((records * percent) / 100);
  const price = share + (flaw === 'empty.price' ? 1 : 0);
  // Rows with a price are those that are not empty.
  const filled = records - price;
  const expected = {
    records: { min: minimum, drop: `${percent}%` },
    finish: `${minutes} minutes`,
    columns: { only: flaw === 'columns.only' ? ['sku', 'price'] : FIELDS },
    empty: { sku: '0%', price: `${percent}%` },
    rows: { 'price gt 0': flaw === 'rows.price gt 0' ? filled - 1 : filled + slack },
  };
  const usual = { seconds: MINUTE, records: size };
  const last = { seconds, records, fields, empty: { price } };
  switch (flaw) {
    case null:
      return { usual, last, expect: expected, unmet: [] };
    case 'columns':
      return {
        usual,
        last: { seconds, records, fields },
        expect: expected,
        unmet: ['columns', 'empty.price', 'rows.price gt 0'],
      };
    case 'never ends':
      return {
        usual,
        last: { seconds: 100 * 3_600 },
        expect: { finish: expected.finish, records: expected.records },
        unmet: ['finish'],
      };
    default:
      return { usual, last, expect: expected, unmet: [flaw === 'columns.only' ? 'columns' : flaw] };
  }
}

const collection = (flaw: Flaw) =>
  fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 2 }))
    .map(([hundreds, percent, slack]) => collectionOf(flaw, hundreds * 100, percent, slack));

const agentOf = (index: number) => `agent-${index}`;
const idOf = (index: number) => `5c4ed000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** A schedule for each collection, which has started its agent every morning. */
function seedOf(all: readonly Collection[]): Seed {
  return {
    agents: all.map(({ usual, last }, index) => ({
      externalAgentId: agentOf(index),
      name: `Agent ${index}`,
      fields: FIELDS,
      outcomes: [
        ...Array.from({ length: BEFORE }, (_, nth) => ({ ...usual, nth: nth + 1 })),
        { ...last, nth: BEFORE + 1 },
      ],
    })),
    schedules: all.map((_, index) => ({
      id: idOf(index),
      targetType: 'Agent',
      targetId: agentOf(index),
      scheduleType: 'Cron',
      cronExpression: '0 0 6 * * *',
      startTime: '2026-01-01T00:00:00',
    })),
    history: all.flatMap((_, index) =>
      Array.from({ length: BEFORE + 1 }, (_each, nth) => ({
        schedule: idOf(index),
        startedAt: new Date(now.getTime() - DAY / 4 - (BEFORE - nth) * DAY).toISOString(),
      })),
    ),
  };
}

function manifestOf(all: readonly Collection[]): string {
  const entries = all.map(
    ({ expect: expected }, index) =>
      `  s${index}: { target: agent/${agentOf(index)}, cron: "0 0 6 * * *", startTime: 2026-01-01T00:00:00, expect: ${JSON.stringify(expected)} }`,
  );
  return `project: prices\nschedules:\n${entries.join('\n')}\n`;
}

interface CheckJson {
  readonly datasets: readonly {
    readonly address: string;
    readonly expectations: readonly { readonly property: string; readonly verdict: string }[];
  }[];
}

test('every bad collection is named with its property, no good one is, and each takes the requests that it may', async () => {
  const bad = fc.sample(fc.constantFrom(...flaws).chain(collection), { numRuns: many(16, 60), seed: 48 });
  const good = fc.sample(collection(null), { numRuns: many(34, 300), seed: 48 });
  const all = [...bad, ...good];
  const sandbox = await startSandbox({ seed: seedOf(all), speed: 0, now, keepRequests: 100_000 });
  const workspace = new Workspace({ 'roster.yaml': manifestOf(all) }, sandbox);
  workspace.now = () => sandbox.now();
  expect((await workspace.apply()).exit).toBe(0);
  sandbox.requests.length = 0;

  const ran = await workspace.command(['data', 'check', '--format', 'json']);
  expect(ran.exit).toBe(5);
  const { datasets } = jsonOf<CheckJson>(ran);
  const unmetOf = (address: string) =>
    datasets
      .filter((each) => each.address === address)
      .flatMap(({ expectations }) => expectations)
      .filter(({ verdict }) => verdict === 'unmet')
      .map(({ property }) => property);
  const named = all.map((_, index) => [`schedule/s${index}`, unmetOf(`schedule/s${index}`)]);
  expect(named).toEqual(all.map(({ unmet }, index) => [`schedule/s${index}`, unmet]));

  // One query for the columns, and one for each of three conditions.
  const queries = sandbox.requests.filter(({ path }) => path.endsWith('/query'));
  expect(queries.length).toBeGreaterThan(all.length);
  expect(queries.length).toBeLessThanOrEqual(all.length * 4);
});

test('status names those of the same collections whose lists show it, and sends no request for it', async () => {
  const all = flaws.map((flaw) => collectionOf(flaw, 500, 20, 1));
  const sandbox = await startSandbox({ seed: seedOf(all), speed: 0, now });
  const plain = manifestOf(all).replaceAll(/, expect: .* }$/gm, ' }');
  const workspace = new Workspace({ 'roster.yaml': plain }, sandbox);
  workspace.now = () => sandbox.now();
  expect((await workspace.apply()).exit).toBe(0);
  const requestsOf = async () => {
    sandbox.requests.length = 0;
    const ran = await workspace.command(['status', '--format', 'json']);
    const { resources } = jsonOf<{ resources: readonly { address: string; health: string }[] }>(ran);
    return { sent: sandbox.requests.length, resources };
  };
  const before = await requestsOf();
  workspace.write('roster.yaml', manifestOf(all));
  const after = await requestsOf();
  expect(after.sent).toBe(before.sent);
  const unmet = after.resources.filter(({ health }) => health === 'unmet').map(({ address }) => address);
  const shown: readonly Flaw[] = ['records.min', 'records.drop', 'finish', 'never ends'];
  expect(unmet.toSorted()).toEqual(
    flaws.flatMap((flaw, index) => (shown.includes(flaw) ? [`schedule/s${index}`] : [])),
  );
});
