import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../../src/model/finding.js';
import type { Hold } from '../../../src/model/hold.js';
import type { Inventory, InventoryEntry } from '../../../src/model/inventory.js';
import type { Plan } from '../../../src/model/plan.js';
import type { Declared, Project } from '../../../src/model/resource.js';
import { defaultSafeguards } from '../../../src/model/safeguards.js';
import { noSiblings, type Sibling, type Siblings } from '../../../src/model/sibling.js';
import {
  group,
  owning,
  planOf,
  reconcileWorld,
  remoteGroup,
  remoteSchedule,
  type SmallWorld,
  schedule,
  withIdentities,
} from '../../support/small-world.js';

/** Project travel beside project small, which no longer declares the group `a`. */

const service = 'https://collect.example.com';

function projectOf(entries: readonly Declared[], parts: Partial<Project> = {}): Project {
  return {
    file: '../travel/roster.yaml',
    root: '/travel',
    name: 'travel',
    environment: null,
    url: null,
    inventory: { file: 'roster.inventory.json' },
    prune: 'owned',
    limits: defaultSafeguards.limits,
    scopes: [],
    entries,
    secrets: [],
    ...parts,
  };
}

function travel(inventory: Inventory, declares: Project | null): Siblings {
  const sibling: Sibling = {
    project: 'travel',
    environment: null,
    file: '../travel/roster.yaml',
    inventory: { ...inventory, project: 'travel', service },
    declares,
  };
  return { ...noSiblings, known: [sibling] };
}

const own = { 'group/a': 'a' };
const nothing = owning({});
const owned = (parts: Partial<InventoryEntry> = {}) => owning(own, { applied: { name: 'a' }, ...parts });
const declared = projectOf([group('a')]);
const empty = projectOf([]);

interface Case {
  readonly name: string;
  readonly siblings: Siblings;
  readonly world?: Partial<SmallWorld>;
  readonly actions: readonly string[];
  readonly codes?: readonly string[];
}

const cases: readonly Case[] = [
  { name: 'no other project: it is deleted', siblings: noSiblings, actions: ['delete group/a'] },
  {
    name: 'travel declares and owns it: it is forgotten',
    siblings: travel(owned(), declared),
    actions: ['forget group/a'],
  },
  {
    name: 'travel declares and owns it: it is not destroyed',
    siblings: travel(owned(), declared),
    world: { prune: 'destroy' },
    actions: ['forget group/a', 'delete group/b'],
  },
  {
    name: 'travel only declares it: the delete is withheld',
    siblings: travel(nothing, declared),
    actions: [],
    codes: ['owned-elsewhere'],
  },
  {
    name: 'travel declares another group by an inventory that leads to this one: the delete is withheld',
    siblings: travel(owned(), projectOf([group('a', { name: 'other' })])),
    actions: [],
    codes: ['owned-elsewhere'],
  },
  {
    name: 'travel owns it and would delete it, too: it is deleted',
    siblings: travel(owned(), empty),
    actions: ['delete group/a'],
  },
  {
    name: 'travel owns it and protects it: the delete is withheld',
    siblings: travel(owned({ protect: true }), empty),
    actions: [],
    codes: ['owned-elsewhere'],
  },
  {
    name: 'travel owns it and prunes nothing: the delete is withheld',
    siblings: travel(owned(), projectOf([], { prune: 'never' })),
    actions: [],
    codes: ['owned-elsewhere'],
  },
  {
    name: 'travel owns it and lists it under `removed`: the delete is withheld',
    siblings: travel(owned(), projectOf([], { removed: ['group/*'] })),
    actions: [],
    codes: ['owned-elsewhere'],
  },
  {
    name: 'travel owns it, and its manifests are not read: the delete is withheld',
    siblings: travel(owned(), null),
    actions: [],
    codes: ['owned-elsewhere'],
  },
  {
    name: 'travel cannot be read: the delete is withheld',
    siblings: {
      ...noSiblings,
      unread: [{ project: 'travel', file: '../travel/roster.yaml', reason: 'its manifests have errors' }],
    },
    actions: [],
    codes: ['unreadable-sibling'],
  },
  {
    name: 'git cannot tell: it is deleted, with a note',
    siblings: { ...noSiblings, unknown: 'git is too old' },
    actions: ['delete group/a'],
    codes: ['unreadable-sibling'],
  },
];

