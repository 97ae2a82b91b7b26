import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { ApplyFlags } from '../../src/cli/apply.js';
import { defaultSeed, type SeedKey, startSandbox, type World } from '../../src/sandbox/index.js';
import { experiments } from './support/experiments.js';
import { expectRefused, review, ways } from './support/reviewing.js';
import { busy, scenarios } from './support/scenarios.js';
import { type Scene, stateOf, within } from './support/scene.js';

/** I8: what is applied is what was reviewed, told by its file (`--plan`) or by its digest (`--expect`). */

describe('the plan as it was reviewed', () => {
  const each = [...scenarios, busy].flatMap(({ name }) => ways.map((way) => ({ name, way })));
  experiments('I8', 'a plan as it was reviewed is applied', each, async ({ name, way }) => {
    const chosen = [...scenarios, busy].find((one) => one.name === name) ?? busy;
    await within(chosen, async (scene) => {
      expect(await scene.apply(await review(scene, way))).toMatchObject({ exit: 0 });
      await scene.expectDesired();
    });
  });
});

/** One thing that is different by the time of the apply, and what it is refused with. */
interface Difference {
  readonly make: (scene: Scene) => unknown;
  readonly codes?: string;
}

const manifest = (from: string | RegExp, to: string, codes = 'stale-plan'): Difference => ({
  codes,
  make: ({ workspace, scenario }) => {
    const changed = scenario.manifest.replace(from, to);
    expect(changed).not.toBe(scenario.manifest);
    workspace.write('roster.yaml', changed);
  },
});

const group = (world: World, name: string) => named(world.groups, name);
const pipeline = (world: World, name: string) => named(world.pipelines, name);
const live = (make: (world: World) => unknown, codes = 'stale-plan'): Difference => ({
  codes,
  make: ({ sandbox }) => make(sandbox.world),
});

