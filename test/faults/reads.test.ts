import { describe, expect } from 'vitest';
import type { Fault } from '../../src/sandbox/index.js';
import { jsonOf } from '../support/json.js';
import { experiments } from './support/experiments.js';
import { type Fixture, stateOf, withFixture } from './support/fixture.js';
import { busy } from './support/scenarios.js';

const lists = {
  agents: '/api/scraper-agents',
  groups: '/api/search-groups',
  pipelines: '/api/pipelines',
  schedules: '/api/schedules',
  keys: '/api/api-keys',
} as const;
type List = keyof typeof lists;
type Item = Readonly<Record<string, unknown>>;

/** A faulty response to one list request, built from the items that the service would return. */
type Odd = (items: readonly Item[]) => Omit<Fault, 'act'> | Fault;

const status =
  (code: number, more: Omit<Fault, 'act'> = {}): Odd =>
  () => ({ act: 'status', status: code, ...more });
const text = (body: string, more: Omit<Fault, 'act'> = {}): Odd => status(200, { body, ...more });
const body =
  (of: (items: readonly Item[]) => unknown): Odd =>
  (items) =>
    text(JSON.stringify(of(items)))(items);
const data = (of: (items: readonly Item[]) => unknown): Odd =>
  body((items) => ({ success: true, data: of(items) }));
const first = (change: Item): Odd => data(([one, ...rest]) => [{ ...one, ...change }, ...rest]);
const without = (name: string): Odd => data((items) => items.map((each) => omit(each, name)));
const act =
  (fault: Fault): Odd =>
  () =>
    fault;

function omit(item: Item, name: string): Item {
  return Object.fromEntries(Object.entries(item).filter(([key]) => key !== name));
}

/** Responses that are no complete list under any variant. */
const unusable: Readonly<Record<string, Odd>> = {
  401: status(401),
  403: status(403),
  404: status(404),
  405: status(405),
  410: status(410),
  '429 every time': status(429),
  '429 with a long Retry-After': status(429, { headers: { 'Retry-After': '86400' } }),
  500: status(500),
  '502 with an HTML page': status(502, { body: '<html><title>Bad gateway</title></html>' }),
  'a redirect': act({ act: 'redirect', location: 'https://elsewhere.example/' }),
  'no response': act({ act: 'hang' }),
  'a response that arrives byte by byte': act({ act: 'drip', ms: 40 }),
  'a connection that is reset': act({ act: 'drop' }),
  'a response that breaks off': act({ act: 'cut' }),
  'half of the JSON': (items) => {
    const whole = JSON.stringify({ success: true, data: items });
    return text(whole.slice(0, whole.length / 2))(items);
  },
  'a page in HTML': text('<html><title>Sign in</title></html>', { headers: { 'Content-Type': 'text/html' } }),
  'no body': text(''),
  204: status(204),
  'a list that does not end': text('{"success":true,"data":['),
  'success: false': body(() => ({ success: false, message: 'no' })),
  'success: false next to the list': body((items) => ({ success: false, data: items })),
  'success: "yes"': body((items) => ({ success: 'yes', data: items })),
  'no data': body(() => ({ success: true })),
  'data: null': data(() => null),
  'data: {}': data(() => ({})),
  'data: text': data(() => 'none'),
  'data: 0': data(() => 0),
  'no items': data(() => ({ total: 0, nextCursor: null })),
  'items: null': data(() => ({ items: null })),
  'items: {}': data(() => ({ items: {} })),
  'items as an object of items': data((items) => ({ items: { ...items } })),
  'a cursor that repeats': data((items) => ({ items, nextCursor: 'again' })),
  'a cursor that is a number': data((items) => ({ items, nextCursor: 2 })),
  'an empty page before the next': data(() => ({ items: [], nextCursor: 'next' })),
  'a total above the items': data((items) => ({ items, total: items.length + 1 })),
  'a total below the items': data((items) => ({ items, total: items.length - 1 })),
  'a total next to the list that is larger': body((items) => ({ success: true, data: items, total: 99 })),
  'a total that is text': data((items) => ({ items, total: 'many' })),
  'a total below zero': data((items) => ({ items, total: -1 })),
  'a totalSchedules that differs from the list': data((items) => ({
    items,
    totalSchedules: items.length + 1,
  })),
  'two totals': data((items) => ({ items, total: items.length, totalSchedules: items.length + 1 })),
  'hasMore without a cursor': data((items) => ({ items, hasMore: true })),
  'the same id twice': data((items) => [...items, items[0]]),
  'the same id twice, in another letter case': data((items) => [
    ...items,
    { ...items[0], id: String(items[0]?.['id']).toUpperCase() },
  ]),
  'an item that is null': data((items) => [...items, null]),
  'an item that is text': data((items) => [...items, 'one more']),
  'an item that is a list': data((items) => [...items, []]),
  'an id with dots': first({ id: '..' }),
  'an id with a path and a query': first({ id: 'a/b?x' }),
  'an id that is empty': first({ id: '' }),
  'an id that is an object': first({ id: {} }),
  'an id beyond 2^53': first({ id: 2 ** 53 }),
};

