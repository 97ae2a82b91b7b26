import { describe, expect, it, test } from 'vitest';
import { isDiagnostic, isRefusal, isRisk } from '../../../src/model/finding.js';
import type { Plan } from '../../../src/model/plan.js';
import {
  agents,
  codesOf,
  group,
  owning,
  planOf,
  remoteGroup,
  remoteSchedule,
  schedule,
} from '../../support/small-world.js';

const [acme = '', globex = ''] = agents.map(({ id }) => id);
const hourly = { cron: '0 0 * * * *' };
const unknown = { cron: '0 30 2 ? * MON#1,TUE#2' };
const inGroup = { target: { kind: 'group', id: 'shops' } };
const owned = owning({ 'group/shops': 'shops', 'schedule/s': 's' });
const none = { before: 0, after: 0 };
const shops = remoteGroup('shops', { members: [acme, globex] });

const messages = ({ changes }: Plan, code: string) =>
  changes.flatMap(({ findings }) =>
    findings.filter(isRisk).flatMap((risk) => (risk.code === code ? risk.message : [])),
  );
const refusalsIn = ({ findings }: Plan) => findings.filter(isRefusal);
const diagnosticsIn = ({ findings }: Plan) => findings.filter(isDiagnostic);
const riskMessages = ({ findings }: Plan) => findings.filter(isRisk).map(({ message }) => message);

describe('agent starts a week', () => {
  test('are members times runs, of what is observed and of what is declared', () => {
    const { startsPerWeek } = planOf({
      entries: [
        group('shops', { agents: ['acme'] }),
        schedule('s', { target: 'group/shops', ...hourly }),
        schedule('new'),
      ],
      objects: [shops, remoteSchedule('s', inGroup)],
      inventory: owned,
    });
    expect(startsPerWeek).toEqual({ before: 2 * 7, after: 168 + 7, unknown: none });
  });

  test('of a group that the plan creates are those of its members', () => {
    const entries = [
      group('shops', { agents: ['acme', 'globex'] }),
      schedule('s', { target: 'group/shops' }),
    ];
    expect(planOf({ entries }).startsPerWeek).toEqual({ before: 0, after: 14, unknown: none });
  });

  it.each([
    ['paused', { enabled: false }],
    ['not repeated', { cron: null, startTime: null, once: '2027-01-01T00:00:00' }],
  ])('are zero for schedules that are %s', (_, part) => {
    expect(planOf({ entries: [schedule('s', part)] }).startsPerWeek.after).toBe(0);
  });

  test('never count unknown times as a decrease, and count what is known afterwards', () => {
    const changed = (before: object, after: object) =>
      planOf({
        entries: [schedule('s', after), schedule('t')],
        objects: [remoteSchedule('s', before)],
        inventory: owning({ 'schedule/s': 's' }),
        limits: { runsPerWeek: 100 },
      });
    const lost = changed(hourly, unknown);
    expect(lost.startsPerWeek).toEqual({ before: 168, after: 7, unknown: { before: 0, after: 1 } });
    expect(refusalsIn(lost)).toEqual([]);
    const known = changed(unknown, hourly);
    expect(known.startsPerWeek).toEqual({ before: 0, after: 175, unknown: { before: 1, after: 0 } });
    expect(codesOf(refusalsIn(known))).toEqual(['too-many-runs']);
  });

  test('do not let a limit pass because other starts are no longer known', () => {
    const plan = planOf({
      entries: [schedule('s', unknown), schedule('t', { cron: '0 0 */2 * * *' })],
      objects: [remoteSchedule('s', hourly)],
      inventory: owning({ 'schedule/s': 's' }),
      limits: { runsPerWeek: 80 },
    });
    expect(plan.startsPerWeek).toEqual({ before: 168, after: 84, unknown: { before: 0, after: 1 } });
    expect(codesOf(refusalsIn(plan))).toEqual(['too-many-runs']);
  });

  test('do not count what the project does not manage, unless the plan deletes it', () => {
    const world = { entries: [schedule('s')], objects: [remoteSchedule('x', hourly)] };
    expect(planOf(world).startsPerWeek.before).toBe(0);
    expect(planOf({ ...world, prune: 'all', limits: { deletes: 9 } }).startsPerWeek).toMatchObject({
      after: 7,
    });
    const adopting = { entries: [schedule('s', hourly)], objects: [remoteSchedule('x', hourly)] };
    expect(planOf(adopting).startsPerWeek).toEqual({ before: 168, after: 168, unknown: none });
  });

  test('of a target that the service does not show are not known', () => {
    const world = { objects: [remoteSchedule('s', inGroup)], inventory: owned };
    const entries = [
      schedule('s', { target: 'group/theirs' }),
      group('theirs', {}, { external: true, id: 'shops' }),
    ];
    expect(planOf({ ...world, entries, objects: [...world.objects, shops] }).startsPerWeek).toMatchObject({
      before: 14,
      unknown: none,
    });
    expect(planOf({ objects: world.objects, inventory: owned }).startsPerWeek).toMatchObject({
      after: 0,
      unknown: { before: 1, after: 0 },
    });
  });

  test('are the same at any time, and so is the digest', () => {
    const entries = [schedule('s', { ...hourly, timeZone: 'Europe/Berlin' })];
    const [winter, summer] = ['2026-01-01', '2026-07-01'].map((day) =>
      planOf({ entries, now: new Date(day) }),
    );
    expect(summer?.startsPerWeek).toEqual(winter?.startsPerWeek);
    expect(summer?.digest).toBe(winter?.digest);
  });
});

