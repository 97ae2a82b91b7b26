import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse as parseInventory } from '../../src/inventory/format.js';
import { kinds } from '../../src/kinds/index.js';
import { loadProject } from '../../src/manifest/load.js';
import { suggest } from '../../src/manifest/suggest.js';
import type { Observed } from '../../src/model/resource.js';
import { compare, type Planned, plan } from '../../src/reconcile/plan.js';
import { agentLookup } from '../../src/reconcile/references.js';
import type { Match } from '../../src/reconcile/world.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { runs } from '../support/size.js';
import { basisWith } from '../support/small-world.js';
import {
  agentId,
  worldAgents as agents,
  inventoryText,
  isHidden,
  manifestText,
  type RandomWorld,
  randomWorld,
  seedOf,
  startTime,
} from '../support/worlds.js';

const options = { numRuns: runs(10, 1_000) };

/** What roster sees: the lists, and the hidden groups that it reads by id because the inventory knows them. */
function objectsOf(world: RandomWorld, order: <T>(list: readonly T[]) => T[]): Map<string, Observed[]> {
  const wanted = new Set([
    ...Object.values(world.owned),
    ...Object.values(world.manifest.groups).flatMap((each) => each.id ?? []),
  ]);
  const groups = world.groups
    .filter((each) => !isHidden(each) || wanted.has(each.id))
    .map(({ id, name, canManage, members }) => ({
      id,
      name,
      description: '',
      isActive: true,
      canManage,
      memberCount: members.length,
      members: members.map((each) => ({ scraperAgentId: agentId(each), externalAgentId: each })),
    }));
  const schedules = world.schedules.map(({ id, target, hours, inputs }) => ({
    id,
    targetType: 'Agent',
    targetId: agentId(target),
    scheduleType: 'Basic',
    intervalValue: hours,
    intervalUnit: 'Hours',
    cronExpression: null,
    startTime,
    timeZoneId: 'UTC',
    inputParameters: JSON.stringify(inputs),
    isEnabled: true,
    status: 'Waiting',
  }));
  const items: Record<string, readonly object[]> = { group: groups, schedule: schedules };
  return new Map(
    kinds.map((kind) => [kind.name, order(items[kind.name] ?? []).map((item) => kind.list().parse(item))]),
  );
}

type Made = Planned & { readonly matches: readonly Match[] };

function planOf(world: RandomWorld, order: <T>(list: readonly T[]) => T[] = (list) => [...list]): Made {
  const manifest = {
    groups: Object.fromEntries(order(Object.entries(world.manifest.groups))),
    schedules: Object.fromEntries(order(Object.entries(world.manifest.schedules))),
  };
  const workspace = new Workspace(
    { 'roster.yaml': manifestText({ ...world, manifest }) },
    { url: '', apiKey: '' },
  );
  const { project, diagnostics } = loadProject({ cwd: workspace.root, environment: null, env: {}, kinds });
  if (project === null) return { matches: [], plan: null, diagnostics };
  const comparison = compare(
    basisWith({
      project,
      agents: agentLookup(order(agents), suggest),
      objects: objectsOf(world, order),
      inventory: parseInventory(inventoryText(world), 'i'),
      prune: world.prune,
      allow: {
        deletes: 99,
        selfRevoke: false,
        empty: true,
        accountChange: true,
        staleCheckout: true,
        editedInventory: true,
        exposedKey: true,
        policies: [],
        policyReason: null,
      },
    }),
  );
  return { matches: comparison.matches, ...plan(comparison) };
}

/** The ids of the objects, by what a plan may do to them. */
function rights(world: RandomWorld) {
  const ownedIds = new Set(Object.values(world.owned));
  const nameOf = (key: string, name?: string) => name ?? key;
  const managed = Object.entries(world.manifest.groups).filter(([, each]) => each.external !== true);
  const bound = new Set(managed.flatMap(([, each]) => each.id ?? []));
  const wantedNames = new Set(managed.map(([key, each]) => nameOf(key, each.name)));
  const operators = new Set(world.groups.filter((each) => !each.canManage).map((each) => each.id));
  const adoptable = new Set([
    ...world.groups.filter((each) => wantedNames.has(each.name) && !isHidden(each)).map((each) => each.id),
    ...world.schedules
      .filter((each) =>
        Object.values(world.manifest.schedules).some(
          ({ target, every }) => target === `agent/${each.target}` && every === `${each.hours} hours`,
        ),
      )
      .map((each) => each.id),
  ]);
  const all = [...world.groups, ...world.schedules].map((each) => each.id);
  return { ownedIds, bound, operators, adoptable, all };
}

/** Ids that the steps of a plan write to. */
function touched({ plan }: Made): string[] {
  const id = /[0-9a-f]{8}-0000-4000-8000-\d{12}/g;
  return (plan?.steps ?? []).flatMap(({ request }) => {
    const bulk = request.path.includes('/bulk/') ? JSON.stringify(request.body) : '';
    return [...(request.path.match(id) ?? []), ...(bulk.match(id) ?? [])];
  });
}

