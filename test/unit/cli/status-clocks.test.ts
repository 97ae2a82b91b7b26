import { expect, test } from 'vitest';
import type { ResourceStatus } from '../../../src/model/run.js';
import type { Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { initWithOrigin } from '../../support/repository.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { sampleOf } from '../../support/size.js';

const hour = 3_600_000;
const now = new Date('2026-12-08T12:30:00Z');
const seed = { agents: [{ externalAgentId: 'shop', name: 'Shop' }], history: [] } as unknown as Seed;
const schedule = 'target: agent/shop, cron: "0 0 * * * *", startTime: 2026-01-01T00:00:00';
const manifest = `project: prices\ninventory: { git: {} }\nschedules:\n  hourly: { ${schedule} }\n`;

/** A project in a clone on a machine whose clock is that many hours behind the service. */
async function behind(hours: number) {
  const sandbox = await startSandbox({ seed, speed: 0, now });
  const workspace = new Workspace({ 'roster.yaml': manifest }, sandbox);
  workspace.now = () => new Date(sandbox.now().getTime() - hours * hour);
  initWithOrigin(workspace.root);
  const run = (...words: string[]) => {
    const time = `${Math.floor((workspace.now?.().getTime() ?? 0) / 1000)} +0000`;
    workspace.env = { ...workspace.env, GIT_COMMITTER_DATE: time, GIT_AUTHOR_DATE: time };
    return workspace.command(words);
  };
  return { sandbox, workspace, run };
}

type Run = Awaited<ReturnType<typeof behind>>['run'];

async function rowOf(run: Run, ...words: string[]) {
  const ran = await run('status', ...words, '--format', 'json');
  const { resources } = jsonOf<{ readonly resources: readonly ResourceStatus[] }>(ran);
  return { ...resources[0], exit: ran.exit };
}

test.each(sampleOf([-200, -6, 0, 6, 200], 2, 2))(
  'on a machine %i hours behind the service, a schedule that was just applied has missed nothing',
  async (hours) => {
    const { sandbox, run } = await behind(hours);
    expect((await run('apply', '--yes')).exit).toBe(0);
    expect(await rowOf(run, '--check')).toMatchObject({ exit: 0, health: 'never-run' });
    expect(await rowOf(run, '--since', 'apply', '--check')).toMatchObject({ exit: 0, counts: { missed: 0 } });
    // What starts it is stopped: its starts from then on are missed.
    for (const each of sandbox.world.schedules.values()) each.isEnabled = false;
    sandbox.advance(3 * hour);
    for (const each of sandbox.world.schedules.values()) each.isEnabled = true;
    expect(await rowOf(run, '--check')).toMatchObject({ exit: 5, counts: { missed: 3 } });
    expect(await rowOf(run, '--since', 'apply', '--check')).toMatchObject({ exit: 5, counts: { missed: 3 } });
  },
);

test.each(sampleOf([-6, 0, 6], 1, 3))(
  'on a machine %i hours behind the service, a hold lasts until its end by the clock of the service',
  async (hours) => {
    const { sandbox, run } = await behind(hours);
    await run('apply', '--yes');
    const held = await run('hold', '--all', '--reason', 'relaunch', '--until', '2h', '--yes');
    expect(held.exit).toBe(0);
    const row = await rowOf(run);
    expect(row).toMatchObject({
      health: 'held',
      held: {
        since: expect.stringMatching(/^2026-12-08T12:30:0/),
        until: expect.stringMatching(/^2026-12-08T14:30:0/),
      },
    });
    sandbox.advance(1.5 * hour);
    expect(await rowOf(run)).toMatchObject({ health: 'held', sync: 'in-sync' });
    expect((await run('plan')).stdout).toContain('No changes.');
    sandbox.advance(1.5 * hour);
    expect(await rowOf(run)).toMatchObject({ health: 'paused', held: null, sync: 'pending' });
    expect((await run('plan')).stdout).toContain('1 to update');
    expect((await run('apply', '--yes')).exit).toBe(0);
    expect(await rowOf(run, '--check')).toMatchObject({
      exit: 0,
      health: 'never-run',
      counts: { missed: 0 },
    });
  },
);

test.each([-6, 6, 2000])(
  'on a machine %i hours behind the service, the previews of the service are right',
  async (hours) => {
    const { run } = await behind(hours);
    const { stdout, stderr } = await run('plan');
    expect(stderr).toBe('');
    expect(stdout).toContain('2026-12-08 13:00');
  },
);
