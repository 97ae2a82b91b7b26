import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseSeed, type Sandbox, type Seed } from '../../../src/sandbox/index.js';
import { formatText } from '../../../src/yaml/format/format.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox, VARIANTS, type Variant } from '../../support/sandbox.js';
import { isLong, runs, sampleOf } from '../../support/size.js';
import { randomWorld, seedOf } from '../../support/worlds.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function arrange(seed: Seed, variants: readonly Variant[] = [], manifest = 'project: imported\n') {
  const sandbox = await startSandbox({ seed, variants });
  const workspace = new Workspace({ 'roster.yaml': manifest }, sandbox);
  cleanups.push(
    () => workspace.remove(),
    () => sandbox.close(),
  );
  return { sandbox, workspace };
}

const writesOf = ({ requests }: Sandbox) =>
  requests.filter(({ method, path }) => method !== 'GET' && !path.startsWith('/api/schedules/preview'));

const read = ({ root }: Workspace, path: string) => readFileSync(join(root, path), 'utf8');

/** Law 6: after a pull, the plan only adopts and has no calls; after an apply, it is empty. */
async function pullsCleanly(seed: Seed, variants: readonly Variant[] = [], manifest?: string) {
  const { sandbox, workspace } = await arrange(seed, variants, manifest);
  const pulled = await workspace.command(['pull', '--yes', '--format', 'json']);
  const { files, imported, diagnostics } = JSON.parse(pulled.stdout);
  const plan = await workspace.planJson({});
  expect(
    plan.diagnostics.filter(({ severity, code }) => severity === 'error' && code !== 'empty-project'),
  ).toEqual([]);
  expect(plan.changes.map(({ address, action, calls }) => [address, action, calls.length])).toEqual(
    plan.changes.map(({ address }) => [address, 'adopt', 0]),
  );
  expect(plan.changes.length).toBe(
    imported.filter(({ external }: { external: boolean }) => !external).length,
  );
  for (const { path } of files)
    if (path !== 'roster.yaml') expect(read(workspace, path)).toBe(formatText(read(workspace, path)));
  expect((await workspace.apply({ allowEmpty: true })).exit).toBe(0);
  expect((await workspace.planJson({ allowEmpty: true })).changes).toEqual([]);
  expect(writesOf(sandbox)).toEqual([]);
  const again = await workspace.command(['pull', '--format', 'json']);
  expect(JSON.parse(again.stdout).files).toEqual([]);
  return { sandbox, workspace, imported, diagnostics, plan };
}

describe('law 6: a plan after a pull only adopts, and is empty after an apply', () => {
  const folder = new URL('../../cases/', import.meta.url).pathname;
  const cases = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml') && !name.startsWith('diagnostics'))
    .map(
      (name) =>
        [
          name,
          parse(readFileSync(join(folder, name), 'utf8')) as { seed?: object; manifest: string },
        ] as const,
    )
    .filter(([, { seed }]) => seed !== undefined);

  test.each(sampleOf(cases, 10))('with what exists in the case %s', async (_, { seed = {}, manifest }) => {
    const scopes = /^scopes:.*$/m.exec(manifest)?.[0] ?? '';
    const world = parseSeed(JSON.stringify(seed));
    const { diagnostics } = await pullsCleanly(world, [], `project: imported\n${scopes}\n`);
    expect(diagnostics).toEqual([]);
  });

  const variants = Object.keys(VARIANTS) as Variant[];
  test('with random worlds, in every shape that the service may have', { timeout: 600_000 }, async () => {
    const shape = fc.oneof(fc.constant([]), fc.shuffledSubarray(variants, { minLength: 1, maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(randomWorld, shape, async (world, shapes) => {
        await pullsCleanly(seedOf(world), shapes);
        for (const cleanup of cleanups.splice(0)) await cleanup();
      }),
      { numRuns: runs(8, 300), endOnFailure: !isLong },
    );
  });
});