const unusableCases = Object.keys(unusable).flatMap((answer) =>
  (Object.keys(lists) as List[]).map((list) => ({ list, answer })),
);

/** Faulty items of one list. */
const invalidItems: Readonly<Record<List, Readonly<Record<string, Odd>>>> = {
  agents: {
    'an item without id': without('id'),
    'no externalAgentId': without('externalAgentId'),
    'a number for a name': first({ name: 7 }),
    'inputParameters: 7': first({ inputParameters: 7 }),
  },
  groups: {
    'an item without id': without('id'),
    'no name': without('name'),
    'isActive: "perhaps"': first({ isActive: 'perhaps' }),
    'isActive: "true"': first({ isActive: 'true' }),
    'canManage: 1': first({ canManage: 1 }),
    'canManage: "true"': first({ canManage: 'true' }),
    'members: {}': first({ members: {} }),
    'fewer members than memberCount': first({ memberCount: 9 }),
    'a member that is a number': first({ members: [7], memberCount: 1 }),
    'a description that is a list': first({ description: [] }),
  },
  pipelines: {
    'an item without id': without('id'),
    'isActive: "false"': first({ isActive: 'false' }),
    'canManage: "yes"': first({ canManage: 'yes' }),
    'steps: "none"': first({ steps: 'none' }),
    'two stages with one position': first({ steps: steps(1, 1), stepCount: 2 }),
    'a stage without its position': first({ steps: steps(1, null), stepCount: 2 }),
    'fewer stages than stepCount': first({ stepCount: 9 }),
  },
  schedules: {
    'an item without id': without('id'),
    'scheduleType: Lunar': first({ scheduleType: 'Lunar' }),
    'targetType: Planet': first({ targetType: 'Planet' }),
    'status: Paused': first({ status: 'Paused' }),
    'status: 2': first({ status: 2 }),
    'neither isEnabled nor status': data((items) =>
      items.map((each) => omit(omit(each, 'isEnabled'), 'status')),
    ),
    'isEnabled: "off"': first({ isEnabled: 'off' }),
    'isEnabled: "true"': first({ isEnabled: 'true' }),
    'isEnabled: 1': first({ isEnabled: 1 }),
    'intervalUnit: Fortnights': first({
      scheduleType: 'Basic',
      intervalValue: 1,
      intervalUnit: 'Fortnights',
    }),
    'intervalValue: 0': first({ scheduleType: 'Basic', intervalValue: 0, intervalUnit: 'Days' }),
    'no startTime': without('startTime'),
    'a startTime that is a number': first({ startTime: 4_070_908_800 }),
    'a startTime on 30 February': first({ startTime: '2099-02-30T06:00:00' }),
    'a startTime with an offset': first({ startTime: '2099-01-01T06:00:00Z' }),
    'no targetId': without('targetId'),
    'inputParameters: [1]': first({ inputParameters: [1] }),
    'two ids': first({ scheduleId: 'another' }),
  },
  keys: {
    'no isActive': without('isActive'),
    'isActive: "true"': first({ isActive: 'true' }),
    'isRevoked: "maybe"': first({ isRevoked: 'maybe' }),
    'isRevoked: "false"': first({ isRevoked: 'false' }),
    'scopes that are text': first({ scopes: 'agents.run' }),
    'a name that is a number': first({ name: 7 }),
  },
};

