import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { group } from '../../../src/kinds/group.js';
import { key } from '../../../src/kinds/key.js';
import { schedule } from '../../../src/kinds/schedule.js';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const manifest = `project: bug
groups:
  a: { members: [acme-shop] }
schedules:
  s: { target: group/a, every: 6 hours, startTime: 2099-01-01T06:00:00 }
`;

async function arrange(text = manifest): Promise<{ sandbox: Sandbox; workspace: Workspace }> {
  const sandbox = await startSandbox();
  const workspace = new Workspace({ 'roster.yaml': text }, sandbox);
  workspace.sleep = () => Promise.resolve();
  return { sandbox, workspace };
}

const inventoryOf = ({ root }: Workspace) => readFileSync(join(root, 'roster.inventory.json'), 'utf8');
const isLocked = ({ root }: Workspace) => existsSync(join(root, 'roster.inventory.json.lock'));
const bug = (): never => {
  throw new TypeError('a bug of the program');
};

/** The nth call, from 1, and all later ones throw. */
function throwFrom(nth: number, usual: (...args: never[]) => unknown): never {
  let calls = 0;
  const replaced = (...args: never[]) => {
    calls += 1;
    return calls < nth ? usual(...args) : bug();
  };
  return replaced as never;
}

test('a bug while an answer is read: the rest is done, and the next apply finds the object', async () => {
  const { sandbox, workspace } = await arrange();
  vi.spyOn(schedule, 'createdId').mockImplementation(bug);
  const ran = await workspace.applyJson();
  expect([ran.exit, ran.converged]).toEqual([3, false]);
  expect(ran.changes.map(({ address, outcome }) => `${address} ${outcome}`)).toEqual([
    'group/a done',
    'schedule/s unknown',
  ]);
  expect(isLocked(workspace)).toBe(false);
  vi.restoreAllMocks();
  expect((await workspace.apply()).exit).toBe(0);
  expect([sandbox.world.groups.size, sandbox.world.schedules.size]).toEqual([1, 1]);
});

test('a bug while the result is recorded: the ids are recorded all the same', async () => {
  const { sandbox, workspace } = await arrange();
  const { createdId } = schedule;
  // After the create is answered, nothing can be found out about the fields of a schedule.
  const { fields } = schedule;
  let broken = false;
  Object.defineProperty(schedule, 'fields', { configurable: true, get: () => (broken ? bug() : fields) });
  cleanups.push(() => Object.defineProperty(schedule, 'fields', { configurable: true, value: fields }));
  vi.spyOn(schedule, 'createdId').mockImplementation((data) => {
    broken = true;
    return createdId(data);
  });
  const ran = await workspace.apply();
  expect(ran.exit).toBe(3);
  expect(isLocked(workspace)).toBe(false);
  const [made] = sandbox.world.groups.values();
  expect(inventoryOf(workspace)).toContain(made?.id);
  broken = false;
  vi.restoreAllMocks();
  expect((await workspace.apply()).exit).toBe(0);
  expect(sandbox.world.schedules.size).toBe(1);
});

test('a bug in the verification: what was done is reported, with exit code 3', async () => {
  const { sandbox, workspace } = await arrange();
  // The plan reads the list once, the verification again.
  const { list } = group;
  vi.spyOn(group, 'list').mockImplementation(throwFrom(2, list));
  const ran = await workspace.applyJson();
  expect(ran.exit).toBe(3);
  expect(ran.changes.every(({ outcome }) => outcome === 'done')).toBe(true);
  const [made] = sandbox.world.schedules.values();
  expect(inventoryOf(workspace)).toContain(made?.id);
  vi.restoreAllMocks();
  expect((await workspace.apply()).exit).toBe(0);
});

test('a bug while a new key is delivered: the outcome is unknown, with exit code 3', async () => {
  const text = 'project: bug\nkeys:\n  ci: { scopes: [agents.run], deliver: { file: ci.key } }\n';
  const { workspace } = await arrange(text);
  if (key.secret === undefined) throw new Error('keys have a secret');
  vi.spyOn(key.secret, 'of').mockImplementation(bug);
  const ran = await workspace.applyJson({ allowSelfRevoke: true });
  expect([ran.exit, ran.changes[0]?.outcome]).toEqual([3, 'unknown']);
  expect([isLocked(workspace), ran.stdout.includes('nothing was changed')]).toEqual([false, false]);
});