const objects = [remoteGroup('a'), remoteGroup('b')];

function planned(world: Partial<SmallWorld>) {
  const known = owning({ ...own, 'group/b': 'b' });
  return reconcileWorld({ entries: [group('b')], objects, inventory: known, ...world });
}

const actionsOf = ({ plan }: ReturnType<typeof planned>) =>
  (plan?.changes ?? []).flatMap(({ action, address }) => (action === 'none' ? [] : [`${action} ${address}`]));

describe('what is no longer declared', () => {
  test.each(cases)('$name', ({ siblings, world = {}, actions, codes = [] }) => {
    const made = planned({ siblings, ...world, entries: world.prune === 'destroy' ? [] : [group('b')] });
    expect(actionsOf(made)).toEqual(actions);
    const told = made.diagnostics.map(({ code }) => code);
    expect(told.filter((code) => code === 'owned-elsewhere' || code === 'unreadable-sibling')).toEqual(codes);
  });
});

describe('what another project owns', () => {
  const siblings = travel(owned(), null);
  const adopting = { siblings, inventory: nothing, entries: [group('a'), group('b')] };

  test('is adopted with a risk, and the digest says whose it is', () => {
    const [with_, without] = [planned(adopting), planned({ ...adopting, siblings: noSiblings })];
    expect(actionsOf(with_)).toEqual(['adopt group/a', 'adopt group/b']);
    const risks = with_.plan?.changes.map(({ findings }) =>
      findings.map((each) => 'code' in each && each.code),
    );
    expect(risks).toEqual([['owned-elsewhere'], []]);
    expect(with_.plan?.digest).not.toBe(without.plan?.digest);
  });

  test('is neither unmanaged nor pruned', () => {
    const all = { siblings, inventory: owning({ 'group/b': 'b' }) };
    expect(planned(all).plan?.unmanaged['group']).toBe(0);
    expect(actionsOf(planned({ ...all, prune: 'all' }))).toEqual([]);
    expect(actionsOf(planned({ ...all, prune: 'all', siblings: noSiblings }))).toEqual(['delete group/a']);
  });

  test('is not taken for the object of an entry if there is another one', () => {
    const twins = [remoteGroup('a'), remoteGroup('c', { name: 'a' })];
    const made = planned({ ...adopting, objects: twins, entries: [group('a')] });
    expect(made.plan?.changes.map(({ id, action }) => [id, action])).toEqual([['c', 'adopt']]);
  });
});

const lasting: Hold = { by: 'Anna', reason: 'incident 42', since: '2026-10-01T00:00:00.000Z', until: null };
const ended: Hold = { ...lasting, by: 'Ben', until: '2026-10-02T00:00:00.000Z' };
const nightly = schedule('nightly');
const paused = remoteSchedule('n', { enabled: false });
const held = (hold?: Hold) =>
  withIdentities(owning({ 'schedule/nightly': 'n' }, hold === undefined ? {} : { hold }), [paused]);
const unreadTravel = {
  project: 'travel',
  file: '../travel/roster.yaml',
  reason: 'its inventory is damaged',
};

function named(project: string, siblings: Siblings): Siblings['known'] {
  return siblings.known.map((each) => ({ ...each, project, file: `../${project}/roster.yaml` }));
}

interface HeldCase {
  readonly name: string;
  /** The other projects that have the schedule, with what they have recorded. */
  readonly known: Siblings['known'];
  readonly actions: readonly string[];
}

const declaring = projectOf([nightly]);
const heldCases: readonly HeldCase[] = [
  {
    name: 'a hold that lasts counts before one that has ended',
    known: [
      ...named('first', travel(held(ended), null)),
      ...named('second', travel(held(lasting), null)),
      ...named('third', travel(held(ended), null)),
    ],
    actions: ['adopt schedule/nightly'],
  },
  {
    name: 'a project that no longer declares it counts, although another one manages it without a hold',
    known: [...named('first', travel(held(), declaring)), ...named('second', travel(held(lasting), empty))],
    actions: ['adopt schedule/nightly'],
  },
  {
    name: 'a project that no longer declares it counts if no other one has it',
    known: travel(held(lasting), empty).known,
    actions: ['adopt schedule/nightly'],
  },
];

