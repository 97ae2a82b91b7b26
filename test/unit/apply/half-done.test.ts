import { describe, expect, test } from 'vitest';
import { executePlan } from '../../../src/apply/apply.js';
import type { ApplyInputs, Verdict } from '../../../src/apply/run-state.js';
import { kinds } from '../../../src/kinds/index.js';
import type { Inventory } from '../../../src/model/inventory.js';
import { emptyInventory } from '../../../src/model/inventory.js';
import type { Request } from '../../../src/model/request.js';
import type { Observed } from '../../../src/model/resource.js';
import {
  group,
  owning,
  planOf,
  remoteGroup,
  remoteSchedule,
  type SmallWorld,
  schedule,
} from '../../support/small-world.js';

/** What a run makes of requests that fail in different ways, without a service. */

type Failure = Partial<Verdict>;
/** How the service answers a request: data, or a failure. */
type Answers = (request: Request) => unknown;

class Failed extends Error {
  constructor(readonly verdict: Failure) {
    super('failed');
  }
}

const failed = (verdict: Failure = {}): never => {
  throw new Failed(verdict);
};
const refused: Failure = { certainty: 'refused' };
const unknown: Failure = { certainty: 'unknown' };

interface Service {
  readonly answers?: Answers;
  /** All lists. */
  readonly listed?: () => readonly Observed[];
  readonly read?: (path: string) => Observed;
  readonly interrupted?: () => boolean;
  readonly lost?: () => boolean;
}

async function run(world: SmallWorld, service: Service = {}) {
  const sent: string[] = [];
  const lists: string[] = [];
  const { objects = [], inventory = emptyInventory('small', null) } = world;
  const { answers = () => null, listed = () => objects } = service;
  const saved: Inventory[] = [];
  const inputs = {
    plan: planOf(world),
    kinds,
    observed: new Map(kinds.map(({ name }) => [name, objects.filter(({ kind }) => kind === name)])),
    isPart: false,
    inventory,
    intent: null,
    lock: { save: async (each: Inventory) => void saved.push(each), lost: service.lost ?? (() => false) },
    writer: {
      async send(request: Request) {
        sent.push(`${request.method} ${request.path}`);
        return { data: answers(request) };
      },
      judge(failure: unknown): Verdict {
        if (!(failure instanceof Failed)) throw failure;
        const plain = { gone: false, unauthorized: false, givenUp: null, message: 'why' } as const;
        return { certainty: 'refused', ...plain, ...failure.verdict };
      },
      reader: {
        async read({ request }: { request: Request }) {
          return service.read === undefined ? failed({ gone: true }) : service.read(request.path);
        },
        async readAll({ request }: { request: Request }) {
          lists.push(request.path);
          const section = /schedules|search-groups/.exec(request.path)?.[0];
          return listed().filter(({ kind }) => (kind === 'schedule') === (section === 'schedules'));
        },
      },
    },
    keys: {},
    control: {
      concurrency: 1,
      interrupted: service.interrupted ?? (() => false),
      onStep: () => {},
      now: () => new Date(0),
      serviceNow: () => new Date(0),
      sleep: async () => {},
    },
    withheld: new Map(),
    isRest: false,
  };
  const { outcomes } = await executePlan(inputs as unknown as ApplyInputs);
  return {
    sent,
    lists,
    owned: [...(saved.at(-1)?.entries ?? [])].map(([address, { id }]) => `${address} ${id}`),
    since: [...(saved.at(-1)?.entries ?? [])].map(([, each]) => each.since),
    outcomes: outcomes.map(({ address, outcome, error }) =>
      error === null ? `${address} ${outcome}` : `${address} ${outcome}: ${error}`,
    ),
  };
}

const twoRequests = (): SmallWorld => ({
  entries: [group('a', { description: 'new', agents: ['acme'] })],
  objects: [remoteGroup('1', { name: 'a' })],
  inventory: owning({ 'group/a': '1' }),
});

