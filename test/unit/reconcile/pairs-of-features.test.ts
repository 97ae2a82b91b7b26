import { describe, expect, test } from 'vitest';
import { isRefusal, isRisk } from '../../../src/model/finding.js';
import type { InventoryEntry } from '../../../src/model/inventory.js';
import type { Plan } from '../../../src/model/plan.js';
import type { Declared } from '../../../src/model/resource.js';
import { many } from '../../support/size.js';
import {
  codesOf,
  group,
  owning,
  reconcileWorld,
  remoteGroup,
  remoteSchedule,
  type SmallWorld,
  schedule,
} from '../../support/small-world.js';

/**
 * Features that are right by themselves may be wrong together. Each pair of these, and in the long run each three, is planned
 * with each `prune`, and laws that know nothing of single features must hold for all of them.
 */

/** One schedule that an earlier apply has created, as its manifest, the inventory and the service have it. */
interface Scenario {
  /** Its key. */
  readonly key: string;
  /** Null when the manifest no longer has it. */
  readonly entry: Parameters<typeof schedule>[1] | null;
  readonly options: NonNullable<Parameters<typeof schedule>[2]>;
  readonly record: Partial<InventoryEntry>;
  readonly remote: NonNullable<Parameters<typeof remoteSchedule>[1]>;
  readonly exists: boolean;
  /** Other entries. */
  readonly others: readonly Declared[];
}

const plain: Scenario = {
  key: 's',
  entry: {},
  options: {},
  record: {},
  remote: {},
  exists: true,
  others: [],
};
const hold = { by: 'Anna', reason: 'incident', since: '2026-10-01T00:00:00.000Z' };
const withRecord = (world: Scenario, record: Partial<InventoryEntry>) => ({
  ...world,
  record: { ...world.record, ...record },
});
const withOptions = (world: Scenario, options: Scenario['options']) => ({
  ...world,
  options: { ...world.options, ...options },
});

const features: Readonly<Record<string, (world: Scenario) => Scenario>> = {
  'protected at the last apply': (world) => withRecord(world, { protect: true }),
  'protected by its entry': (world) => withOptions(world, { protect: true }),
  'on hold': (world) => withRecord(world, { hold: { ...hold, until: null } }),
  'on hold until a time that has passed': (world) =>
    withRecord(world, { hold: { ...hold, until: '2026-10-02T00:00:00.000Z' } }),
  'with `enabled` ignored': (world) => withOptions(world, { ignore: ['enabled'] }),
  'deleted outside': (world) => ({ ...world, exists: false }),
  'paused outside': (world) => ({ ...world, remote: { ...world.remote, enabled: false } }),
  'changed outside': (world) => ({ ...world, remote: { ...world.remote, inputs: { country: 'AT' } } }),
  'with another timing in its entry': (world) => ({
    ...world,
    entry: world.entry && { ...world.entry, cron: '0 0 9 * * *' },
  }),
  'no longer declared': (world) => ({ ...world, entry: null }),
  'under another key with `formerly`': (world) =>
    withOptions({ ...world, key: 't' }, { formerly: 'schedule/s' }),
  'under another key without `formerly`': (world) => ({ ...world, key: 't' }),
  'bound by its id': (world) => withOptions(world, { id: '1' }),
  'beside a new entry with the same target': (world) => ({
    ...world,
    others: [schedule('new', { cron: '0 0 8 * * *' })],
  }),
};

function worldOf({ key, entry, options, record, remote, exists, others }: Scenario): SmallWorld {
  const own = entry === null ? [] : [schedule(key, entry, options)];
  // So that the project is never empty, and most of its objects exist.
  return {
    entries: [...own, ...others, group('a'), group('b')],
    objects: [...(exists ? [remoteSchedule('1', remote)] : []), remoteGroup('a'), remoteGroup('b')],
    inventory: {
      ...owning({ 'group/a': 'a', 'group/b': 'b' }),
      entries: new Map([
        ...owning({ 'schedule/s': '1' }, { name: null, ...record }).entries,
        ...owning({ 'group/a': 'a', 'group/b': 'b' }).entries,
      ]),
    },
  };
}

/** All combinations of at most three. */
function combinations(names: readonly string[]): (readonly string[])[] {
  const more = names.flatMap((one, index) => {
    const later = names.slice(index + 1);
    const pairs = later.flatMap((two, at) => [
      [one, two],
      ...later.slice(at + 1).map((three) => [one, two, three]),
    ]);
    return [[one], ...pairs];
  });
  return [[], ...more];
}

const prunes = ['owned', 'all', 'never'] as const;
const most = many(2, 3);
const combined = combinations(Object.keys(features)).filter((names) => names.length <= most);
const planned = combined.flatMap((names) =>
  prunes.map((prune) => {
    const scenario = names.reduce((world, name) => features[name]?.(world) ?? world, plain);
    const made = reconcileWorld({ ...worldOf(scenario), prune });
    return { name: `${names.join(', ') || 'nothing'} (prune: ${prune})`, scenario, made };
  }),
);
type Case = (typeof planned)[number];