describe('a schedule that is on hold elsewhere and is in the inventory here, too', () => {
  const applied = appliedAs(true);
  test.each([
    { name: 'stays paused while that hold lasts', hold: lasting, actions: [] },
    { name: 'is started if that hold has ended', hold: ended, actions: ['update schedule/nightly'] },
  ])('$name', ({ hold, actions }) => {
    const world = { entries: [nightly], objects: [paused], siblings: travel(held(hold), empty) };
    expect(actionsOf(reconcileWorld({ ...world, inventory: applied }))).toEqual(actions);
    const own = withIdentities(owning({ 'schedule/nightly': 'n' }, { hold: ended }), [paused]);
    expect(actionsOf(reconcileWorld({ ...world, inventory: own }))).toEqual(actions);
  });
});

describe('a schedule that was on hold elsewhere is adopted', () => {
  test.each(heldCases)('$name', ({ known, actions }) => {
    const siblings = { ...noSiblings, known };
    const made = reconcileWorld({ entries: [nightly], objects: [paused], inventory: nothing, siblings });
    expect(actionsOf(made)).toEqual(actions);
  });
});

function appliedAs(enabled: boolean): Inventory {
  return withIdentities(owning({ 'schedule/nightly': 'n' }, { applied: { enabled } }), [paused]);
}

interface StartCase {
  readonly name: string;
  readonly entry?: Declared;
  readonly inventory?: Inventory;
  readonly known?: Siblings['known'];
  readonly refused: boolean;
}

const startCases: readonly StartCase[] = [
  { name: 'it would be started', refused: true },
  { name: 'the entry leaves it paused', entry: schedule('nightly', { enabled: false }), refused: false },
  { name: 'this project has applied it paused', inventory: appliedAs(false), refused: false },
  { name: 'this project has applied it enabled', inventory: appliedAs(true), refused: true },
  {
    name: 'only the manifests of the other project have errors',
    known: travel(nothing, null).known,
    refused: false,
  },
];

describe('a paused schedule is to be started while another project cannot be read', () => {
  test.each(startCases)('$name', ({ entry = nightly, inventory = nothing, known = [], refused }) => {
    const siblings = { ...noSiblings, known, unread: [unreadTravel] };
    const { plan } = reconcileWorld({ entries: [entry], objects: [paused], inventory, siblings });
    const refusals = (plan?.findings ?? []).filter(isRefusal);
    const found = refusals.filter(({ code }) => code === 'unreadable-sibling');
    expect(found.map(({ message }) => message)).toEqual(
      refused
        ? [
            'schedule/nightly is paused on the service, and this plan would start it: project travel (../travel/roster.yaml) may hold it, and its inventory is damaged',
          ]
        : [],
    );
  });
});

test('a paused schedule is not started while a project file clashes with another one', () => {
  const clashing = [{ file: '../travel/roster.yaml', clash: 'has the name of this project' }];
  const siblings = { ...noSiblings, clashing };
  const inventory = appliedAs(true);
  const { plan } = reconcileWorld({ entries: [nightly], objects: [paused], inventory, siblings });
  const refusals = (plan?.findings ?? []).filter(isRefusal);
  expect(refusals.map(({ message }) => message)).toEqual([
    'schedule/nightly is paused on the service, and this plan would start it: ../travel/roster.yaml has the name of this project, so its holds are not known',
  ]);
});

interface WaitCase {
  readonly name: string;
  readonly siblings: Siblings;
  readonly prune?: 'owned' | 'never';
  readonly message: string | null;
}

