import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parseSeed, type Sandbox } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const ids = ['bbbbbbbb-0000-4000-8000-000000000000', 'bbbbbbbb-0000-4000-8000-000000000001'] as const;
const seed = parseSeed(
  JSON.stringify({
    agents: [{ externalAgentId: 'acme', name: 'acme' }],
    groups: ids.map((id) => ({ id, name: 'Shops', members: ['acme'] })),
  }),
);
const manifest = `project: p
groups:
  one: { name: Shops, id: ${ids[0]}, members: [acme] }
  two: { name: Shops, id: ${ids[1]}, members: [acme] }
  other: { description: old, members: [acme] }
schedules:
  s: { target: group/one, every: 6 hours, startTime: 2099-01-01T00:00:00 }
`;

let sandbox: Sandbox;
let workspace: Workspace;
/** Applied; then somebody deletes an object that an entry is bound to, and changes others. */
beforeEach(async () => {
  sandbox = await startSandbox({ seed });
  workspace = new Workspace({ 'roster.yaml': manifest }, sandbox);
  expect((await workspace.apply()).exit).toBe(0);
  sandbox.world.groups.delete(ids[0]);
  for (const each of sandbox.world.groups.values()) if (each.name === 'other') each.description = 'new';
  for (const each of sandbox.world.schedules.values()) each.intervalValue = 7;
});

const json = async (...words: string[]) => {
  const { exit, stdout } = await workspace.command([...words, '--format', 'json']);
  const value = jsonOf({ stdout });
  const said = value.diagnostics.map(({ severity, code }: Record<string, string>) => `${severity} ${code}`);
  return { exit, value, said };
};

test('an entry whose object is gone is deleted drift, beside the other drift', async () => {
  const { exit, value, said } = await json('drift');
  const changes = value.changes.map(({ address, what }: Record<string, string>) => [address, what]);
  expect([exit, changes]).toEqual([
    2,
    [
      ['group/one', 'deleted'],
      ['group/other', 'changed'],
      ['schedule/s', 'changed'],
    ],
  ]);
  expect(said).toEqual(['warning unknown-id']);
});

test('the rest is listed, with its ids', async () => {
  const { exit, value, said } = await json('list', 'groups');
  const objects = value.groups.map(({ address, id }: Record<string, string>) => [address, id]);
  expect(exit).toBe(0);
  expect(objects).toContainEqual(['group/two', ids[1]]);
  expect(said).toEqual(['warning unknown-id']);
});

test('other values are written back, and what is new is imported', async () => {
  const [first] = sandbox.world.groups.values();
  const id = 'bbbbbbbb-0000-4000-8000-000000000002';
  if (first !== undefined) sandbox.world.groups.set(id, { ...first, id, name: 'New' });
  const { exit, value, said } = await json('pull', 'group/*', 'schedule/*', '--yes');
  expect([exit, said]).toEqual([0, ['warning unknown-id']]);
  expect(value.imported.map(({ address }: { address: string }) => address)).toEqual(['group/new']);
  const text = readFileSync(join(workspace.root, 'roster.yaml'), 'utf8');
  expect(text).toContain(manifest.split('schedules:')[0]?.replace('project: p\n', '').replace('old', 'new'));
  expect(text).toContain('every: 7 hours');
  const named = await json('pull', 'group/one');
  expect([named.exit, named.said]).toEqual([1, ['error not-written-back']]);
});

test('a plan and a run name the entry, and change nothing', async () => {
  const { exit, said } = await json('plan');
  expect([exit, said]).toEqual([1, ['error unknown-id']]);
  const run = await json('run', 'group/one');
  expect([run.exit, run.said]).toEqual([1, ['error unknown-id']]);
  const before = sandbox.requests.length;
  expect((await workspace.command(['apply', '--yes'])).exit).toBe(1);
  expect(sandbox.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('an entry that was bound to another id since is no drift', async () => {
  const bound = (id: string) => manifest.replace(ids[1], id);
  workspace.write('roster.yaml', bound('bbbbbbbb-0000-4000-8000-000000000009').replace(/ {2}one: .*\n/, ''));
  workspace.write(
    'roster.yaml',
    readFileSync(join(workspace.root, 'roster.yaml'), 'utf8').replace('group/one', 'group/two'),
  );
  const { value } = await json('drift');
  const deleted = value.changes.filter(({ what }: { what: string }) => what === 'deleted');
  expect(deleted.map(({ address }: { address: string }) => address)).toEqual(['group/one']);
});
