import { describe, expect, test } from 'vitest';
import type { Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const now = new Date('2026-12-08T12:00:00Z');
const hour = 3_600_000;
const scheduleId = '5c4ed000-0000-4000-8000-000000000001';
const nobodys = '00000000-0000-4000-8000-00000000abcd';

interface World {
  /** The records of the runs of the schedule, one on each day, the newest last. */
  readonly records: readonly number[];
  readonly ofGroup?: string | undefined;
  readonly ofSchedule?: string | undefined;
}

/** One group, which a schedule starts every morning. */
async function world({ records, ofGroup, ofSchedule }: World) {
  // The last one is of the run that a person starts.
  const outcomes = [...records, 100].map((each, index) => ({ nth: index + 1, seconds: 60, records: each }));
  const seed: Seed = {
    agents: [{ externalAgentId: 'shop', name: 'Shop', outcomes }],
    groups: [{ name: 'shops', members: ['shop'] }],
    schedules: [
      {
        id: scheduleId,
        targetType: 'Group',
        targetId: 'shops',
        scheduleType: 'Cron',
        cronExpression: '0 0 6 * * *',
        startTime: '2026-01-01T00:00:00',
      },
    ],
    history: records.map((_, index) => ({
      schedule: scheduleId,
      startedAt: new Date(now.getTime() - 6 * hour - (records.length - 1 - index) * 24 * hour).toISOString(),
    })),
  };
  const sandbox = await startSandbox({ seed, speed: 0, now });
  const expectLine = (written: string | undefined) =>
    written === undefined ? '' : `    expect: ${written}\n`;
  const text = `project: prices
groups:
  shops:
    members: [shop]
${expectLine(ofGroup)}schedules:
  daily:
    target: group/shops
    cron: "0 0 6 * * *"
    startTime: 2026-01-01T00:00:00
${expectLine(ofSchedule)}`;
  const workspace = new Workspace({ 'roster.yaml': text }, sandbox);
  workspace.now = () => sandbox.now();
  expect((await workspace.apply()).exit).toBe(0);
  /** Starts the group as a person does, and lets it end. */
  const startByHand = async () => {
    await workspace.command(['run', 'group/shops', '--detach']);
    sandbox.advance(hour);
    const [run] = [...sandbox.world.groupRuns.values()].slice(-1);
    return String(run?.id);
  };
  return { sandbox, workspace, startByHand };
}

interface CheckJson {
  readonly datasets: readonly {
    readonly address: string;
    readonly datasetId: string | null;
    readonly jobId: string | null;
    readonly at: string;
    readonly verdict: string;
    readonly expectations: readonly { readonly level: string; readonly message: string }[];
  }[];
  readonly diagnostics: readonly {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
  }[];
}

async function check(workspace: Workspace, ...words: string[]) {
  const ran = await workspace.command(['data', 'check', ...words, '--format', 'json']);
  return { exit: ran.exit, ...jsonOf<CheckJson>(ran) };
}

describe('data check of ids', () => {
  test('judges a run of a schedule once and in the same way as without ids, also if its target expects something', async () => {
    const { sandbox, workspace } = await world({
      records: [100],
      ofGroup: '{ records: { min: 500 } }',
      ofSchedule: '{ level: warning }',
    });
    const whole = await check(workspace);
    expect(whole.datasets).toMatchObject([{ address: 'schedule/daily', verdict: 'unmet' }]);
    const [dataset] = whole.datasets;
    const [groupRun] = [...sandbox.world.groupRuns.keys()];
    for (const id of [groupRun, dataset?.jobId, dataset?.datasetId])
      expect(await check(workspace, String(id))).toEqual(whole);
    expect(whole.exit).toBe(0);
  });

  test.each([
    ['the group, if it expects something', '{ records: { min: 5 } }', 'group/shops'],
    ['the schedule of the group, if only that expects something', undefined, 'schedule/daily'],
  ])('judges a run that a person has started by %s', async (_what, ofGroup, address) => {
    const { workspace, startByHand } = await world({
      records: [100],
      ofGroup,
      ofSchedule: '{ finish: 2 hours }',
    });
    const { datasets } = await check(workspace, await startByHand());
    expect(datasets).toMatchObject([{ address, startedBy: 'hand', verdict: 'met' }]);
  });

  test('compares a run with the same runs before it as without ids', async () => {
    const { workspace } = await world({
      records: [100, 100, 100, 100, 10],
      ofGroup: '{ records: { drop: 40% } }',
      ofSchedule: '{ finish: 2 hours }',
    });
    const { datasets } = await check(workspace, '--since', '3d');
    expect(datasets.map(({ verdict }) => verdict)).toEqual(['unmet', 'unknown', 'met']);
    for (const each of datasets)
      expect((await check(workspace, String(each.jobId))).datasets).toEqual([each]);
  });

  test('compares what a person has started with the runs of all schedules before it', async () => {
    const { workspace, startByHand } = await world({
      records: [100, 100, 100, 10],
      ofGroup: '{ records: { drop: 40% } }',
    });
    const { datasets } = await check(workspace, await startByHand());
    expect(datasets[0]?.expectations[0]?.message).toBe('got 100, not below the median 100');
  });

  test.each([
    ['beside one that is judged', true],
    ['alone', false],
  ])('refuses an id of which nothing is expected, %s', async (_what, isBeside) => {
    const { workspace } = await world({ records: [100], ofGroup: '{ records: { min: 5 } }' });
    const { datasets } = await check(workspace);
    const found = await check(workspace, ...(isBeside ? [String(datasets[0]?.jobId)] : []), nobodys);
    expect(found.exit).toBe(1);
    expect(found.diagnostics).toMatchObject([
      {
        severity: 'error',
        code: 'unknown-id',
        message: `no run of the last 90 days that has an \`expect\` matches ${nobodys}`,
      },
    ]);
    if (isBeside) expect(found.datasets).toEqual(datasets);
  });

  test('reads the lists of the last days only, where all ids are in them', async () => {
    const { sandbox, workspace } = await world({
      records: [100, 100],
      ofGroup: '{ records: { min: 5 } }',
    });
    const { datasets } = await check(workspace);
    const [groupRun] = [...sandbox.world.groupRuns.keys()].slice(-1);
    for (const id of [groupRun, datasets[0]?.jobId, datasets[0]?.datasetId]) {
      sandbox.requests.length = 0;
      expect((await check(workspace, String(id))).datasets).toEqual(datasets);
      expect(sandbox.requests.filter(({ path }) => /jobs$/i.test(path.split('?')[0] ?? ''))).toHaveLength(1);
    }
  });

  test('refuses `--since`, which has no effect on ids', async () => {
    const { workspace } = await world({ records: [100], ofGroup: '{ records: { min: 5 } }' });
    const found = await workspace.command(['data', 'check', nobodys, '--since', '24h']);
    expect(found.exit).toBe(1);
    expect(found.stderr).toContain('`--since` has no effect on ids');
  });

  test('names who has started a run, in text and in Markdown', async () => {
    const { workspace, startByHand } = await world({ records: [100], ofGroup: '{ records: { min: 5000 } }' });
    const id = await startByHand();
    for (const format of ['text', 'markdown']) {
      const { stdout } = await workspace.command(['data', 'check', id, '--format', format]);
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain('started by hand');
    }
  });
});