describe('limits.startsPerWeek', () => {
  const objects = [remoteSchedule('s', hourly)];
  const inventory = owning({ 'schedule/s': 's' });
  const limits = { runsPerWeek: 100 };

  test('refuses a plan that raises the agent starts above it', () => {
    const plan = planOf({
      entries: [schedule('s', { ...hourly, cron: '0 */30 * * * *' })],
      objects,
      inventory,
      limits,
    });
    expect(codesOf(refusalsIn(plan))).toEqual(['too-many-runs']);
    expect(refusalsIn(plan)[0]?.message).toMatch(/^336 agents .*168 before.* 100 /);
  });

  test.each([
    [
      'lowers them, although they stay above it',
      [schedule('s', { cron: '0 0 */2 * * *' }), schedule('t', { cron: '0 0 6 * * *' })],
    ],
    ['leaves them as they are', [schedule('s', hourly)]],
  ])('does not refuse a plan that %s', (_, entries) => {
    expect(refusalsIn(planOf({ entries, objects, inventory, limits: { runsPerWeek: 50 } }))).toEqual([]);
  });

  test('does not refuse exactly the limit', () => {
    const entries = [schedule('s')];
    expect(refusalsIn(planOf({ entries, limits: { runsPerWeek: 7 } }))).toEqual([]);
    expect(codesOf(refusalsIn(planOf({ entries, limits: { runsPerWeek: 6 } })))).toEqual(['too-many-runs']);
  });

  test('is part of the digest, and raising or removing it is a risk', () => {
    const entries = [schedule('s')];
    const safeguards = {
      prune: 'owned',
      limits: { deletes: 5, startsPerMinute: 100, shortestInterval: '5 minutes', runsPerWeek: 100 },
    } as const;
    const applied = { ...owning({}), safeguards };
    const plans = ([100, 101, 'none'] as const).map((runsPerWeek) =>
      planOf({ entries, inventory: applied, limits: { runsPerWeek } }),
    );
    expect(plans.map(riskMessages)).toEqual([
      [],
      ['`limits.startsPerWeek` is 101, which allows more than at the last apply (100)'],
      ['`limits.startsPerWeek` is none, which allows more than at the last apply (100)'],
    ]);
    expect(new Set(plans.map(({ digest }) => digest)).size).toBe(3);
  });
});

describe('limits.shortestInterval', () => {
  const fast = { cron: '*/5 * * * * *' };
  const code = 'too-frequent';

  test('makes a new schedule that starts more often a risk and a warning', () => {
    const plan = planOf({ entries: [schedule('s', fast)] });
    const message =
      'starts again after 5 seconds, for example at 2026-11-01 00:00:00 and 00:00:05 UTC (limits.shortestInterval is 5 minutes)';
    expect(messages(plan, code)).toEqual([message]);
    expect(diagnosticsIn(plan)).toMatchObject([
      { code, severity: 'warning', message: `schedule/s ${message}` },
    ]);
    expect(diagnosticsIn(plan)[0]?.place?.file).toBe('roster.yaml');
  });

  test('also looks at changed ones, and at those that are enabled again', () => {
    const world = { entries: [schedule('s', fast)], inventory: owning({ 'schedule/s': 's' }) };
    for (const before of [{}, { ...fast, enabled: false }])
      expect(messages(planOf({ ...world, objects: [remoteSchedule('s', before)] }), code)).toHaveLength(1);
    expect(diagnosticsIn(planOf({ ...world, objects: [remoteSchedule('s', fast)] }))).toEqual([]);
  });

  test.each([
    ['a schedule that is paused', { ...fast, enabled: false }, '5 minutes'],
    ['a schedule whose interval is exactly the limit', { cron: '0 */5 * * * *' }, '5 minutes'],
    ['any schedule when it is none', fast, 'none'],
  ])('does not warn of %s', (_, part, shortestInterval) => {
    const plan = planOf({
      entries: [schedule('s', part)],
      limits: { shortestInterval, startsPerMinute: 999 },
    });
    expect([messages(plan, code), diagnosticsIn(plan)]).toEqual([[], []]);
  });

  test('says of a new schedule whose times are not known that it cannot be checked', () => {
    const of = (limits: Parameters<typeof planOf>[0]['limits']) =>
      messages(planOf({ entries: [schedule('s', unknown)], limits: limits ?? {} }), code);
    expect(of({})).toEqual([
      'its times cannot be computed here, so limits.shortestInterval cannot be checked',
    ]);
    expect(of({ runsPerWeek: 5 })[0]).toContain('limits.shortestInterval and limits.startsPerWeek cannot');
    expect(of({ shortestInterval: 'none' })).toEqual([]);
  });

  test('is a risk of the plan when it is shorter than at the last apply', () => {
    const risks = (shortestInterval: string) =>
      riskMessages(planOf({ entries: [schedule('s')], limits: { shortestInterval, startsPerMinute: 60 } }));
    expect(risks('1 minute')).toEqual([
      '`limits.shortestInterval` is 1 minute, which allows more than the default (5 minutes)',
    ]);
    expect(risks('none')).toHaveLength(1);
    expect(risks('1 hour')).toEqual([]);
  });
});
