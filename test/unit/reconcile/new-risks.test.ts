import { describe, expect, it, test } from 'vitest';
import type { ScheduleSpec } from '../../../src/kinds/schedule-spec.js';
import { isRisk, type Risk } from '../../../src/model/finding.js';
import type { Inventory, InventoryEntry } from '../../../src/model/inventory.js';
import type { Plan } from '../../../src/model/plan.js';
import { plan as planFor } from '../../../src/reconcile/plan.js';
import { nothingAsked } from '../../../src/reconcile/world.js';
import { longestGapSeconds } from '../../../src/timing/runs.js';
import { planText } from '../../../src/view/text/plan-text.js';
import {
  agents,
  group,
  owning,
  reconcileWorld,
  remoteGroup,
  remoteSchedule,
  type SmallWorld,
  schedule,
} from '../../support/small-world.js';

/** With the next runs, as a plan that somebody reads. */
function planOf(world: SmallWorld): Plan {
  const { plan } = planFor(reconcileWorld(world), { ...nothingAsked, previews: [] });
  if (plan === null) throw new Error('no plan');
  return plan;
}

const messages = ({ changes, findings }: Plan, code: Risk['code']) =>
  [...findings, ...changes.flatMap((change) => change.findings)].flatMap((found) =>
    isRisk(found) && found.code === code ? [found.message] : [],
  );

type Timing = Partial<Pick<ScheduleSpec, 'every' | 'cron' | 'once' | 'startTime' | 'timeZone' | 'enabled'>>;

const days = (value: number): Timing => ({ every: { value, unit: 'Days' }, cron: null });
const hours = (value: number): Timing => ({ every: { value, unit: 'Hours' }, cron: null });
const from = (startTime: string): Timing => ({ startTime });

describe('a gap', () => {
  // It is midnight of Sunday, 2026-11-01. What existed ran every day at 06:00, unless it says more.
  const changed = (before: Timing, after: Timing) =>
    planOf({
      entries: [schedule('s', { ...before, ...after })],
      objects: [remoteSchedule('s', before)],
      inventory: owning({ 'schedule/s': 's' }),
    });
  const created = (after: Timing) => planOf({ entries: [schedule('s', after)] });

  it.each<[string, Plan, string | null]>([
    ['of a year', changed({}, from('2027-11-01T00:00:00')), 'no runs for 365 days: 2026-11-01 → 2027-11-01'],
    ['of twice the interval', changed({}, from('2026-11-03T00:00:00')), null],
    [
      'of more than that',
      changed({}, from('2026-11-03T07:00:00')),
      'no runs for 3 days: 2026-11-01 → 2026-11-04',
    ],
    ['of exactly a day', changed(hours(6), from('2026-11-02T00:00:00')), null],
    [
      'of more than a day',
      changed(hours(6), from('2026-11-02T00:01:00')),
      'no runs for 24 hours: 2026-11-01 00:00 → 2026-11-02 00:01',
    ],
    [
      'until a new schedule starts, longer than its own interval',
      created({ ...days(1), ...from('2026-11-03T06:00:00') }),
      'no runs for 2 days: 2026-11-01 → 2026-11-03',
    ],
    [
      'until a new schedule starts, within its own interval',
      created({ ...days(7), ...from('2026-11-10T06:00:00') }),
      null,
    ],
    ['until the only run', created({ cron: null, once: '2030-01-01T00:00:00', startTime: null }), null],
    [
      'that begins with the next run before the change',
      changed({ ...from('2026-12-24T00:00:00') }, from('2026-12-25T00:00:00')),
      null,
    ],
    [
      'of what starts again',
      changed({ enabled: false, ...from('2027-01-01T00:00:00') }, { enabled: true }),
      'no runs for 61 days: 2026-11-01 → 2027-01-01',
    ],
    ['of what is paused', changed({}, { ...from('2027-11-01T00:00:00'), enabled: false }), null],
    ['over a weekend, of what runs on working days', created({ cron: '0 0 9-17 ? * MON-FRI' }), null],
    [
      'over the autumn clock change, of two days',
      changed({ timeZone: 'Europe/Berlin' }, { timeZone: 'Europe/Berlin', ...from('2026-11-03T00:00:00') }),
      null,
    ],
    ['between other hours of the day', changed({}, { cron: '0 0 5 * * *' }), null],
    ['to once a week', changed({}, { cron: '0 0 6 ? * SAT' }), 'no runs for 6 days: 2026-11-01 → 2026-11-07'],
  ])('%s', (_, plan, expected) => expect(messages(plan, 'gap')).toEqual(expected === null ? [] : [expected]));

  it.each<[string, number]>([
    ['0 0 6 * * *', 86_400],
    ['0 0 9-17 ? * MON-FRI', 64 * 3600],
    ['0 0,30 * * * *', 1800],
    ['0 10,20 8 * * *', 86_400 - 600],
    ['30 0 6 1 1 *', 366 * 86_400],
    ['0 0 6 29 2 *', 1461 * 86_400],
  ])('has the longest interval of %s to compare with', (expression, seconds) =>
    expect(longestGapSeconds({ type: 'Cron', expression, startTime: '2026-01-01T00:00:00' })).toBe(seconds),
  );
});