/** What a law says of each case: null when it holds. */
function violations(law: (each: Case, plan: Plan) => string | null): string[] {
  return planned.flatMap((each) => {
    const { plan } = each.made;
    const why = plan === null ? null : law(each, plan);
    return why === null ? [] : [`${each.name}: ${why}`];
  });
}

const touches = ({ steps }: Plan, method: string) =>
  steps.some(
    ({ request, singles }) =>
      request.method === method && [request, ...singles].some(({ path }) => /\/schedules\/1$/.test(path)),
  );

describe('every combination of a few features', () => {
  test('most of them have a plan', () => {
    const without = planned.filter(({ made }) => made.plan === null);
    // An id that does not exist, or an entry that two others claim.
    expect(without.length).toBeLessThan(planned.length / 10);
    expect(planned.length).toBeGreaterThan(many(300, 1_000));
  });

  test('an object that is protected is deleted, or becomes that of another entry, only if an entry says so', () => {
    expect(
      violations(({ scenario, made }, plan) => {
        if (scenario.record.protect !== true || !scenario.exists) return null;
        const taken = made.matches.find(({ entry, observed }) => entry !== null && observed?.id === '1');
        if (taken !== undefined) {
          const isOwn = taken.rule !== 'likeness';
          return isOwn ? null : `${taken.address} takes it`;
        }
        if (!touches(plan, 'DELETE')) return null;
        return codesOf(plan.findings.filter(isRefusal)).includes('protected') ? null : 'it is deleted';
      }),
    ).toEqual([]);
  });

  test('a schedule on hold does not start: it exists paused, or its create pauses it', () => {
    expect(
      violations(({ scenario, made }) => {
        if (scenario.record.hold?.until !== null) return null;
        const held = made.matches.find(({ hold: own, entry }) => own !== undefined && entry !== null);
        if (held === undefined) return null;
        const { enabled = false } = (held.entry?.spec ?? {}) as { readonly enabled?: boolean };
        const isLeftToOthers = held.observed !== null && scenario.options.ignore !== undefined;
        return enabled && !isLeftToOthers ? 'it would run' : null;
      }),
    ).toEqual([]);
  });

  test('what the plan says of a create is what its requests send', () => {
    expect(
      violations(({ made }, plan) => {
        for (const { address, action, fields, steps } of plan.changes) {
          if (action !== 'create') continue;
          const shown = fields.find(({ path }) => path === 'enabled')?.after;
          const sent = plan.steps
            .filter(({ id }) => steps.includes(id))
            .map(({ request }) => (request.body as { isEnabled?: boolean } | undefined)?.isEnabled);
          const spec = made.matches.find((each) => each.address === address)?.entry?.spec as {
            enabled?: boolean;
          };
          if (spec?.enabled !== undefined && (shown !== spec.enabled || sent.at(-1) !== spec.enabled))
            return `${address}: shows ${String(shown)}, sends ${String(sent.at(-1))}`;
        }
        return null;
      }),
    ).toEqual([]);
  });

  test('an object is changed or deleted only by one entry, and only once', () => {
    expect(
      violations((_, plan) => {
        const owners = plan.changes.filter(({ id, action }) => id === '1' && action !== 'none');
        return owners.length > 1 ? owners.map(({ address }) => address).join(' and ') : null;
      }),
    ).toEqual([]);
  });

  test('what is bound by its id is never created again, and never deleted', () => {
    expect(
      violations(({ scenario }, plan) => {
        if (scenario.options.id === undefined || scenario.entry === null) return null;
        const own = plan.changes.filter(({ address }) => address === `schedule/${scenario.key}`);
        if (own.some(({ action }) => action === 'create')) return 'it is created';
        return touches(plan, 'DELETE') ? 'it is deleted' : null;
      }),
    ).toEqual([]);
  });

  test('`prune: never` deletes nothing, and nothing but `prune: all` takes an object for its likeness', () => {
    expect(
      violations(({ name, made }, plan) => {
        if (name.includes('prune: never') && touches(plan, 'DELETE')) return 'it is deleted';
        const isLike = made.matches.some(({ rule }) => rule === 'likeness');
        return isLike && !name.includes('prune: all') ? 'it is taken' : null;
      }),
    ).toEqual([]);
  });

  test('an entry that lifts the protection is shown as a risk', () => {
    expect(
      violations(({ scenario, made }, plan) => {
        const own = made.matches.find(({ entry, observed }) => entry !== null && observed?.id === '1');
        if (scenario.record.protect !== true || own?.entry?.protect !== false) return null;
        const change = plan.changes.find(({ address }) => address === own.address);
        const risks = change?.findings.filter(isRisk) ?? [];
        return risks.some(({ code }) => code === 'protection') ? null : 'no risk';
      }),
    ).toEqual([]);
  });
});