const file = 'project travel (../travel/roster.yaml)';
const waitCases: readonly WaitCase[] = [
  {
    name: 'travel declares it, and has not adopted it',
    siblings: travel(nothing, declaring),
    message: `it is on hold, and ${file} must take over the hold first`,
  },
  {
    name: 'travel declares it, and nothing is pruned',
    siblings: travel(nothing, declaring),
    prune: 'never',
    message: `it is on hold, and ${file} must take over the hold first`,
  },
  {
    name: 'travel manages it without a hold',
    siblings: travel(held(), declaring),
    message: `it is on hold, and ${file} must take over the hold first`,
  },
  {
    name: 'travel manages it with a hold that has ended',
    siblings: travel(held(ended), declaring),
    message: `it is on hold, and ${file} must take over the hold first`,
  },
  {
    name: 'travel has it, and leaves it on the service',
    siblings: travel(held(), projectOf([], { removed: ['schedule/nightly'] })),
    message: `it is on hold, and it is in the inventory of ${file}`,
  },
  { name: 'travel manages it with a hold', siblings: travel(held(lasting), declaring), message: null },
  {
    name: 'travel manages it with a hold, and nothing is pruned',
    siblings: travel(held(lasting), declaring),
    prune: 'never',
    message: null,
  },
];

describe('what `removed` lists and is on hold', () => {
  const world = { objects: [paused, remoteGroup('b')], inventory: held(lasting), entries: [group('b')] };
  const removed = new Set(['schedule/nightly']);

  test.each(waitCases)('$name', ({ siblings, prune = 'owned', message }) => {
    const made = reconcileWorld({ ...world, siblings, prune, removed });
    const forgets = actionsOf(made).filter((each) => each.startsWith('forget'));
    expect(forgets).toEqual(message === null ? ['forget schedule/nightly'] : []);
    const told = made.diagnostics.filter(({ severity }) => severity === 'warning');
    expect(told.map((each) => each.message)).toEqual(
      message === null ? [] : [`schedule/nightly is not forgotten yet: ${message}`],
    );
    const notes = made.plan?.changes.flatMap(({ findings }) => findings.map((each) => each.message)) ?? [];
    expect(notes.filter((each) => each.includes('the hold ends with this'))).toEqual([]);
  });

  test('is not forgotten while another project cannot be read', () => {
    const siblings = { ...noSiblings, unread: [unreadTravel] };
    const { diagnostics } = reconcileWorld({ ...world, siblings, removed });
    const told = diagnostics.filter(({ code }) => code === 'unreadable-sibling');
    expect(told.map(({ message }) => message)).toEqual([
      `schedule/nightly is not forgotten: ${file} may manage it now, and its inventory is damaged`,
    ]);
  });
});

/** A move and its revert, planned and recorded as applies do. With the service and git: test/properties/moved-holds. */
describe('a schedule on hold that moves between two projects', () => {
  type Name = 'retail' | 'travel';
  const both: readonly Name[] = ['retail', 'travel'];

  function appliedTo(inventory: Inventory, { changes, records }: Plan): Inventory {
    const entries = new Map(inventory.entries);
    for (const { address, action, id } of changes) {
      const record = records[address];
      if (action === 'forget') entries.delete(address);
      else if (record !== undefined) entries.set(address, { ...record, id });
    }
    return { ...inventory, entries };
  }

  test.each([{ order: ['retail', 'travel', 'retail'] }, { order: ['travel', 'retail', 'travel'] }] as const)(
    'is started by no apply of $order, and neither after a revert',
    ({ order }) => {
      const inventories = { retail: held(lasting), travel: nothing };
      const actions: string[] = [];
      for (const owner of ['travel', 'retail'] as const) {
        const declaredBy = (name: Name) => (name === owner ? [nightly] : []);
        for (const name of order) {
          const other = name === 'retail' ? 'travel' : 'retail';
          const siblings = travel(inventories[other], projectOf(declaredBy(other)));
          const inventory = inventories[name];
          const plan = planOf({ entries: declaredBy(name), objects: [paused], inventory, siblings });
          actions.push(...plan.changes.map(({ action }) => action).filter((action) => action !== 'none'));
          inventories[name] = appliedTo(inventory, plan);
        }
        const holders = both.filter((name) => inventories[name].entries.get('schedule/nightly')?.hold);
        expect(holders).toEqual([owner]);
      }
      expect(actions.sort()).toEqual(['adopt', 'adopt', 'forget', 'forget']);
    },
  );
});
