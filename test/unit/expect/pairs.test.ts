import { expect, test } from 'vitest';
import type { Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** Expectations together with other features: environments, `each`, holds and moves. */

const now = new Date('2026-12-08T12:00:00Z');
const groupId = '9c4ed000-0000-4000-8000-000000000001';
const scheduleId = '5c4ed000-0000-4000-8000-000000000001';

/** A group of one agent, which a schedule starts each morning: 100 records at 06:00 today. */
const seed: Seed = {
  agents: [
    {
      externalAgentId: 'shop',
      name: 'Shop',
      fields: ['sku', 'price'],
      outcomes: [{ seconds: 600, records: 100 }],
    },
  ],
  groups: [{ id: groupId, name: 'retail', members: ['shop'] }],
  schedules: [
    {
      id: scheduleId,
      targetType: 'Group',
      targetId: groupId,
      scheduleType: 'Cron',
      cronExpression: '0 0 6 * * *',
      startTime: '2026-01-01T00:00:00',
    },
  ],
  history: [{ schedule: scheduleId, startedAt: '2026-12-08T06:00:00Z' }],
};

const TIMES = 'cron: "0 0 6 * * *", startTime: 2026-01-01T00:00:00';

/** Only one of two environments expects something. */
const expectedInLive = `environments:
  live: { defaults: { groups: { expect: { records: { min: 500 } } } } }
  staging: {}
groups:
  retail: { members: [shop] }
schedules:
  daily: { target: group/retail, ${TIMES} }
`;

interface World {
  readonly text: string;
  /** Commands after the apply. */
  readonly after?: readonly string[];
  /** What each command gets. */
  readonly flags?: readonly string[];
}

async function judged({ text, after = [], flags = [] }: World) {
  const sandbox = await startSandbox({ seed, speed: 0, now });
  const workspace = new Workspace({ 'roster.yaml': `project: prices\n${text}` }, sandbox);
  workspace.now = () => sandbox.now();
  const run = (line: string) => workspace.command([...line.split(' '), ...flags]);
  for (const line of ['apply --yes', ...after]) {
    const ran = await run(line);
    expect(ran.exit, ran.stderr).toBe(0);
  }
  const status = await run('status --format json');
  const { resources } = jsonOf<{
    resources: { address: string; health: string; held: object | null }[];
  }>(status);
  const check = await run('data check --format json');
  const { datasets } = jsonOf<{
    datasets: {
      address: string;
      expectations: {
        property: string;
        verdict: string;
        from: string | null;
        place: { file: string; line: number } | null;
      }[];
    }[];
  }>(check);
  return {
    healths: resources.map(
      ({ address, health, held }) => `${address} ${health}${held === null ? '' : ' (held)'}`,
    ),
    unmet: datasets.flatMap(({ address, expectations }) =>
      expectations
        .filter(({ verdict }) => verdict === 'unmet')
        .map(({ property, from, place }) => `${address} ${property} line ${place?.line} from ${from}`),
    ),
  };
}

test.each<[string, World, string[], string[]]>([
  [
    'a schedule takes what its target expects, and the alarm points at the target',
    {
      text: `groups:
  retail: { members: [shop], expect: { records: { min: 500 } } }
schedules:
  daily: { target: group/retail, ${TIMES} }
`,
    },
    ['group/retail unmet', 'schedule/daily unmet'],
    ['schedule/daily records.min line 3 from group/retail'],
  ],
  [
    'what defaults expect is said at the defaults, also below the expectations of the entry',
    {
      text: `defaults:
  schedules:
    expect:
      finish: 5 minutes
schedules:
  daily: { target: group/retail, ${TIMES}, expect: { records: { min: 500 } } }
groups:
  retail: { id: ${groupId}, external: true }
`,
    },
    ['schedule/daily unmet', 'group/retail healthy'],
    ['schedule/daily records.min line 7 from null', 'schedule/daily finish line 5 from null'],
  ],
  [
    'what differs for a member is said at the member, wherever it is',
    {
      text: `groups:
  retail:
    members: [shop]
    expect:
      members:
        shop: { records: { min: 500 } }
schedules:
  daily: { target: group/retail, ${TIMES}, expect: { records: { min: 1 } } }
`,
    },
    ['group/retail unmet', 'schedule/daily unmet'],
    ['schedule/daily records.min line 7 from group/retail'],
  ],
  [
    'an environment expects more than the others',
    {
      text: expectedInLive,
      flags: ['-e', 'live'],
    },
    ['group/retail unmet', 'schedule/daily unmet'],
    ['schedule/daily records.min line 3 from group/retail'],
  ],
  [
    'the other environment does not expect it',
    {
      text: expectedInLive,
      flags: ['-e', 'staging'],
    },
    ['group/retail healthy', 'schedule/daily healthy'],
    [],
  ],
  [
    'each copy of a repeated entry expects it, with its own values',
    {
      text: `groups:
  "\${each.key}":
    each: { retail: { least: 500 } }
    members: [shop]
    expect: { records: { min: "\${each.value.least}" } }
schedules:
  daily: { target: group/retail, ${TIMES} }
`,
    },
    ['group/retail unmet', 'schedule/daily unmet'],
    ['schedule/daily records.min line 6 from group/retail'],
  ],
  [
    'what is on hold is judged by its last run, and shows the hold',
    {
      text: `schedules:
  daily: { target: group/retail, ${TIMES}, expect: { records: { min: 500 } } }
groups:
  retail: { members: [shop] }
`,
      after: ['hold schedule/daily --reason incident --yes'],
    },
    ['schedule/daily unmet (held)', 'group/retail healthy'],
    ['schedule/daily records.min line 3 from null'],
  ],
])('%s', async (_, made, healths, unmet) => {
  expect(await judged(made)).toEqual({ healths, unmet });
});

test('a resource that has moved keeps what is expected of it, and its runs', async () => {
  const sandbox = await startSandbox({ seed, speed: 0, now });
  const entry = `{ target: group/retail, ${TIMES}, expect: { records: { min: 500 } } }`;
  const groups = 'groups:\n  retail: { members: [shop] }\n';
  const before = `project: prices\n${groups}schedules:\n  daily: ${entry}\n`;
  const workspace = new Workspace({ 'roster.yaml': before }, sandbox);
  workspace.now = () => sandbox.now();
  expect((await workspace.apply()).exit).toBe(0);
  workspace.write('roster.yaml', before.replace('  daily: {', '  morning: { formerly: daily,'));
  const plan = await workspace.planJson();
  expect(plan.changes.flatMap(({ risks }) => risks)).toEqual([]);
  expect((await workspace.apply()).exit).toBe(0);
  const check = await workspace.command(['data', 'check', '--format', 'json']);
  const { datasets } = jsonOf<{ datasets: { address: string; verdict: string }[] }>(check);
  expect(datasets.map(({ address, verdict }) => `${address} ${verdict}`)).toEqual(['schedule/morning unmet']);
});