describe('load', () => {
  /** So many starts a week, of one schedule: it runs every hour or every day, for a group of so many members. */
  const members = (number: number) =>
    Array.from(
      { length: number },
      (_, index) => `aaaaaaaa-0000-4000-8000-${String(index).padStart(12, '0')}`,
    );
  const daily = (before: number, after: number) =>
    planOf({
      entries: [
        schedule('s', { target: 'group/before' }),
        schedule('new', { target: 'group/added' }),
        group('before', {}, { external: true, id: 'before' }),
        group('added', {}, { external: true, id: 'added' }),
      ],
      objects: [
        remoteGroup('before', { members: members(before) }),
        remoteGroup('added', { members: members(after - before) }),
        remoteSchedule('s', { target: { kind: 'group', id: 'before' } }),
      ],
      inventory: owning({ 'schedule/s': 's' }),
    });

  it.each<[string, number, number, boolean]>([
    ['grows from nothing by 497', 0, 71, false],
    ['grows from nothing by 504', 0, 72, true],
    ['doubles, and grows by much', 100, 200, false],
    ['more than doubles, and grows by much', 100, 201, true],
    ['more than doubles, and grows by little', 10, 72, false],
    ['grows by much, and does not double', 200, 300, false],
  ])('that %s', (_, before, after, isRisky) =>
    expect(messages(daily(before, after), 'load')).toHaveLength(isRisky ? 1 : 0),
  );

  test('names what adds most', () =>
    expect(messages(daily(100, 250), 'load')).toEqual([
      'agent starts a week grow from 700 to 1,750; most are added by schedule/new +1,050',
    ]));
});

describe('what starts again', () => {
  const since = '2026-10-30T00:00:00Z';
  const hold = { since, reason: 'incident', until: '2026-10-31T00:00:00Z', by: 'ann' };
  const enabled = (known: Inventory, before: Timing = { enabled: false }, after: Timing = {}) =>
    planOf({ entries: [schedule('s', after)], objects: [remoteSchedule('s', before)], inventory: known });
  const applied = (isEnabled: boolean, more: Partial<InventoryEntry> = {}) =>
    owning({ 'schedule/s': 's' }, { applied: { enabled: isEnabled }, ...more });
  const risks = ({ changes }: Plan) =>
    changes.flatMap(({ findings }) =>
      findings.filter(isRisk).map(({ code, message }) => `${code}: ${message}`),
    );
  const outside =
    'starts-again: was paused outside roster: this apply enables it again, and it has 7 runs a week';
  const ours = 'schedule: starts again, and has 7 runs a week';

  it.each<[string, Plan, readonly string[]]>([
    ['what somebody paused since the last apply', enabled(applied(true)), [outside]],
    [
      'what was paused before roster knew it',
      enabled(owning({})),
      ['adopt: was created outside this project', outside],
    ],
    ['what the manifests had paused', enabled(applied(false)), [ours]],
    ['what a hold had paused, which has ended', enabled(applied(true, { hold })), [ours]],
    [
      'what somebody had paused before the hold',
      enabled(applied(true, { hold: { ...hold, wasPaused: true } })),
      [outside.replace('roster:', 'roster, before 2026-10-30 00:00 UTC:')],
    ],
    ['nothing that stays paused', enabled(applied(true), { enabled: false }, { enabled: false }), []],
    ['nothing that runs already', enabled(applied(true), { enabled: true }), []],
  ])('is said of %s', (_, plan, expected) => expect(risks(plan)).toEqual(expected));
});

describe('what starts although it is on hold', () => {
  const globex = agents[1]?.id ?? '';
  const since = '2026-10-30T00:00:00Z';
  /** `held` starts acme and is on hold; `group/shops` had globex, and is started by the schedules that are named. */
  const world = (schedules: readonly string[], declared: NonNullable<SmallWorld['entries']>) => {
    const known = owning({
      'schedule/held': 'held',
      'group/shops': 'shops',
      ...Object.fromEntries(schedules.map((each) => [`schedule/${each}`, each])),
    });
    const hold = { since, reason: 'incident', until: null, by: 'ann' };
    const entries = [...known.entries].map(([address, entry]) =>
      address === 'schedule/held' ? ([address, { ...entry, hold }] as const) : ([address, entry] as const),
    );
    return planOf({
      entries: [schedule('held'), ...declared],
      objects: [
        remoteSchedule('held', { enabled: false }),
        remoteGroup('shops', { members: [globex] }),
        ...schedules.map((each) => remoteSchedule(each, { target: { kind: 'group', id: 'shops' } })),
      ],
      inventory: { ...known, entries: new Map(entries) },
    });
  };
  const shops = (...members: readonly string[]) => group('shops', { agents: members });
  const unchanged = (...keys: readonly string[]) =>
    keys.map((each) => schedule(each, { target: 'group/shops' }));
  const risks = ({ changes }: Plan) =>
    changes.flatMap(({ address, findings }) =>
      findings.flatMap((each) =>
        isRisk(each) && each.code === 'starts-held' ? [`${address} ${each.message}`] : [],
      ),
    );
  const although = 'although schedule/held is held by ann: "incident"';

  it.each<[string, Plan, readonly string[]]>([
    ['nothing that only stays', world(['a'], [shops('globex'), ...unchanged('a')]), []],
    [
      'a group with another member, of which the schedule is unchanged',
      world(['a'], [shops('acme', 'globex'), ...unchanged('a')]),
      [`group/shops makes schedule/a start agent/acme, ${although}`],
    ],
    [
      'a group that several schedules start',
      world(['a', 'b', 'c', 'd'], [shops('acme'), ...unchanged('a', 'b', 'c', 'd')]),
      [`group/shops makes schedule/a, schedule/b, schedule/c and 1 more start agent/acme, ${although}`],
    ],
    ['a group that nothing starts', world([], [shops('acme')]), []],
    [
      'a schedule that is changed as well, at the schedule',
      world(['a'], [shops('acme'), schedule('a', { target: 'group/shops', cron: '0 0 7 * * *' })]),
      [`schedule/a starts agent/acme, ${although}`],
    ],
    [
      'a new schedule',
      world([], [shops('globex'), schedule('a')]),
      [`schedule/a starts agent/acme, ${although}`],
    ],
    ['a schedule that is paused', world([], [shops('globex'), schedule('a', { enabled: false })]), []],
  ])('is said of %s', (_, plan, expected) => expect(risks(plan)).toEqual(expected));
});

