import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { ApplyFlags } from '../../src/cli/apply.js';
import { defaultSeed, type SeedKey, type World } from '../../src/sandbox/index.js';
import { inventoryAt } from '../support/json.js';
import { startSandbox } from '../support/sandbox.js';
import { experiments } from './support/experiments.js';
import { type Fixture, stateOf, withFixture } from './support/fixture.js';
import { expectRefused, review, ways } from './support/reviewing.js';
import { busy, scenarios } from './support/scenarios.js';

/** I8: apply carries out only the reviewed plan, given as a file (`--plan`) or as a digest (`--expect`). */

describe('unchanged', () => {
  const each = [...scenarios, busy].flatMap(({ name }) => ways.map((way) => ({ name, way })));
  experiments(
    'I8',
    'reviewed plan: without a change in between it is applied',
    each,
    async ({ name, way }) => {
      const chosen = [...scenarios, busy].find((one) => one.name === name) ?? busy;
      await withFixture(chosen, async (fixture) => {
        expect(await fixture.apply(await review(fixture, way))).toMatchObject({ exit: 0 });
        await fixture.expectDesired();
      });
    },
  );
});

/** One thing that differs by the time of the apply, and the codes it is refused with. */
interface Difference {
  readonly make: (fixture: Fixture) => unknown;
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
  'manifest: one more member': manifest(
    'fresh: { members: [globex] }',
    'fresh: { members: [globex, initech] }',
  ),
  'manifest: another member': manifest('fresh: { members: [globex] }', 'fresh: { members: [acme-shop] }'),
  'manifest: one letter of a text': manifest('description: Other', 'description: Othes'),
  'manifest: stages in another order': manifest('[prices, catalogue]', '[catalogue, prices]'),
  'manifest: a name': manifest('fresh: { members:', 'fresh: { name: Fresh, members:'),
  'manifest: one more entry': manifest('pipelines:', '  more: { members: [] }\npipelines:'),
  'manifest: one entry removed': manifest(/ {2}fresh: \{ members.*\n/, ''),
  'manifest: an entry to delete is back': manifest('pipelines:', '  gone: { members: [globex] }\npipelines:'),
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
  'manifest: a syntax error': manifest('groups:', 'groups', 'yaml-syntax'),
  'live: a text that the plan changes': live((world) => {
    group(world, 'other').description = 'Own';
  }),
  'live: a text that the plan does not change': live((world) => {
    group(world, 'kept').description = 'Own';
  }),
  'live: the change was made already': live((world) => {
    group(world, 'other').description = 'Other';
  }),
  'live: one more member': live((world) => group(world, 'kept').agentIds.push(agent(world, 'initech'))),
  'live: one member removed': live((world) => group(world, 'other').agentIds.pop()),
  'live: a member of a group to delete': live((world) => group(world, 'gone').agentIds.pop()),
  'live: a group made inactive': live((world) => {
    group(world, 'kept').isActive = false;
  }),
  'live: one more stage': live((world) => pipeline(world, 'kept').agentIds.push(agent(world, 'prices'))),
  'live: a paused schedule': live((world) => {
    schedule(world, 'Group').isEnabled = false;
  }),
  'live: a paused schedule to delete': live((world) => {
    schedule(world, 'Pipeline').isEnabled = false;
  }),
  'live: another time': live((world) => {
    schedule(world, 'Agent').startTime = '2099-01-01T06:00:01';
  }),
  'live: a deleted group': live((world) => world.groups.delete(group(world, 'kept').id)),
  'live: a deleted group to change': live((world) => world.groups.delete(group(world, 'other').id)),
  'live: a deleted group to delete': live((world) => world.groups.delete(group(world, 'gone').id)),
  'live: a deleted schedule': live((world) => world.schedules.delete(schedule(world, 'Agent').id)),
  'live: a group with the name of a new one': live((world) =>
    copy(world.groups, group(world, 'kept'), 'fresh'),
  ),
  'live: two groups with the name of a new one': live((world) => {
    copy(world.groups, group(world, 'kept'), 'fresh');
    copy(world.groups, group(world, 'kept'), 'fresh', 2);
  }, 'ambiguous-name'),
  'live: a pipeline with the name of a new one': live((world) =>
    copy(world.pipelines, pipeline(world, 'kept'), 'fresh'),
  ),
  'live: a group is now the operator’s': live((world) => {
    group(world, 'other').canManage = false;
  }, 'not-manageable|inventory-mismatch|stale-plan'),
  'live: an agent is no longer assigned': live((world) => {
    const found = world.agents.get(agent(world, 'prices'));
    if (found !== undefined) found.assigned = false;
  }, 'unknown-agent'),
  'inventory: lost': {
    make: ({ workspace }) => workspace.write('roster.inventory.json', ''),
    codes: 'invalid-inventory',
  },
  'inventory: one object removed': { make: (fixture) => forget(fixture, 'group/other') },
  'the same service by another name': {
    make: ({ workspace }) => {
      workspace.env['ROSTER_URL'] = workspace.env['ROSTER_URL']?.replace('127.0.0.1', 'localhost') ?? '';
    },
    codes: 'inventory-mismatch',
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

function forget({ workspace }: Fixture, address: string): void {
  const path = join(workspace.root, 'roster.inventory.json');
  const { entries, ...rest } = inventoryAt<{ entries: Record<string, unknown> }>(workspace.root);
  const { [address]: known, ...others } = entries;
  expect(known).toBeDefined();
  writeFileSync(path, JSON.stringify({ ...rest, entries: others }));
}

describe('changed', () => {
  const each = Object.keys(differences).flatMap((name) => ways.map((way) => ({ name, way })));
  experiments(
    'I8',
    'reviewed plan: after a change in the manifest, on the service or in the inventory it is refused',
    each,
    async ({ name, way }) => {
      const { make, codes } = differences[name] ?? {};
      await withFixture(busy, async (fixture) => {
        const flags = await review(fixture, way);
        await make?.(fixture);
        await expectRefused(fixture, flags, codes);
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
  experiments('I8', 'reviewed plan: with other flags it is refused', said, async ({ name, way }) => {
    const [more, addresses] = flags[name] ?? [{}, []];
    await withFixture(busy, async (fixture) => {
      const reviewed = await review(fixture, way);
      const before = stateOf(fixture.sandbox);
      const ran = await fixture.workspace.apply({ ...reviewed, ...more }, addresses);
      expect(ran).toMatchObject({ exit: 4, stderr: expect.stringContaining('stale-plan') });
      expect([fixture.writes(), stateOf(fixture.sandbox)]).toEqual([[], before]);
    });
  });
});

/** A key of another user, and two keys of the same user. */
const other: SeedKey = { name: 'other', key: `svc_live_${'o'.repeat(40)}`, user: 'somebody-else' };
const mine: SeedKey = { name: 'mine', key: `svc_live_${'m'.repeat(40)}` };
const second: SeedKey = { name: 'second', key: `svc_live_${'s'.repeat(40)}` };

describe('other services', () => {
  experiments(
    'I8',
    'reviewed plan: for another service or account it is refused',
    ways.flatMap((way) => ['service', 'account', 'nothing owned'].map((what) => ({ way, what }))),
    async ({ way, what }) => {
      await withFixture(
        what === 'nothing owned' ? { ...busy, before: null } : busy,
        async (fixture) => {
          const flags = await review(fixture, way);
          if (what !== 'service') {
            fixture.workspace.env['ROSTER_API_KEY'] = other.key ?? '';
            return expectRefused(fixture, flags, 'stale-plan|not-manageable|inventory-mismatch');
          }
          const elsewhere = await startSandbox({ seed: defaultSeed() });
          Object.assign(elsewhere.world, {
            groups: fixture.sandbox.world.groups,
            pipelines: fixture.sandbox.world.pipelines,
            schedules: fixture.sandbox.world.schedules,
          });
          fixture.workspace.env['ROSTER_URL'] = elsewhere.url;
          fixture.workspace.env['ROSTER_API_KEY'] = elsewhere.apiKey;
          await expectRefused(fixture, flags, 'inventory-mismatch');
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
    'reviewed plan: with another key of the same account it is applied',
    [...ways],
    async (way) => {
      await withFixture(
        busy,
        async (fixture) => {
          const flags = await review(fixture, way);
          fixture.workspace.env['ROSTER_API_KEY'] = second.key ?? '';
          expect(await fixture.apply(flags)).toMatchObject({ exit: 0 });
        },
        { seed: { keys: [mine, second, other] } },
      );
    },
    1,
  );
});

/** A project with a new key. */
const keyed = {
  name: 'keyed',
  before: null,
  manifest: 'project: faults\nkeys:\n  ci: { scopes: [agents.run], deliver: { file: ci.key } }\n',
};
const keyChanges: Readonly<Record<string, readonly [string, string]>> = {
  'another file': ['file: ci.key', 'file: public.key'],
  'a command': ['{ file: ci.key }', '{ command: [cat] }'],
  'more scopes': ['scopes: [agents.run]', 'scopes: full'],
  'another name': ['{ scopes', '{ name: other, scopes'],
};

describe('keys', () => {
  experiments(
    'I8',
    'reviewed plan: after a change to a new key it is refused',
    Object.keys(keyChanges).flatMap((name) => ways.map((way) => ({ name, way }))),
    async ({ name, way }) => {
      const [from, to] = keyChanges[name] ?? ['', ''];
      await withFixture(keyed, async (fixture) => {
        const { digest } = await fixture.workspace.planJson({ out: 'p.plan', allowSelfRevoke: true });
        fixture.sandbox.requests.length = 0;
        fixture.workspace.write('roster.yaml', keyed.manifest.replace(from, to));
        const flags = way === 'plan' ? { plan: 'p.plan' } : { expect: digest };
        await expectRefused(fixture, { ...flags, allowSelfRevoke: true });
      });
    },
    5,
  );
});