function steps(...places: readonly (number | null)[]): readonly Item[] {
  return places.map((sortOrder, index) => ({
    scraperAgentId: `a9e00000-0000-4000-8000-00000000000${index + 1}`,
    externalAgentId: `stage-${index}`,
    ...(sortOrder === null ? {} : { sortOrder }),
  }));
}

/** I7: a list that is incomplete or not understood leads to no write, and the message names its path. */
describe('unusable lists', () => {
  experiments(
    'I7',
    'read: a list that is incomplete under every variant stops the run',
    unusableCases,
    ({ list, answer }) => expectRefused(list, unusable[answer]),
    33,
  );
  experiments(
    'I7',
    'read: a list with an invalid item stops the run',
    (Object.keys(lists) as List[]).flatMap((list) =>
      Object.keys(invalidItems[list]).map((answer) => ({ list, answer })),
    ),
    ({ list, answer }) => expectRefused(list, invalidItems[list][answer]),
    13,
  );
  experiments(
    'I7',
    'read: a list whose later page fails stops the run',
    (Object.keys(lists) as List[]).flatMap((list) =>
      ['500', 'cut', 'gone', 'shorter', 'repeats'].map((how) => ({ list, how })),
    ),
    ({ list, how }) => withFixture(busy, (fixture) => laterPage(fixture, list, how)),
    13,
  );
});

async function expectRefused(list: List, odd: Odd | undefined): Promise<void> {
  if (odd === undefined) throw new Error('there is no such response');
  await withFixture(busy, async (fixture) => {
    const items = await itemsOf(fixture, list);
    fixture.inject({ act: 'status', method: 'GET', path: lists[list], ...odd(items) });
    await expectNoWrite(fixture, lists[list]);
  });
}