describe('a change of two requests', () => {
  test('of which only the first was sent has failed: it is half made', async () => {
    let requests = 0;
    const interrupted = () => requests > 0;
    const answers = () => {
      requests += 1;
      return null;
    };
    const { sent, outcomes } = await run(twoRequests(), { answers, interrupted });
    expect(sent).toHaveLength(1);
    expect(outcomes).toEqual(['group/a failed: started but not finished: interrupted before it started']);
  });

  test('of which none was sent is skipped', async () => {
    const { outcomes } = await run(twoRequests(), { interrupted: () => true });
    expect(outcomes).toEqual(['group/a skipped: interrupted before it started']);
  });

  test('of which the first one’s result is unknown is unknown', async () => {
    const { outcomes } = await run(twoRequests(), { answers: () => failed(unknown) });
    expect(outcomes).toEqual(['group/a unknown: why']);
  });
});

const three = ['a', 'b', 'c'];
const changes = (): SmallWorld => ({
  entries: three.map((key) => group(key, { description: 'new' })),
  objects: three.map((name) => remoteGroup(name)),
  inventory: owning(Object.fromEntries(three.map((name) => [`group/${name}`, name]))),
});

describe('no further request is sent', () => {
  test.each<[string, Failure]>([
    ['after the deadline for rate limits', { certainty: 'not-sent', givenUp: 'deadline' }],
    ['after the key stopped working', { certainty: 'refused', unauthorized: true }],
  ])('%s', async (_, verdict) => {
    const { sent, outcomes } = await run(changes(), { answers: () => failed(verdict) });
    expect(sent).toHaveLength(1);
    expect(outcomes.slice(1).every((each) => each.includes(' skipped: '))).toBe(true);
  });

  test('after the lock was lost', async () => {
    let requests = 0;
    const answers = () => {
      requests += 1;
      return null;
    };
    const { sent, outcomes } = await run(changes(), { answers, lost: () => requests > 1 });
    expect(sent).toHaveLength(2);
    expect(outcomes.at(-1)).toBe('group/c skipped: this command may have lost the lock on the inventory');
  });

  test('but a request that was refused by itself stops no other', async () => {
    const answers = ({ path }: Request) => (path.endsWith('/a') ? failed(refused) : null);
    const { sent, outcomes } = await run(changes(), { answers });
    expect([sent.length, outcomes]).toEqual([3, ['group/a failed: why', 'group/b done', 'group/c done']]);
  });
});

describe('what the inventory records', () => {
  test('a create that failed is not owned', async () => {
    const { owned } = await run({ entries: [group('a')] }, { answers: () => failed(refused) });
    expect(owned).toEqual([]);
  });

  test.each<[string, Answers, string[]]>([
    ['failed stays owned', () => failed(refused), ['group/a a', 'group/b b']],
    ['has an unknown result stays owned', () => failed(unknown), ['group/a a', 'group/b b']],
    ['is done is forgotten', () => null, ['group/b b']],
  ])('what a delete leaves: one that %s', async (_, answers, expected) => {
    const objects = [remoteGroup('a'), remoteGroup('b')];
    const inventory = owning({ 'group/a': 'a', 'group/b': 'b' });
    // Before a delete, the object is read again.
    const read = () => remoteGroup('a');
    expect((await run({ entries: [group('b')], objects, inventory }, { answers, read })).owned).toEqual(
      expected,
    );
  });
});

test.each([
  ['another time', { cron: '0 0 7 * * *' }, '1970-01-01T00:00:00.000Z'],
  ['other inputs', { inputs: { country: 'AT' } }, '2026-10-01T00:00:00.000Z'],
])('a schedule that gets %s is followed from the right time on', async (_, part, expected) => {
  const { since } = await run(
    {
      entries: [schedule('s', part)],
      objects: [remoteSchedule('1')],
      inventory: owning({ 'schedule/s': '1' }, { name: null, since: '2026-10-01T00:00:00.000Z' }),
    },
    { listed: () => [remoteSchedule('1')] },
  );
  expect(since).toEqual([expected]);
});

