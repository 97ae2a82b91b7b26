import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jsonOf } from '../support/json.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';

function manifest(country: string): string {
  return `project: p
schedules:
  a:
    target: agent/acme-shop
    every: 6 hours
    startTime: "2999-12-01T06:00:00"
    inputs: { country: ${country}, query: "key-\${env.SHOP_KEY}" }
    ignore: [inputs.query]
`;
}

test('ignore: a value from the environment is set once, kept, and shown nowhere afterwards', async () => {
  const sandbox = await startSandbox({});
  const workspace = new Workspace({ 'roster.yaml': manifest('DE') }, sandbox);
  workspace.env['SHOP_KEY'] = 'first-secret';
  expect((await workspace.apply({ yes: true })).exit).toBe(0);
  const inputs = () => [...sandbox.world.schedules.values()].map((each) => JSON.parse(each.inputParameters));
  expect(inputs()).toEqual([{ country: 'DE', query: 'key-first-secret' }]);

  workspace.env['SHOP_KEY'] = 'second-secret';
  workspace.write('roster.yaml', manifest('FR'));
  const plan = await workspace.plan({ format: 'json' });
  expect(jsonOf(plan).changes).toMatchObject([{ action: 'update', fields: [{ path: 'inputs' }] }]);
  expect((await workspace.apply({ yes: true })).exit).toBe(0);
  expect(inputs()).toEqual([{ country: 'FR', query: 'key-first-secret' }]);
  expect((await workspace.planJson({})).changes).toEqual([]);

  const snapshot = await workspace.command(['snapshot', '--out', 'snapshot.json']);
  expect(snapshot.exit).toBe(0);
  const written = ['roster.inventory.json', 'snapshot.json'].map((name) =>
    readFileSync(join(workspace.root, name), 'utf8'),
  );
  const why = await workspace.command(['why', 'schedule/a']);
  const drift = await workspace.command(['drift', '--format', 'json']);
  for (const text of [...written, plan.stdout, why.stdout, drift.stdout])
    expect(text).not.toMatch(/first-secret|second-secret/);
  expect(jsonOf(drift).changes).toEqual([]);
});
