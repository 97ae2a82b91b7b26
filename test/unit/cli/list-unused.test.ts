import { describe, expect, test } from 'vitest';
import type { Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const now = new Date('2026-12-01T12:00:00Z');
const names = ['alone', 'member', 'stage', 'free'];

type SeedSchedule = NonNullable<Seed['schedules']>[number];

const daily = {
  scheduleType: 'Cron',
  cronExpression: '0 0 6 * * *',
  startTime: '2026-01-01T00:00:00',
} as const;
const ofAgent: SeedSchedule = { ...daily, targetType: 'Agent', targetId: 'alone' };
const ofGroup: SeedSchedule = { ...daily, targetType: 'Group', targetId: 'Shops' };
const ofPipeline: SeedSchedule = { ...daily, targetType: 'Pipeline', targetId: 'Chain' };

interface World {
  readonly schedules?: readonly SeedSchedule[];
  readonly isGroupActive?: boolean;
  readonly text?: string;
}

async function world({ schedules = [], isGroupActive = true, text = 'project: p\n' }: World) {
  const seed: Seed = {
    agents: names.map((name) => ({ externalAgentId: name, name })),
    groups: [{ name: 'Shops', members: ['member'], isActive: isGroupActive }],
    pipelines: [{ name: 'Chain', steps: ['stage'] }],
    schedules: [...schedules],
  };
  const sandbox = await startSandbox({ seed, speed: 0, now });
  const workspace = new Workspace({ 'roster.yaml': text }, sandbox);
  workspace.now = () => sandbox.now();
  return { sandbox, workspace };
}

async function unused(workspace: Workspace): Promise<readonly string[]> {
  const ran = await workspace.command(['list', 'agents', '--unused', '--format', 'json']);
  expect(ran.exit).toBe(0);
  return jsonOf<{ agents: { externalAgentId: string }[] }>(ran).agents.map((each) => each.externalAgentId);
}

describe('list agents --unused', () => {
  test.each<[string, World, string[]]>([
    ['all of them without schedules', {}, ['alone', 'free', 'member', 'stage']],
    ['not what a schedule starts', { schedules: [ofAgent] }, ['free', 'member', 'stage']],
    ['not the members of a group that is started', { schedules: [ofGroup] }, ['alone', 'free', 'stage']],
    [
      'not the stages of a pipeline that is started',
      { schedules: [ofPipeline] },
      ['alone', 'free', 'member'],
    ],
    [
      'what only a paused schedule would start',
      { schedules: [{ ...ofAgent, isEnabled: false }] },
      ['alone', 'free', 'member', 'stage'],
    ],
    [
      'what only a schedule in the past has started',
      {
        schedules: [
          { targetType: 'Agent', targetId: 'alone', scheduleType: 'Once', startTime: '2026-01-01T00:00:00' },
        ],
      },
      ['alone', 'free', 'member', 'stage'],
    ],
    [
      'the members of a group that is switched off',
      { schedules: [ofGroup], isGroupActive: false },
      ['alone', 'free', 'member', 'stage'],
    ],
  ])('lists %s', async (_what, made, agents) => {
    const { workspace } = await world(made);
    expect(await unused(workspace)).toEqual(agents);
  });

  test('does not list what is on hold, because it will go on', async () => {
    const text = `project: p
schedules:
  daily: { target: agent/alone, cron: "0 0 6 * * *", startTime: 2026-01-01T00:00:00 }
`;
    const { workspace } = await world({ text });
    expect((await workspace.apply()).exit).toBe(0);
    const held = await workspace.command(['hold', 'schedule/daily', '--reason', 'outage', '--yes']);
    expect(held.exit, held.stderr).toBe(0);
    expect(await unused(workspace)).toEqual(['free', 'member', 'stage']);
  });

  test('says so in its title, with the inputs of the agents if they are asked for', async () => {
    const { workspace } = await world({ schedules: [ofAgent, ofGroup, ofPipeline] });
    const { stdout } = await workspace.command(['list', 'agents', '--unused', '--inputs']);
    expect(stdout).toContain('Agents that no schedule starts: 1\n');
    expect(stdout).toMatch(/free.*\n *no inputs/);
    expect(stdout).not.toContain('alone');
  });

  test('works without a project', async () => {
    const { sandbox } = await world({ schedules: [ofAgent] });
    const workspace = new Workspace({ 'other.txt': '' }, sandbox);
    workspace.env['ROSTER_URL'] = sandbox.url;
    workspace.now = () => sandbox.now();
    expect(await unused(workspace)).toEqual(['free', 'member', 'stage']);
  });

  test.each([[['--unused']], [['groups', '--unused']]])('is for agents only: list %j', async (words) => {
    const { workspace } = await world({});
    const { exit, stderr } = await workspace.command(['list', ...words]);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('`--unused` is for agents only')]);
  });
});
