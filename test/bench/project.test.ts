import { afterEach, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { Workspace } from '../support/roster.js';
import { type Project, projectOf } from './project.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function open({ files, seed }: Project): Promise<{ sandbox: Sandbox; workspace: Workspace }> {
  const sandbox = await startSandbox({ seed, speed: 0 });
  const workspace = new Workspace(files, sandbox);
  ends.push(() => sandbox.close());
  return { sandbox, workspace };
}

it('the project of the bench is valid, without a warning, and has as many resources as it says', async () => {
  const { workspace } = await open(projectOf(270));
  expect(await workspace.validate()).toMatchObject({
    exit: 0,
    stdout: 'roster.yaml is valid: 270 resources.\n',
    stderr: '',
  });
});

it('has several files, every kind, both types of repeated timing, and several time zones', () => {
  const { files, seed } = projectOf(270);
  expect(Object.keys(files)).toEqual(['roster.yaml', 'teams/000.yaml', 'teams/001.yaml']);
  expect([seed.groups, seed.pipelines, seed.schedules, seed.keys].map((each) => each?.length)).toEqual([
    108, 27, 134, 1,
  ]);
  const values = (field: 'timeZoneId' | 'scheduleType') =>
    new Set(seed.schedules?.map((each) => each[field]));
  expect(values('scheduleType')).toEqual(new Set(['Basic', 'Cron']));
  expect(values('timeZoneId').size).toBe(5);
});

it('its plan against its own seed changes nothing', async () => {
  const { sandbox, workspace } = await open(projectOf(270));
  const { changes } = await workspace.planJson();
  expect(new Set(changes.map(({ action }) => action))).toEqual(new Set(['adopt']));
  expect(await workspace.apply()).toMatchObject({ exit: 0 });
  expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  const after = await workspace.planJson();
  expect(after).toMatchObject({ exit: 0, changes: [] });
});

it('without a key, an apply creates all of it', async () => {
  const { files, seed } = projectOf(20, { hasKey: false });
  const { workspace } = await open({ files, seed: { agents: seed.agents ?? [] } });
  expect((await workspace.apply()).stdout).toContain('Apply complete: 20 created');
});