describe('partly foreign world', () => {
  test('a plan touches no object that is not provably ours', () => {
    fc.assert(
      fc.property(randomWorld, (world) => {
        const made = planOf(world);
        const { ownedIds, bound, operators, adoptable, all } = rights(world);
        for (const id of touched(made)) {
          expect(all).toContain(id);
          expect(operators).not.toContain(id);
          const ours = ownedIds.has(id) || bound.has(id) || adoptable.has(id);
          expect(ours || world.prune === 'all').toBe(true);
        }
      }),
      options,
    );
  });

  test('a plan deletes exactly the objects that `prune` selects', () => {
    fc.assert(
      fc.property(randomWorld, (world) => {
        const { plan } = planOf(world);
        if (plan === null) return;
        const { ownedIds, operators, all } = rights(world);
        const kept = new Set(plan.changes.filter((each) => each.action !== 'delete').map((each) => each.id));
        const external = Object.entries(world.manifest.groups).flatMap(([key, each]) =>
          each.external === true ? [each.name ?? key] : [],
        );
        const lookedUp = new Set(
          world.groups
            .filter((each) => external.includes(each.name) && !isHidden(each))
            .map((each) => each.id),
        );
        const hidden = new Set(world.groups.filter(isHidden).map((each) => each.id));
        const expected = all.filter((id) => {
          if (world.prune === 'never' || kept.has(id) || operators.has(id) || lookedUp.has(id)) return false;
          return ownedIds.has(id) || (world.prune === 'all' && !hidden.has(id));
        });
        const deleted = plan.changes.flatMap((each) => (each.action === 'delete' ? [each.id] : []));
        expect(deleted.sort()).toEqual(expected.sort());
      }),
      options,
    );
  });

  test('each entry is matched with its own object, by one of the rules', () => {
    fc.assert(
      fc.property(randomWorld, (world) => {
        const { matches, plan } = planOf(world);
        if (plan === null) return;
        const ids = matches.flatMap(({ entry, observed }) => (entry === null ? [] : (observed?.id ?? [])));
        expect(new Set(ids).size).toBe(ids.length);
        for (const { entry, observed, rule, address, kind } of matches) {
          if (entry === null || observed === null) continue;
          if (rule === 'id') expect(observed.id).toBe(entry.id);
          if (rule === 'inventory') expect(observed.id).toBe(world.owned[address]);
          if (rule === 'natural-key')
            expect(kind.identity.ofObserved(observed)).toBe(kind.identity.of(entry.spec));
          if (rule === 'likeness') expect(world.prune).toBe('all');
          // The inventory comes before the name, and `id:` before both.
          if (entry.id === null && observed.id !== world.owned[address])
            expect(
              matches.some(
                (each) => each.observed?.id === world.owned[address] && each.address !== address,
              ) || !exists(world, world.owned[address]),
            ).toBe(true);
        }
      }),
      options,
    );
  });

  test('the order of entries and objects changes neither the digest nor the steps', () => {
    fc.assert(
      fc.property(randomWorld, fc.integer({ min: 1, max: 1e9 }), (world, seed) => {
        const made = planOf(world);
        const other = planOf(world, (list) => shuffled(list, seed));
        expect(other.plan?.digest).toBe(made.plan?.digest);
        expect(other.plan?.steps.length).toBe(made.plan?.steps.length);
      }),
      options,
    );
  });

  test('the starts of the agents that change add up to the difference of the totals', () => {
    fc.assert(
      fc.property(randomWorld, (world) => {
        const { plan } = planOf(world);
        if (plan === null) return;
        const { before, after, unknown } = plan.startsPerWeek;
        expect(unknown).toEqual({ before: 0, after: 0 });
        const sum = plan.startsByAgent.reduce((all, each) => all + each.after - each.before, 0);
        // Each number is rounded to two decimal places.
        expect(Math.abs(sum - (after - before))).toBeLessThan(0.01 * (plan.startsByAgent.length + 1));
      }),
      options,
    );
  });
});

function exists(world: RandomWorld, id: string | undefined): boolean {
  return [...world.groups, ...world.schedules].some((each) => each.id === id);
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  let state = seed;
  const keyed = list.map((each) => {
    state = (state * 48_271) % 2_147_483_647;
    return [state, each] as const;
  });
  return keyed.sort(([a], [b]) => a - b).map(([, each]) => each);
}

test('an apply leaves foreign objects unchanged, byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(randomWorld, async (world) => {
      const sandbox = await startSandbox({ seed: seedOf(world) });
      const files = { 'roster.yaml': manifestText(world), 'roster.inventory.json': inventoryText(world) };
      const workspace = new Workspace(files, sandbox);
      workspace.sleep = () => new Promise((done) => setImmediate(done));
      const { ownedIds, bound, operators, adoptable } = rights(world);
      const foreign = () =>
        [...sandbox.world.groups.values(), ...sandbox.world.schedules.values()]
          .filter((each) => operators.has(each.id) || isForeign(each.id))
          .map((each) => JSON.stringify(each));
      const isForeign = (id: string) =>
        world.prune !== 'all' && !ownedIds.has(id) && !bound.has(id) && !adoptable.has(id);
      const known = new Set([...sandbox.world.groups.keys(), ...sandbox.world.schedules.keys()]);
      const before = foreign();
      const flags = { allowDeletes: '99', allowEmpty: true, allowAccountChange: true };
      const first = await workspace.apply(flags);
      const after = foreign().filter((each) => known.has(JSON.parse(each).id));
      expect(after).toEqual(before);
      if (first.exit === 0) expect((await workspace.planJson(flags)).changes).toEqual([]);
      await sandbox.close();
    }),
    { numRuns: runs(2, 20) },
  );
});
