import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from '../../src/inventory/format.js';
import type { Sandbox } from '../../src/sandbox/index.js';
import type { Scenario } from '../faults/support/scenarios.js';
import { withTakeOver } from '../faults/support/takeover.js';
import { type Ended, start } from '../support/program.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';

const at = 'startTime: 2099-01-01T06:00:00';
const manifest = `project: holds
schedules:
  a: { target: agent/acme-shop, every: 1 hour, ${at} }
  b: { target: agent/globex, every: 2 hours, ${at} }
`;
const scenario: Scenario = { name: 'holds', before: manifest, manifest };

/** Of each schedule of the inventory: why it is on hold, and whether it is enabled. */
function statesOf(root: string, { world }: Sandbox): Record<string, [string | null, boolean | undefined]> {
  const { entries } = parse(readFileSync(join(root, 'roster.inventory.json'), 'utf8'), 'the inventory');
  return Object.fromEntries(
    [...entries].map(([address, { id, hold }]) => [
      address,
      [hold?.reason ?? null, world.schedules.get(id ?? '')?.isEnabled],
    ]),
  );
}

const hold = (reason: string, ...what: string[]) => ['hold', ...what, '--reason', reason, '--yes'];
const writesIn = (after: readonly string[]) => after.filter((each) => !each.startsWith('GET'));

test('a hold that wakes up after a resume took its lock pauses nothing, and records nothing', async () => {
  const commands = { first: hold('first', '--all'), second: ['resume', '--all', '--yes'] };
  await withTakeOver(scenario, { nth: 'write', act: 'lost', commands }, async (seen) => {
    const { sandbox, root, first, after, stopped } = seen;
    expect([stopped, first.exit, writesIn(after)]).toEqual([true, 3, []]);
    expect(first.stdout + first.stderr).toContain('may have lost the lock');
    expect(statesOf(root, sandbox)).toEqual({ 'schedule/a': [null, true], 'schedule/b': [null, true] });
  });
});

test('a hold that wakes up after another hold took its lock leaves the reason of the other one', async () => {
  const commands = { first: hold('first', '--all'), second: hold('second', '--all') };
  await withTakeOver(scenario, { nth: 'write', act: 'lost', commands }, async (seen) => {
    const { sandbox, root, first, after } = seen;
    expect([first.exit, writesIn(after)]).toEqual([3, []]);
    expect(statesOf(root, sandbox)).toEqual({
      'schedule/a': ['second', false],
      'schedule/b': ['second', false],
    });
  });
});

test('a pause that arrives after another run took the lock is a difference that the next apply undoes', async () => {
  const commands = { first: hold('first', '--all'), second: ['resume', '--all', '--yes'] };
  await withTakeOver(scenario, { nth: 'write', act: 'late', commands }, async (seen) => {
    const { sandbox, root, first, after, apply } = seen;
    expect([first.exit, writesIn(after)]).toEqual([3, []]);
    expect((await apply()).exit).toBe(0);
    expect(statesOf(root, sandbox)).toEqual({ 'schedule/a': [null, true], 'schedule/b': [null, true] });
  });
});

/** Both runs have read everything before either one of them goes on. */
async function atOnce(
  sandbox: Sandbox,
  run: (words: readonly string[]) => Promise<Ended>,
  lines: string[][],
) {
  const waiting: (() => void)[] = [];
  let arrived = 0;
  sandbox.faults.intercept = async (request, next) => {
    if (request.method !== 'GET' || request.path !== '/api/schedules' || arrived >= lines.length)
      return next();
    arrived += 1;
    if (arrived === lines.length) for (const go of waiting.splice(0)) go();
    else await new Promise<void>((go) => void waiting.push(go));
    return next();
  };
  return Promise.all(lines.map((words) => run(words)));
}

test.each([
  ['of different schedules', ['schedule/a'], ['schedule/b']],
  ['of the same schedules', ['--all'], ['--all']],
])('two concurrent holds %s: each ends as it says, and what is paused is recorded', async (_, one, other) => {
  const sandbox = await startSandbox();
  const workspace = new Workspace({ 'roster.yaml': manifest }, sandbox);
  try {
    expect((await workspace.apply()).exit).toBe(0);
    const run = (words: readonly string[]) => start(words, { cwd: workspace.root, env: workspace.env }).ended;
    const lines = [hold('one', ...one), hold('other', ...other)];
    const ended = await atOnce(sandbox, run, lines);
    const done = ended.map(({ exit }) => exit === 0);
    // Refused, the other one has changed nothing: the lock or the inventory is no longer what it read.
    expect(ended.map(({ exit }) => exit)).toEqual(
      done.map((isDone) => (isDone ? 0 : expect.toBeOneOf([1, 4]))),
    );
    expect(done).toContain(true);
    for (const [reason, enabled] of Object.values(statesOf(workspace.root, sandbox)))
      expect(enabled).toBe(reason === null);
    for (const words of lines) expect((await run(words)).exit).toBe(0);
    const last = Object.values(statesOf(workspace.root, sandbox));
    expect(last.map(([, enabled]) => enabled)).toEqual([false, false]);
    expect((await run(['resume', '--all', '--yes'])).exit).toBe(0);
    const resumed = Object.values(statesOf(workspace.root, sandbox));
    expect(resumed).toEqual([
      [null, true],
      [null, true],
    ]);
  } finally {
    await sandbox.close();
  }
});
