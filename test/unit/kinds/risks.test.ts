import { describe, expect, it } from 'vitest';
import { type KeySpec, key } from '../../../src/kinds/key.js';
import { schedule } from '../../../src/kinds/schedule.js';
import type { ScheduleSpec } from '../../../src/kinds/schedule-spec.js';
import type { Risk } from '../../../src/model/finding.js';
import type { JsonObject } from '../../../src/model/json.js';
import type { Kind, RiskInputs } from '../../../src/model/kind.js';
import type { Observed } from '../../../src/model/resource.js';

const now = new Date('2026-12-01T00:00:00Z');

function risksOf<D, S>(kind: Kind<D, S>, change: RiskInputs<S>): readonly Risk[] {
  return kind.risks?.(change) ?? [];
}

function observed<S>(spec: S, facts: JsonObject = {}): Observed<S> {
  return { kind: 'x', id: '1', rawId: 1, name: 'ci', manageable: true, caller: false, facts, spec };
}

describe('risks of a schedule', () => {
  const daily: ScheduleSpec = {
    target: { kind: 'agent', id: 'a' },
    every: null,
    cron: '0 0 6 * * *',
    once: null,
    startTime: '2026-12-01T00:00:00',
    timeZone: 'UTC',
    inputs: {},
    enabled: true,
  };
  const reported = (before: Partial<ScheduleSpec>, after: Partial<ScheduleSpec> | null) =>
    risksOf(schedule, {
      observed: observed({ ...daily, ...before }),
      after: after === null ? null : { ...daily, ...before, ...after },
      now,
    }).map((risk) => risk.message);

  it.each<[string, Partial<ScheduleSpec>, Partial<ScheduleSpec> | null, string[]]>([
    ['nothing that matters', {}, { inputs: { a: 1 } }, []],
    ['less often at the same hours', { cron: '0 0 * * * *' }, { cron: '0 0 6 * * *' }, []],
    ['another minute of the same hour', {}, { cron: '0 30 6 * * *' }, []],
    ['more often', {}, { cron: '0 0,30 6 * * *' }, ['runs more often: 14 instead of 7 runs a week']],
    ['at more hours', {}, { cron: '0 0 6,18 * * *' }, ['runs more often: 14 instead of 7 runs a week']],
    [
      'more often and elsewhere',
      {},
      { cron: '0 0 7,18 * * *' },
      [
        'runs more often: 14 instead of 7 runs a week',
        'runs at another hour: `07:00, 18:00 UTC` instead of `06:00 UTC`',
      ],
    ],
    [
      'another zone',
      {},
      { timeZone: 'Asia/Tokyo' },
      ['runs at another hour: `06:00 Asia/Tokyo` instead of `06:00 UTC`'],
    ],
    [
      'a zone that differs in summer alone',
      { timeZone: 'Europe/London' },
      { timeZone: 'UTC' },
      ['runs at another hour: `06:00 UTC` instead of `06:00 Europe/London`'],
    ],
    ['another zone with the same clocks', { timeZone: 'Europe/Berlin' }, { timeZone: 'Europe/Paris' }, []],
    [
      'once a year to once a month',
      { cron: '0 0 6 1 1 *' },
      { cron: '0 0 6 1 * *' },
      ['runs more often: 12 runs a year instead of 1 run a year'],
    ],
    ['back again', { enabled: false }, { enabled: true }, []],
    ['paused', {}, { enabled: false }, []],
    [
      'times that cannot be computed before',
      { cron: '0 0 0 ? * MON#1,TUE#2' },
      { cron: '0 0 6 * * *' },
      ['changes its times, which cannot be computed here: it may run more often'],
    ],
    [
      'times that cannot be computed afterwards',
      {},
      { cron: '0 0 0 ? * MON#1,TUE#2' },
      ['changes its times, which cannot be computed here: it may run more often'],
    ],
    ['unchanged times that cannot be computed', { cron: '0 0 0 5C * ?' }, { inputs: { a: 1 } }, []],
    [
      'times that cannot be computed, back again',
      { cron: '0 0 0 5C * ?', enabled: false },
      { enabled: true },
      [],
    ],
    [
      'times that cannot be computed, gone',
      { cron: '0 0 0 5C * ?' },
      null,
      ['stops an enabled schedule, whose times cannot be computed here'],
    ],
    ['gone', {}, null, ['stops 7 runs a week']],
    ['gone while paused', { enabled: false }, null, ['is paused, so it stops no runs']],
    ['what cannot be read', { timeZone: 'Mars/Olympus' }, {}, []],
  ])('%s', (_, before, after, messages) => expect(reported(before, after)).toEqual(messages));

  it.each<[string, Partial<ScheduleSpec>, Partial<ScheduleSpec>, (string | undefined)[]]>([
    ['more often', {}, { cron: '0 0,30 6 * * *' }, ['runs more often']],
    ['another zone', {}, { timeZone: 'Asia/Tokyo' }, [undefined]],
  ])('%s, beside how often it runs', (_, before, after, texts) => {
    const risks = risksOf(schedule, {
      observed: observed({ ...daily, ...before }),
      after: { ...daily, ...before, ...after },
      now,
    });
    expect(risks.map(({ besideCadence }) => besideCadence)).toEqual(texts);
  });

  it('a new schedule has no risk', () =>
    expect(risksOf(schedule, { observed: null, after: daily, now })).toEqual([]));
});

describe('risks of a key', () => {
  const spec = (scopes: readonly string[]): KeySpec => ({ name: 'ci', scopes });
  const facts = { keyPrefix: 'svc_live_ab', lastUsedDate: '2026-11-20T10:00:00Z' };
  const stops = {
    code: 'key',
    message: 'the key "ci" (svc_live_ab…, last used 2026-11-20 10:00 UTC) stops working',
  };

  it.each<[string, readonly string[] | null, readonly string[] | null, string[]]>([
    ['new', null, ['agents.run'], []],
    ['new with all', null, [], ['has the full access of its user']],
    ['fewer', ['a', 'b'], ['a'], []],
    ['more', ['a'], ['a', 'b', 'c'], ['has more scopes than before: b, c']],
    ['all instead of some', ['a'], [], ['has the full access of its user']],
    ['all as before', [], [], []],
    ['some instead of all', [], ['a'], []],
  ])('%s', (_, before, after, wider) => {
    const risks = risksOf(key, {
      observed: before === null ? null : observed(spec(before), facts),
      after: after === null ? null : spec(after),
      now,
    });
    expect(risks).toEqual([
      ...(before === null ? [] : [stops]),
      ...wider.map((message) => ({ code: 'scopes', message })),
    ]);
  });

  it('an unknown last use is stated', () => {
    const risks = risksOf(key, { observed: observed(spec([])), after: null, now });
    expect(risks.map((risk) => risk.message)).toEqual([
      'the key "ci" (never used, according to the service) stops working',
    ]);
  });
});