describe('the warning of too many starts in a minute', () => {
  const ids = agents.map(({ id }) => id);
  const at = (line: number) => ({
    source: { file: 'roster.yaml', line, column: 1, length: 1, lineText: '' },
  });
  const lineOf = (world: SmallWorld) =>
    reconcileWorld({ ...world, limits: { startsPerMinute: 2 } }).diagnostics.flatMap(({ code, place }) =>
      code === 'start-rate' ? [place?.line] : [],
    );
  /** The busiest entry starts two agents, and does not change. */
  const busiest = {
    objects: [
      remoteGroup('shops', { members: ids }),
      remoteSchedule('first', { target: { kind: 'group', id: 'shops' } }),
      remoteSchedule('second', { cron: '0 0 7 * * *' }),
    ],
    inventory: owning({ 'group/shops': 'shops', 'schedule/first': 'first', 'schedule/second': 'second' }),
  };
  const shops = group('shops', { agents: ['acme', 'globex'] }, at(1));
  const first = schedule('first', { target: 'group/shops' }, at(2));

  it.each<[string, SmallWorld, number]>([
    [
      'at the schedule that changes',
      { ...busiest, entries: [shops, first, schedule('second', {}, at(3))] },
      3,
    ],
    [
      'at the group that changes',
      {
        entries: [shops, first, schedule('second', {}, at(3))],
        objects: [
          remoteGroup('shops', { members: ids.slice(0, 1) }),
          remoteSchedule('first', { target: { kind: 'group', id: 'shops' } }),
          remoteSchedule('second'),
        ],
        inventory: busiest.inventory,
      },
      1,
    ],
    [
      'at the busiest one, if nothing changes',
      {
        entries: [shops, first, schedule('second', {}, at(3))],
        objects: [
          remoteGroup('shops', { members: ids }),
          remoteSchedule('first', { target: { kind: 'group', id: 'shops' } }),
          remoteSchedule('second'),
        ],
        inventory: busiest.inventory,
      },
      2,
    ],
  ])('stands %s', (_, world, line) => expect(lineOf(world)).toEqual([line]));
});

test('of many new schedules, the one that starts most agents is named', () => {
  const plan = planOf({
    entries: [
      group('small', { agents: ['acme'] }),
      group('large', { agents: ['acme', 'globex'] }),
      ...Array.from({ length: 8 }, (_, index) =>
        schedule(`s-${index}`, { target: index === 5 ? 'group/large' : 'group/small' }),
      ),
    ],
  });
  const lines = planText(plan, { color: false, width: 200 })
    .split('\n')
    .map((line) => line.trim());
  expect(lines).toContain('most starts: 14 a week by schedule/s-5');
  expect(lines).toContain('busiest minute: at least 9 starts at 2026-11-01 06:00 UTC');
});

describe('starts by agent', () => {
  test('show a swap of members although the total is equal', () => {
    const [acme = '', globex = ''] = agents.map(({ id }) => id);
    const plan = planOf({
      entries: [group('shops', { agents: ['globex'] }), schedule('s', { target: 'group/shops' })],
      objects: [
        remoteGroup('shops', { members: [acme] }),
        remoteSchedule('s', { target: { kind: 'group', id: 'shops' } }),
      ],
      inventory: owning({ 'group/shops': 'shops', 'schedule/s': 's' }),
    });
    expect(plan.startsPerWeek).toMatchObject({ before: 7, after: 7 });
    expect(plan.startsByAgent).toEqual([
      { agent: 'acme', before: 7, after: 0 },
      { agent: 'globex', before: 0, after: 7 },
    ]);
    expect(globex).not.toBe(acme);
  });
});
