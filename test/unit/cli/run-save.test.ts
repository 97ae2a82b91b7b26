import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { jsonOf } from '../../support/json.js';
import { agentsWith, type RunWorld, runWorld } from '../../support/runs.js';

let world: RunWorld;
const FAILS = [{ seconds: 3, result: 'fail', message: 'No.' }] as const;
beforeEach(async () => {
  world = await runWorld(agentsWith({ globex: [...FAILS], initech: [{ seconds: 40, records: 2 }] }));
});
afterEach(() => world.close());

/** Milliseconds. On a busy machine, everything is slow. */
const SLOWEST = 60_000;
const files = (folder = 'out') => readdirSync(join(world.workspace.root, folder)).sort();

describe('run --save', () => {
  test('downloads what succeeded, and the exit code stays that of the run', async () => {
    const { exit, stderr } = await world.run('run group/shops --save out');
    expect(exit).toBe(5);
    expect(files()).toEqual([
      expect.stringMatching(/^acme-shop-20261201T\d{6}Z\.csv$/),
      expect.stringMatching(/^initech-20261201T\d{6}Z\.csv$/),
    ]);
    expect(stderr).toMatch(/saved out\/acme-shop-.*csv \(\d+ bytes\)/);
  });

  test('downloads a member while others are still running', async () => {
    const { sleep } = world.workspace;
    const { jobs } = world.sandbox.world;
    world.workspace.sleep = async (milliseconds) => {
      const hasData = [...jobs.values()].some(({ datasetId }) => datasetId !== null);
      await sleep?.(milliseconds);
      // Simulated seconds leave a download no time.
      const saved = expect.arrayContaining([expect.stringMatching(/^acme-shop-.*\.csv$/)]);
      if (hasData) await vi.waitFor(() => expect(files()).toEqual(saved), SLOWEST);
    };
    const { stderr } = await world.run('run group/shops --save out');
    expect(stderr.indexOf('saved out/acme-shop')).toBeLessThan(
      stderr.indexOf('agent/initech of group/shops succeeded'),
    );
  });

  test('a download that the service refuses ends in 5, and one that breaks in 3', async () => {
    world.sandbox.faults.faults = [{ act: 'status', path: '*/export', status: 402, body: '{}' }];
    const unpaid = await world.json('run agent/acme-shop --save out');
    expect([unpaid.exit, unpaid.codes]).toEqual([5, ['data-unavailable']]);
    expect(jsonOf(unpaid).saved).toMatchObject([{ agent: 'agent/acme-shop', outcome: 'unpaid' }]);
    world.sandbox.faults.faults = [{ act: 'cut', path: '*/export' }];
    expect((await world.json('run agent/acme-shop --save out')).exit).toBe(3);
    expect(files()).toEqual([]);
  });

  test('a folder that cannot be written is an error, and nothing is started', async () => {
    writeFileSync(join(world.workspace.root, 'out'), 'a file');
    expect((await world.run('run agent/acme-shop --save out')).exit).toBe(1);
    expect(world.starts).toBe(0);
  });

  test.each(['--detach', '--format json', '--format junit'])(
    '- with %s is refused, and nothing is started',
    async (flags) => {
      const { exit } = await world.run(`run agent/acme-shop --save - ${flags}`);
      expect([exit, world.starts]).toEqual([1, 0]);
    },
  );

  test('- prints the records of each member with its agent as it finishes, and nothing else on stdout', async () => {
    const { exit, stdout, stderr } = await world.run('run group/shops -i country=FR --save -');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const agents = lines.map(({ agent }) => agent);
    expect(agents).toEqual([...Array(5).fill('agent/acme-shop'), ...Array(2).fill('agent/initech')]);
    expect(Object.keys(lines[0].record)).toContain('price');
    expect([exit, stderr]).toEqual([5, expect.stringContaining('Run failed: 2 succeeded, 1 failed.')]);
  });
});
