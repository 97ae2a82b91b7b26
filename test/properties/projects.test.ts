import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { defaultSeed, parseSeed, type Sandbox } from '../../src/sandbox/index.js';
import { type ProjectData, projectData } from '../support/projects.js';
import { Workspace } from '../support/roster.js';
import { startSandbox, VARIANTS, type Variant } from '../support/sandbox.js';
import { runs, sampleOf } from '../support/size.js';

/** Random projects for each variant. */
const projects = runs(1, 8);

/**
 * Interpretations of the interface under which an apply cannot succeed for some projects, with the reason. It must
 * then fail: it never exits with 0 while changes remain.
 */
const mayRefuse: Partial<Record<Variant, string>> = {
  'duplicate-names-refused': 'two objects cannot exchange their names',
  'frequent-refused': 'a schedule of every few minutes is refused',
  'cron-plain': 'a schedule whose cron expression has a ? is refused',
  'empty-refused': 'a group without members is refused',
  'keys-without-id': 'a key that is no longer declared cannot be revoked without its id',
  'key-prefix-constant': 'which key is the caller cannot be told',
  'scopes-absent': 'the scopes of a new key cannot be checked',
};

test.each(sampleOf(Object.keys(VARIANTS) as Variant[], 5))(
  'variant %s: after applying and editing random projects, the plan is empty',
  async (variant) => {
    const sandbox = await startSandbox({
      variants: [variant],
      seed: parseSeed(JSON.stringify(defaultSeed())),
    });
    const workspace = new Workspace({}, sandbox);
    workspace.sleep = () => new Promise((done) => setImmediate(done));
    await fc.assert(
      fc.asyncProperty(projectData, projectData, async (first, second) => {
        clear(sandbox, workspace);
        await converges(variant, sandbox, workspace, first);
        await converges(variant, sandbox, workspace, second);
      }),
      { numRuns: projects, endOnFailure: process.env['CI'] !== undefined },
    );
  },
);

async function converges(
  variant: Variant,
  sandbox: Sandbox,
  workspace: Workspace,
  project: ProjectData,
): Promise<void> {
  workspace.write('roster.yaml', stringify(project));
  rmSync(join(workspace.root, '.secrets'), { recursive: true, force: true });
  const flags = { allowDeletes: '100', allowSelfRevoke: true, allowEmpty: true, allowAccountChange: true };
  const applied = await workspace.apply(flags);
  goOnWithAKey(sandbox, workspace);
  if (variant in mayRefuse && applied.exit !== 0) return;
  // The whole output belongs to the failure: its last lines give the reason.
  expect([applied.exit, applied.exit === 0 ? '' : applied.stdout + applied.stderr]).toEqual([0, '']);
  const left = await workspace.planJson(flags);
  expect(left.changes).toEqual([]);
}

/** Continues with the newest key, or with the first one if the project dropped the newest. */
function goOnWithAKey(sandbox: Sandbox, workspace: Workspace): void {
  const { world } = sandbox;
  const active = [...world.keys.values()].filter((key) => !key.isRevoked);
  if (active.length === 0) {
    for (const key of world.keys.values()) if (key.name !== 'ci') key.isRevoked = false;
    world.apiKey = sandbox.apiKey;
  }
  workspace.env['ROSTER_API_KEY'] = world.apiKey;
}

/** The initial world: only agents and the first key. */
function clear(sandbox: Sandbox, workspace: Workspace): void {
  const { world } = sandbox;
  for (const map of [world.groups, world.pipelines, world.schedules]) map.clear();
  for (const [id, key] of world.keys) {
    if (key.name === 'ci') world.keys.delete(id);
    else key.isRevoked = false;
  }
  world.apiKey = sandbox.apiKey;
  workspace.env['ROSTER_API_KEY'] = sandbox.apiKey;
  rmSync(join(workspace.root, 'roster.inventory.json'), { force: true });
}
