import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** An error that is not about what is planned drops no guard of the plan. */

const project = `project: prices
environments:
  live: {}
  bad: { service: { url: 7 } }
groups:
  good: { name: Good, members: [acme-shop] }
schedules:
  often: { target: group/good, every: 1 hour, startTime: "2099-12-01T06:00:00" }
`;
const withoutError = (text: string) => text.replace('url: 7', 'url: "https://bad.example.com"');

async function apply(text: string, address: string) {
  const sandbox = await startSandbox();
  const files = { 'roster.yaml': text, 'teams.live.yaml': 'pipelines: {}\n' };
  const workspace = new Workspace(files, sandbox);
  mkdirSync(join(workspace.root, 'elsewhere'));
  symlinkSync(join(workspace.root, 'elsewhere'), join(workspace.root, 'linked'));
  const objects = () => [sandbox.world.groups.size, sandbox.world.schedules.size];
  const before = objects();
  const { exit, both } = await workspace.command(['apply', '--yes', '-e', 'live', address]);
  return { exit, said: both.replace(/\s+/g, ' '), isUnchanged: objects().join() === before.join() };
}

test.each([
  { name: 'the limit of starts', setting: 'limits: { startsPerWeek: 1 }\n', exit: 4, why: 'too-many-runs' },
  {
    name: 'the limit of starts by its former name',
    setting: 'limits: { runsPerWeek: 1 }\n',
    exit: 4,
    why: 'too-many-runs',
  },
  {
    name: 'the check that no link leads to the inventory',
    setting: 'inventory: { file: linked/inventory.json }\n',
    exit: 1,
    why: 'the inventory cannot be "linked/inventory.live.json"',
  },
  {
    name: 'the check that the inventory is no manifest',
    setting: 'inventory: { file: teams.yaml }\ninclude: [teams.live.yaml]\n',
    exit: 1,
    why: '"teams.live.yaml" is a manifest of this project',
  },
])('an error in another environment does not drop $name', async ({ setting, exit, why }) => {
  for (const text of [withoutError(project), project]) {
    const applied = await apply(text + setting, 'schedule/often');
    expect([text, applied]).toEqual([text, { exit, said: expect.stringContaining(why), isUnchanged: true }]);
  }
});
