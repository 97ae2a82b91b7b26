import { expect, test } from 'vitest';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** Too short to be found in any text: only what never puts it there keeps it out. */
const secret = 'Zq7';

test('secrets: a description from the environment does not appear in the report of a remaining or deleted object', async () => {
  const sandbox = await startSandbox();
  const manifest = (groups: object) => JSON.stringify({ project: 's', groups });
  const other = { other: { members: ['globex'] } };
  const secretive = { g: { description: 'of ${env.S}', members: [] } };
  const workspace = new Workspace({ 'roster.yaml': manifest({ ...other, ...secretive }) }, sandbox);
  workspace.env['S'] = secret;
  expect((await workspace.apply()).exit).toBe(0);
  workspace.write('roster.yaml', manifest(other));
  delete workspace.env['S'];
  for (const prune of ['never', 'owned']) {
    const ran = await workspace.plan({ prune });
    expect([ran.exit, (ran.stdout + ran.stderr).includes(secret)]).toEqual([0, false]);
  }
});
