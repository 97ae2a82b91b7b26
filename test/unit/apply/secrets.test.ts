import { afterEach, expect, test } from 'vitest';
import { parseSeed, startSandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Too short to be replaced in the output: only what never puts it there keeps it out. */
const secret = 'Zq7';

const twice = { name: secret, members: ['acme-shop'] };

test.each([
  ['an agent', { groups: { g: { members: ['${env.S}'] } } }, {}],
  ['the name of an external object', { groups: { g: { name: '${env.S}', external: true } } }, {}],
  [
    'a name that two objects have',
    { groups: { g: { name: '${env.S}', members: [] } } },
    { groups: [twice, twice] },
  ],
  ['an id', { groups: { g: { id: '${env.S}', members: [] } } }, {}],
  ['a command', { keys: { k: { scopes: 'full', deliver: { command: ['${env.S}'] } } } }, {}],
])('secrets: %s from the environment does not appear in its error message', async (_, manifest, seed) => {
  const sandbox = await startSandbox({ seed: parseSeed(JSON.stringify(seed)) });
  const workspace = new Workspace({ 'roster.yaml': JSON.stringify({ project: 's', ...manifest }) }, sandbox);
  cleanups.push(
    () => workspace.remove(),
    () => sandbox.close(),
  );
  workspace.env['S'] = secret;
  for (const format of ['text', 'json', 'markdown']) {
    const ran = await workspace.plan({ format, allowSelfRevoke: true });
    expect(ran.exit).toBeGreaterThan(0);
    expect(ran.stdout + ran.stderr).not.toContain(secret);
  }
});

test('secrets: a description from the environment does not appear in the report of a remaining object', async () => {
  const sandbox = await startSandbox();
  const manifest = (groups: object) => JSON.stringify({ project: 's', groups });
  const other = { other: { members: ['globex'] } };
  const workspace = new Workspace(
    { 'roster.yaml': manifest({ ...other, g: { description: '${env.S}', members: [] } }) },
    sandbox,
  );
  cleanups.push(
    () => workspace.remove(),
    () => sandbox.close(),
  );
  workspace.env['S'] = secret;
  expect((await workspace.apply()).exit).toBe(0);
  workspace.write('roster.yaml', manifest(other));
  delete workspace.env['S'];
  for (const prune of ['never', 'owned']) {
    const ran = await workspace.plan({ prune });
    expect([ran.exit, (ran.stdout + ran.stderr).includes(secret)]).toEqual([0, false]);
  }
});