test('a delete whose object cannot be read again because of a rate limit is skipped: nothing was sent', async () => {
  const world = { entries: [group('b')], objects: [remoteGroup('a'), remoteGroup('b')] };
  const read = () => failed({ certainty: 'refused', givenUp: 'interrupt' });
  const { sent, outcomes } = await run(
    { ...world, inventory: owning({ 'group/a': 'a', 'group/b': 'b' }) },
    { read },
  );
  expect([sent, outcomes]).toEqual([[], ['group/a skipped: reading it again failed: why']]);
});

test('schedules that are paused at once and end differently have outcomes of their own', async () => {
  const often = ['0 0 6 * * *', '0 0 7 * * *', '0 0 8 * * *'];
  const objects = often.map((cron, index) => remoteSchedule(String(index), { cron }));
  const world = {
    entries: often.map((cron, index) => schedule(`s${index}`, { cron, enabled: false })),
    objects,
    inventory: owning(Object.fromEntries(often.map((_, index) => [`schedule/s${index}`, String(index)]))),
  };
  const answers = ({ path }: Request) => (path.includes('/1/') ? failed(refused) : null);
  const { outcomes } = await run(world, { answers });
  expect(outcomes).toEqual(['schedule/s0 done', 'schedule/s1 failed: why', 'schedule/s2 done']);
});

describe('a create whose answer is lost', () => {
  const lost = ({ method }: Request) => (method === 'POST' ? failed(unknown) : null);
  const made = remoteGroup('new', { name: 'a' });

  test('is found in the list', async () => {
    const { outcomes, owned } = await run({ entries: [group('a')] }, { answers: lost, listed: () => [made] });
    expect([outcomes, owned]).toEqual([['group/a done'], ['group/a new']]);
  });

  test('is not looked for in an interrupted run', async () => {
    let requests = 0;
    const answers = () => {
      requests += 1;
      return failed(unknown);
    };
    const { lists, outcomes } = await run(
      { entries: [group('a')] },
      { answers, interrupted: () => requests > 0, listed: () => [made] },
    );
    expect(lists).toEqual([]);
    expect(outcomes).toEqual(['group/a unknown: why; the interrupted command did not look for the object']);
  });

  test('is unknown if two new objects may be it', async () => {
    const listed = () => [made, remoteGroup('other', { name: 'a' })];
    const { outcomes } = await run({ entries: [group('a')] }, { answers: lost, listed });
    expect(outcomes).toEqual([
      'group/a unknown: why; looked for the object and found 2 candidates (new, other)',
    ]);
  });
});

describe('the id in the answer to a create', () => {
  const withId = (id: string) => () => ({ id });

  test('is that of an object whose name the service has changed', async () => {
    const shown = remoteGroup('new', { name: 'A (2)' });
    const { outcomes, owned } = await run(
      { entries: [group('a')] },
      { answers: withId('new'), read: () => shown, listed: () => [shown] },
    );
    expect([outcomes, owned]).toEqual([['group/a done'], ['group/a new']]);
  });

  test('is not believed if the list shows other values under it, and the object is found by its name', async () => {
    const entries = ['a', 'b'].map((key) => group(key, { description: 'own' }));
    const objects = [
      remoteGroup('else', { name: 'x', description: 'else', members: ['m'] }),
      remoteGroup('new-a', { name: 'a', description: 'own' }),
      remoteGroup('new-b', { name: 'b', description: 'own' }),
    ];
    const answers = ({ body }: Request) =>
      (body as { name: string }).name === 'a' ? { id: 'else' } : { id: 'new-b' };
    const read = (path: string) =>
      objects.find(({ id }) => path.endsWith(`/${id}`)) ?? failed({ gone: true });
    const { owned } = await run({ entries }, { answers, listed: () => objects, read });
    expect(owned).toEqual(['group/a new-a', 'group/b new-b']);
  });
});
