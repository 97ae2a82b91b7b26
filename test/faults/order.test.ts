import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Sandbox, World } from '../../src/sandbox/index.js';
import { projectData } from '../support/projects.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { tally, times } from './support/experiments.js';

/** I10: wherever a run is cut off, the objects on the service are consistent. Every state between two requests is checked. */

const runs = times(1_000);

test('I10: order: random projects are consistent after each of their requests', {
  timeout: runs * 5_000,
}, async () => {
  let states = 0;
  let [tried, passed] = [0, 0];
  await fc
    .assert(
      fc.asyncProperty(projectData, projectData, async (first, second) => {
        tried += 1;
        const sandbox = await startSandbox();
        const workspace = new Workspace({}, sandbox);
        try {
          await applyProject(workspace, { ...first, keys: {} });
          const seen: State[] = [stateOf(sandbox.world)];
          watch(sandbox, seen);
          await applyProject(workspace, { ...second, keys: {} });
          for (const state of seen) expect(inconsistenciesIn(state, seen)).toEqual([]);
          states += seen.length;
          passed += 1;
        } finally {
          await sandbox.close();
        }
      }),
      { numRuns: runs, endOnFailure: process.env['CI'] !== undefined },
    )
    .finally(() =>
      tally('I10', 'order: random projects are consistent after each of their requests', tried, passed),
    );
  expect(states).toBeGreaterThan(runs * 3);
});

async function applyProject(workspace: Workspace, project: object): Promise<void> {
  workspace.write('roster.yaml', stringify(project));
  const ran = await workspace.apply({ allowDeletes: '100', allowEmpty: true });
  expect([ran.exit, ran.exit === 0 ? '' : ran.stdout + ran.stderr]).toEqual([0, '']);
}

interface State {
  readonly targets: ReadonlyMap<string, boolean>;
  readonly schedules: readonly {
    readonly id: string;
    readonly target: string;
    readonly enabled: boolean;
    readonly text: string;
  }[];
}

function stateOf(world: World): State {
  const collections = [...world.groups.values(), ...world.pipelines.values()];
  return {
    targets: new Map([
      ...[...world.agents.values()].map(({ id }) => [id, true] as const),
      ...collections.map(({ id, isActive }) => [id, isActive] as const),
    ]),
    schedules: [...world.schedules.values()].map(({ id, ...rest }) => ({
      id,
      target: rest.targetId,
      enabled: rest.isEnabled,
      text: JSON.stringify(rest),
    })),
  };
}

function watch(sandbox: Sandbox, seen: State[]): void {
  sandbox.faults.intercept = async ({ method }, handle) => {
    await handle();
    if (method !== 'GET') seen.push(stateOf(sandbox.world));
  };
}

function inconsistenciesIn({ targets, schedules }: State, seen: readonly State[]): string[] {
  const [before, after] = [seen[0], seen.at(-1)];
  const targetsBefore = new Set(before?.schedules.map((each) => `${each.id} ${each.target}`));
  const texts = new Map<string, string>();
  return schedules.flatMap(({ id, target, enabled, text }) => {
    const duplicateOf = texts.get(text);
    texts.set(text, id);
    const isNew = !targetsBefore.has(`${id} ${target}`);
    const becomesInactive = after?.targets.get(target) === false && targets.get(target) === true;
    return [
      ...(targets.has(target) ? [] : [`${id} points to ${target}, which does not exist`]),
      ...(isNew && enabled && becomesInactive
        ? [`${id} starts ${target}, which the project makes inactive`]
        : []),
      ...(duplicateOf === undefined ? [] : [`${id} is a duplicate of ${duplicateOf}`]),
    ];
  });
}
