import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { roster } from '../support/program.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { inventoryText, manifestText, type RandomWorld, randomWorld, seedOf } from '../support/worlds.js';
import { experiments } from './support/experiments.js';
import { stateOf, writesTo } from './support/fixture.js';

/** I6: a plan changes nothing, neither on the service nor on disk. */

const worlds = fc.sample(randomWorld, { numRuns: 1_000, seed: 6 });
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

let planned = 0;
const tried = experiments(
  'I6',
  'plan: it changes nothing in random worlds',
  numbers(worlds.length),
  async (nth) => {
    const out = nth % 2 === 0;
    await expectUnchanged(worlds[nth], async (workspace) => {
      const flags = { allowDeletes: '99', allowEmpty: true, allowAccountChange: true };
      const { exit } = await workspace.plan({ ...flags, ...(out ? { out: 'p.plan' } : {}) });
      if (exit === 0) planned += 1;
      return { exit, made: out && exit === 0 ? ['p.plan'] : [] };
    });
  },
);

test('plan: most of the random worlds can be planned', () => {
  expect(planned).toBeGreaterThan(tried / 4);
});

experiments(
  'I6',
  'plan: the process changes no file, not even in the home and temporary folders',
  numbers(60),
  async (nth) => {
    await expectUnchanged(worlds[nth], async (workspace) => {
      const folders = ['home', 'tmp'].map((name) => join(workspace.root, name));
      for (const folder of folders) mkdirSync(folder);
      const [HOME = '', TMPDIR = ''] = folders;
      // Node's cache of compiled code holds nothing of a plan; test/cli/compile-cache.test.ts covers it.
      const node = { NODE_DISABLE_COMPILE_CACHE: '1', XDG_CACHE_HOME: HOME, XDG_CONFIG_HOME: HOME };
      const env = { ...workspace.env, ...node, HOME, TMPDIR };
      const args = ['plan', '--out', 'p.plan', '--write', 'markdown=p.md'];
      const { exit } = await roster(args, { cwd: workspace.root, env });
      return { exit, made: readdirSync(workspace.root).filter((name) => /^p\.(plan|md)$/.test(name)) };
    });
  },
  20,
);

/** Compares the service and the folder with their state before; `made` are the files that the flags ask for. */
async function expectUnchanged(
  world: RandomWorld | undefined,
  work: (workspace: Workspace) => Promise<{ exit: number | null; made: readonly string[] }>,
): Promise<void> {
  if (world === undefined) throw new Error('there is no such random world');
  const sandbox = await startSandbox({ seed: seedOf(world) });
  const files = { 'roster.yaml': manifestText(world), 'roster.inventory.json': inventoryText(world) };
  const workspace = new Workspace(files, sandbox);
  try {
    const before = stateOf(sandbox);
    const { exit, made } = await work(workspace);
    expect([0, 1, 4]).toContain(exit);
    expect(writesTo(sandbox)).toEqual([]);
    expect(stateOf(sandbox)).toBe(before);
    expect(filesOf(workspace.root).filter(([name]) => !made.includes(name))).toEqual(
      Object.entries(files).sort(),
    );
  } finally {
    await sandbox.close();
  }
}

function filesOf(root: string): (readonly [string, string])[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => [each.name, readFileSync(join(each.parentPath, each.name), 'utf8')] as const)
    .sort();
}