function named<T extends { readonly name: string }>(records: ReadonlyMap<string, T>, name: string): T {
  const found = [...records.values()].find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

function schedule({ schedules }: World, type: 'Agent' | 'Group' | 'Pipeline') {
  const found = [...schedules.values()].find(
    (each) => each.targetType === type && each.timeZoneId === 'UTC' && each.intervalValue !== 3,
  );
  if (found === undefined) throw new Error(`there is no schedule of a ${type}`);
  return found;
}

const agent = (world: World, name: string) =>
  [...world.agents.values()].find((each) => each.externalAgentId === name)?.id ?? '';

const differences: Readonly<Record<string, Difference>> = {
  'manifest: a member more': manifest(
    'fresh: { members: [globex] }',
    'fresh: { members: [globex, initech] }',
  ),
  'manifest: another member': manifest('fresh: { members: [globex] }', 'fresh: { members: [acme-shop] }'),
  'manifest: a letter of a text': manifest('description: Other', 'description: Othes'),
  'manifest: stages in another order': manifest('[prices, catalogue]', '[catalogue, prices]'),
  'manifest: a name': manifest('fresh: { members:', 'fresh: { name: Fresh, members:'),
  'manifest: an entry more': manifest('pipelines:', '  more: { members: [] }\npipelines:'),
  'manifest: an entry less': manifest(/ {2}fresh: \{ members.*\n/, ''),
  'manifest: what was to go is back': manifest('pipelines:', '  gone: { members: [globex] }\npipelines:'),
  'manifest: another second': manifest(
    'fresh: { target: pipeline/fresh, every: 1 day, startTime: 2099-01-01T06:00:00',
    'fresh: { target: pipeline/fresh, every: 1 day, startTime: 2099-01-01T06:00:01',
  ),
  'manifest: another unit': manifest('pipeline/fresh, every: 1 day', 'pipeline/fresh, every: 1 week'),
  'manifest: another zone': manifest('every: 1 day,', 'every: 1 day, timeZone: Asia/Tokyo,'),
  'manifest: another target': manifest('target: pipeline/fresh', 'target: pipeline/kept'),
  'manifest: other inputs': manifest('country: FR', 'country: DE'),
  'manifest: paused': manifest('06:00:00 }\n', '06:00:00, enabled: false }\n'),
  'manifest: prune never': manifest('project: faults', 'project: faults\nprune: never'),
  'manifest: prune all': manifest(
    'project: faults',
    'project: faults\nprune: all',
    'too-many-deletes,stale-plan',
  ),
  'manifest: another project': manifest(
    'project: faults',
    'project: others',
    'schema|inventory-mismatch|stale-plan|unreadable-file',
  ),
  'manifest: broken': manifest('groups:', 'groups', 'yaml-syntax'),
  'live: a text that is to change': live((world) => {
    group(world, 'other').description = 'Own';
  }),
  'live: a text that was as declared': live((world) => {
    group(world, 'kept').description = 'Own';
  }),
  'live: the change is there already': live((world) => {
    group(world, 'other').description = 'Other';
  }),
  'live: a member more': live((world) => group(world, 'kept').agentIds.push(agent(world, 'initech'))),
  'live: a member less': live((world) => group(world, 'other').agentIds.pop()),
  'live: a member of what is to go': live((world) => group(world, 'gone').agentIds.pop()),
  'live: switched off': live((world) => {
    group(world, 'kept').isActive = false;
  }),
  'live: a stage more': live((world) => pipeline(world, 'kept').agentIds.push(agent(world, 'prices'))),
  'live: a schedule that was paused': live((world) => {
    schedule(world, 'Group').isEnabled = false;
  }),
  'live: a schedule that is to go was paused': live((world) => {
    schedule(world, 'Pipeline').isEnabled = false;
  }),
  'live: another time': live((world) => {
    schedule(world, 'Agent').startTime = '2099-01-01T06:00:01';
  }),
  'live: a group is gone': live((world) => world.groups.delete(group(world, 'kept').id)),
  'live: what is to change is gone': live((world) => world.groups.delete(group(world, 'other').id)),
  'live: what is to go is gone': live((world) => world.groups.delete(group(world, 'gone').id)),
  'live: a schedule is gone': live((world) => world.schedules.delete(schedule(world, 'Agent').id)),
  'live: a group of the name of a new one': live((world) =>
    copy(world.groups, group(world, 'kept'), 'fresh'),
  ),
  'live: two groups of the name of a new one': live((world) => {
    copy(world.groups, group(world, 'kept'), 'fresh');
    copy(world.groups, group(world, 'kept'), 'fresh', 2);
  }, 'ambiguous-name'),
  'live: a pipeline of the name of a new one': live((world) =>
    copy(world.pipelines, pipeline(world, 'kept'), 'fresh'),
  ),
  'live: a group is the operator’s now': live((world) => {
    group(world, 'other').canManage = false;
  }, 'not-manageable|inventory-mismatch|stale-plan'),
  'live: an agent is no longer assigned': live((world) => {
    const found = world.agents.get(agent(world, 'prices'));
    if (found !== undefined) found.assigned = false;
  }, 'unknown-agent'),
  'inventory: lost': {
    make: ({ workspace }) => workspace.write('roster.inventory.json', ''),
    codes: 'inventory-mismatch',
  },
  'inventory: one object less': { make: (scene) => forget(scene, 'group/other') },
  'the same service by another name': {
    make: ({ workspace }) => {
      workspace.env['ROSTER_URL'] = workspace.env['ROSTER_URL']?.replace('127.0.0.1', 'localhost') ?? '';
    },
  },
  'another path of the service': {
    make: ({ workspace }) => {
      workspace.env['ROSTER_URL'] += '/other';
    },
    codes: 'service-error|unexpected-response',
  },
};

function copy<T extends { readonly id: string }>(
  records: Map<string, T>,
  of: T,
  name: string,
  nth = 1,
): void {
  const id = `dddddddd-0000-4000-8000-00000000000${nth}`;
  records.set(id, { ...structuredClone(of), id, name });
}

function forget({ workspace }: Scene, address: string): void {
  const path = join(workspace.root, 'roster.inventory.json');
  const { entries, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as { entries: Record<string, unknown> };
  const { [address]: known, ...others } = entries;
  expect(known).toBeDefined();
  writeFileSync(path, JSON.stringify({ ...rest, entries: others }));
}

describe('something is different', () => {
  const each = Object.keys(differences).flatMap((name) => ways.map((way) => ({ name, way })));
  experiments(
    'I8',
    'something else in the manifest, on the service or in the inventory',
    each,
    async ({ name, way }) => {
      const { make, codes } = differences[name] ?? {};
      await within(busy, async (scene) => {
        const flags = await review(scene, way);
        await make?.(scene);
        await expectRefused(scene, flags, codes);
      });
    },
    9,
  );

  const flags: Readonly<Record<string, readonly [ApplyFlags, string[]]>> = {
    'prune all': [{ prune: 'all', allowDeletes: '99' }, []],
    'prune never': [{ prune: 'never' }, []],
    'only the groups': [{}, ['group/*']],
    'only one': [{}, ['group/fresh']],
  };
  const said = Object.keys(flags).flatMap((name) => ways.map((way) => ({ name, way })));
  experiments('I8', 'something else on the command line', said, async ({ name, way }) => {
    const [more, addresses] = flags[name] ?? [{}, []];
    await within(busy, async (scene) => {
      const reviewed = await review(scene, way);
      const before = stateOf(scene.sandbox);
      const ran = await scene.workspace.apply({ ...reviewed, ...more }, addresses);
      expect(ran).toMatchObject({ exit: 4, stderr: expect.stringContaining('stale-plan') });
      expect([scene.writes(), stateOf(scene.sandbox)]).toEqual([[], before]);
    });
  });
});

/** Keys of two more users, of whom one has the same objects, and a further key of the same user. */
const other: SeedKey = { name: 'other', key: `svc_live_${'o'.repeat(40)}`, user: 'somebody-else' };
const mine: SeedKey = { name: 'mine', key: `svc_live_${'m'.repeat(40)}` };
const second: SeedKey = { name: 'second', key: `svc_live_${'s'.repeat(40)}` };

describe('where', () => {
  experiments(
    'I8',
    'another service, or another account',
    ways.flatMap((way) => ['service', 'account', 'nothing owned'].map((what) => ({ way, what }))),
    async ({ way, what }) => {
      await within(
        what === 'nothing owned' ? { ...busy, before: null } : busy,
        async (scene) => {
          const flags = await review(scene, way);
          if (what !== 'service') {
            scene.workspace.env['ROSTER_API_KEY'] = other.key ?? '';
            return expectRefused(scene, flags);
          }
          const elsewhere = await startSandbox({ seed: defaultSeed() });
          Object.assign(elsewhere.world, {
            groups: scene.sandbox.world.groups,
            pipelines: scene.sandbox.world.pipelines,
            schedules: scene.sandbox.world.schedules,
          });
          scene.workspace.env['ROSTER_URL'] = elsewhere.url;
          scene.workspace.env['ROSTER_API_KEY'] = elsewhere.apiKey;
          await expectRefused(scene, flags, 'stale-plan');
          expect(
            elsewhere.requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/preview')),
          ).toEqual([]);
          await elsewhere.close();
        },
        { seed: { keys: [mine, second, other] } },
      );
    },
    2,
  );

  experiments(
    'I8',
    'the same account with another of its keys',
    [...ways],
    async (way) => {
      await within(
        busy,
        async (scene) => {
          const flags = await review(scene, way);
          scene.workspace.env['ROSTER_API_KEY'] = second.key ?? '';
          expect(await scene.apply(flags)).toMatchObject({ exit: 0 });
        },
        { seed: { keys: [mine, second, other] } },
      );
    },
    1,
  );
});

/** The new key goes where the reviewer has seen it go. */
const keyed = {
  name: 'keyed',
  before: null,
  manifest: 'project: faults\nkeys:\n  ci: { scopes: [agents.run], deliver: { file: ci.key } }\n',
};
const keyChanges: Readonly<Record<string, readonly [string, string]>> = {
  'another file': ['file: ci.key', 'file: public.key'],
  'a command': ['{ file: ci.key }', '{ command: [cat] }'],
  'more power': ['scopes: [agents.run]', 'scopes: full'],
  'another name': ['{ scopes', '{ name: other, scopes'],
};

describe('a new key', () => {
  experiments(
    'I8',
    'a new key goes where it was said to, with the power it was said to have',
    Object.keys(keyChanges).flatMap((name) => ways.map((way) => ({ name, way }))),
    async ({ name, way }) => {
      const [from, to] = keyChanges[name] ?? ['', ''];
      await within(keyed, async (scene) => {
        const { digest } = await scene.workspace.planJson({ out: 'p.plan', allowSelfRevoke: true });
        scene.sandbox.requests.length = 0;
        scene.workspace.write('roster.yaml', keyed.manifest.replace(from, to));
        const flags = way === 'plan' ? { plan: 'p.plan' } : { expect: digest };
        await expectRefused(scene, { ...flags, allowSelfRevoke: true });
      });
    },
    5,
  );
});