async function expectNoWrite(fixture: Fixture, path: string): Promise<void> {
  const before = stateOf(fixture.sandbox);
  const ran = await fixture.apply({ timeout: '250ms', format: 'json' });
  const { diagnostics } = jsonOf(ran) as { diagnostics: { message: string; severity: string }[] };
  expect(fixture.writes()).toEqual([]);
  expect(stateOf(fixture.sandbox)).toBe(before);
  expect(ran.exit).toBe(1);
  expect(diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([
    expect.stringContaining(`GET ${path}`),
  ]);
}

/** The first page is correct and says that there are more. */
async function laterPage(fixture: Fixture, list: List, how: string): Promise<void> {
  const [path, items] = [lists[list], await itemsOf(fixture, list)];
  const page = (of: object) => ({ body: JSON.stringify({ success: true, data: of }) });
  const start: Fault = { act: 'status', path, nth: 1, status: 200, ...page({ items, nextCursor: 'second' }) };
  const rest: Readonly<Record<string, Fault>> = {
    500: { act: 'status', path, status: 500 },
    cut: { act: 'cut', path },
    gone: { act: 'status', path, status: 404 },
    shorter: { act: 'status', path, status: 200, ...page({ items: [], total: items.length + 2 }) },
    repeats: { act: 'status', path, status: 200, ...page({ items, nextCursor: null }) },
  };
  const after = rest[how];
  if (after === undefined) throw new Error(`there is no page ${how}`);
  fixture.inject(start, after);
  await expectNoWrite(fixture, path);
}

async function itemsOf({ sandbox }: Fixture, list: List): Promise<readonly Item[]> {
  const answer = await fetch(sandbox.url + lists[list], { headers: { 'X-Api-Key': sandbox.apiKey } });
  const { data: items } = (await answer.json()) as { data: readonly Item[] };
  sandbox.requests.length = 0;
  return items;
}

/** Unusual responses that the interface allows. */
const legal: readonly { readonly list: List; readonly why: string; readonly odd: Odd }[] = [
  { list: 'keys', why: 'the listed fields of a key show no id (§2)', odd: without('id') },
  { list: 'groups', why: 'a list may omit members: they are read by id (§4)', odd: without('members') },
  { list: 'groups', why: 'nothing depends on the last run (§2)', odd: first({ lastRunStatus: 'Exploded' }) },
  { list: 'pipelines', why: 'a list may omit steps: they are read by id (§4)', odd: without('steps') },
  {
    list: 'schedules',
    why: 'the id of a schedule may have this name (§2)',
    odd: data((items) => items.map(({ id, ...each }) => ({ ...each, scheduleId: id }))),
  },
  {
    list: 'schedules',
    why: 'targetType has a default (§2)',
    odd: data((items) =>
      items.map((each) => (each['targetType'] === 'Agent' ? omit(each, 'targetType') : each)),
    ),
  },
  {
    list: 'schedules',
    why: 'totalSchedules counts the whole list (§4)',
    odd: data((items) => ({ items, total: items.length, totalSchedules: items.length })),
  },
  { list: 'agents', why: 'success may be omitted', odd: body((items) => ({ data: items })) },
  {
    list: 'groups',
    why: 'a null cursor ends the list (§1.7)',
    odd: data((items) => ({ items, nextCursor: null })),
  },
];

describe('unusual lists', () => {
  experiments(
    'I7',
    'read: an unusual list that the interface allows is read',
    legal.map(({ list, why }) => ({ list, why })),
    async ({ list, why }) => {
      const each = legal.find((one) => one.why === why);
      if (each === undefined) throw new Error(`there is no ${why}`);
      await withFixture(busy, async (fixture) => {
        // Only the first read: the read-back gets the current list.
        fixture.inject({
          act: 'status',
          method: 'GET',
          path: lists[list],
          nth: 1,
          ...each.odd(await itemsOf(fixture, list)),
        });
        expect(await fixture.apply()).toMatchObject({ exit: 0 });
        await fixture.expectDesired();
      });
    },
    5,
  );
});

/** Faulty responses to reading one object by its id. */
const details: Readonly<Record<string, Fault>> = {
  403: { act: 'status', status: 403 },
  404: { act: 'status', status: 404 },
  500: { act: 'status', status: 500 },
  'no response': { act: 'hang' },
  'data: null': { act: 'status', status: 200, body: '{"success":true,"data":null}' },
  'data: []': { act: 'status', status: 200, body: '{"success":true,"data":[]}' },
  'another id': { act: 'status', status: 200, body: '{"success":true,"data":{"id":"7","name":"kept"}}' },
  'success: false': { act: 'status', status: 200, body: '{"success":false}' },
};

describe('reads by id', () => {
  experiments(
    'I7',
    'read: an object that is read by its id and not understood stops the run',
    Object.keys(details).flatMap((answer) =>
      ['groups', 'pipelines'].map((list) => ({ list: list as List, answer })),
    ),
    async ({ list, answer }) => {
      await withFixture(
        busy,
        async (fixture) => {
          const fault = details[answer];
          if (fault === undefined) throw new Error(`there is no ${answer}`);
          fixture.inject({ ...fault, path: `${lists[list]}/*` });
          await expectNoWrite(fixture, `${lists[list]}/`);
        },
        { variants: ['items-without-members'] },
      );
    },
    7,
  );
});
