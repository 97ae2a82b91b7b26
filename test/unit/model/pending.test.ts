import { describe, expect, test } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';
import { canonical, type JsonObject } from '../../../src/model/json.js';
import type { Kind } from '../../../src/model/kind.js';
import {
  pendingAddresses,
  resolveIdentity,
  resolveRequest,
  resolveValues,
} from '../../../src/model/pending.js';
import type { Request } from '../../../src/model/request.js';
import * as groups from '../../../src/service/operations/groups.js';
import * as schedules from '../../../src/service/operations/schedules.js';

const ids = new Map([['group/x', 'id-of-x']]);
const [group, schedule] = ['group', 'schedule'].map((name) => kinds.find((kind) => kind.name === name)) as [
  Kind,
  Kind,
];

/** Values of users that look like pending ids. */
const lookalikes: readonly JsonObject[] = [
  { pending: 'soon' },
  { pending: 'group/x' },
  { pending: { pending: 'group/x' } },
  { target: { pending: 'group/x' } },
  { list: [{ pending: 'group/x' }, ['group', { pending: 'group/x' }]] },
  JSON.parse('{"__proto__":{"pending":"group/x"}}') as JsonObject,
  JSON.parse('{"constructor":{"pending":"group/x"}}') as JsonObject,
];

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const body = (inputs: JsonObject): schedules.ScheduleBody => ({
  targetType: 'Group',
  targetId: { pending: 'group/x' },
  scheduleType: 'Once',
  startTime: '2026-12-01T06:00:00',
  timeZoneId: 'UTC',
  inputParameters: JSON.stringify(inputs),
  isEnabled: true,
});

describe('a request', () => {
  test('gets the ids of created objects in its path and its body, also after a JSON round trip', () => {
    const update = groups.updateGroup({ pending: 'group/x' }, { isActive: false });
    expect(resolveRequest(throughJson(update), ids).path).toBe('/api/search-groups/id-of-x');
    const create = throughJson(schedules.createSchedule(body({})));
    expect(resolveRequest(create, ids)).toEqual({
      ...schedules.createSchedule({ ...body({}), targetId: 'id-of-x' }),
    });
  });

  test.each(lookalikes)('keeps inputs such as %j', (inputs) => {
    const { body: sent } = resolveRequest(schedules.createSchedule(body(inputs)), ids);
    expect((sent as JsonObject)['inputParameters']).toBe(JSON.stringify(inputs));
  });

  test.each(lookalikes)('keeps a body such as %j', (value) => {
    const request: Request = { method: 'PUT', path: '/api/x', body: value, effect: 'repeatable' };
    expect(canonical(resolveRequest(throughJson(request), ids).body ?? null)).toBe(canonical(value));
  });

  test('that waits for an unknown id is a bug', () => {
    const create = schedules.createSchedule({ ...body({}), targetId: { pending: 'group/y' } });
    expect(() => resolveRequest(create, ids)).toThrow('the id of group/y is not known yet');
    const update = groups.updateGroup({ pending: 'group/y' }, {});
    expect(() => resolveRequest(update, ids)).toThrow('the id of group/y is not known yet');
  });

  test('takes no property of Object.prototype for an id', () => {
    const create = schedules.createSchedule({ ...body({}), targetId: { pending: 'constructor' } });
    expect(() => resolveRequest(create, ids)).toThrow('constructor is not known');
  });
});

describe('canonical values', () => {
  const pending = { target: ['group', { pending: 'group/x' }] };

  test('get the id of a pending reference, also after a JSON round trip', () => {
    expect(pendingAddresses(schedule, pending)).toEqual(['group/x']);
    expect(resolveValues(schedule, throughJson(pending), ids)).toEqual({ target: ['group', 'id-of-x'] });
  });

  test('keep a pending reference whose id is not known', () => {
    expect(resolveValues(schedule, pending, new Map())).toEqual(pending);
    expect(resolveValues(schedule, pending, new Map([['group/x', { pending: 'group/x' }]]))).toEqual(pending);
  });

  test.each(lookalikes)('keep inputs such as %j', (inputs) => {
    const values = { ...pending, inputs };
    const resolved = resolveValues(schedule, throughJson(values), ids);
    expect(canonical(resolved['inputs'] ?? null)).toBe(canonical(inputs));
    expect(pendingAddresses(schedule, values)).toEqual(['group/x']);
  });

  test.each([
    null,
    'group/x',
    [],
    ['group'],
    { pending: 'group/x' },
    ['group', { pending: 7 }],
    ['group', null],
  ])('keep a reference that was edited by hand to %j', (target) => {
    expect(resolveValues(schedule, { target }, ids)).toEqual({ target });
    expect(pendingAddresses(schedule, { target })).toEqual([]);
  });

  test('keep fields that the kind does not have', () => {
    const values = JSON.parse('{"__proto__":["group",{"pending":"group/x"}]}') as JsonObject;
    expect(canonical(resolveValues(schedule, values, ids))).toBe(canonical(values));
  });
});

describe('a natural key', () => {
  const spec = (target: object, cron: string) => ({
    target,
    every: null,
    cron,
    once: null,
    startTime: '2026-12-01T06:00:00',
    timeZone: 'UTC',
    inputs: {},
    enabled: true,
  });

  test('gets the id of a pending reference and keeps texts that look like one', () => {
    const cron = '{"pending":"group/x"}';
    const identity = schedule.identity.of(spec({ kind: 'group', id: { pending: 'group/x' } }, cron));
    expect(resolveIdentity(schedule, identity, ids)).toBe(
      schedule.identity.of(spec({ kind: 'group', id: 'id-of-x' }, cron)),
    );
    expect(resolveIdentity(schedule, identity, new Map())).toBe(identity);
  });

  test.each(['{"pending":"group/x"}', '["group",{"pending":"group/x"}]', '[', 'x'])(
    'of a group named %s stays unchanged',
    (name) => {
      expect(resolveIdentity(group, name, ids)).toBe(name);
    },
  );

  test.each(['', 'x', '7', '{"pending":"group/x"}', '[]', '[["group",{"pending":"group/y"}]]'])(
    'of a schedule that was edited by hand to %s stays unchanged',
    (identity) => {
      expect(resolveIdentity(schedule, identity, ids)).toBe(identity);
    },
  );
});
