import { afterEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../../src/sandbox/index.js';
import { agentsWith, type RunWorld, runWorld } from '../../support/runs.js';
import { sampleOf } from '../../support/size.js';

/** A start is sent once (I37): what became of one whose answer was lost is looked up, never repeated. */

let world: RunWorld;
afterEach(() => world.close());

const starts = [
  ['an agent', 'agent/acme-shop', '/api/scraper-agents/acme-shop/start-job'],
  ['a group', 'group/shops', '/api/search-groups/*/run'],
  ['a pipeline', 'pipeline/nightly', '/api/pipelines/*/run'],
  ['a schedule of an agent', 'schedule/agent', '/api/schedules/*/run'],
  ['a schedule of a group', 'schedule/group', '/api/schedules/*/run'],
  ['a schedule of a pipeline', 'schedule/pipeline', '/api/schedules/*/run'],
] as const;

const page = '<html>Bad gateway</html>';
/** Whether the start takes effect decides whether its run is found. */
const lost: readonly (readonly [what: string, fault: Omit<Fault, 'path'>, tookEffect: boolean])[] = [
  ['the answer is lost', { act: 'lose' }, true],
  ['the answer breaks off', { act: 'cut' }, true],
  ['the answer is a 502 after the start', { act: 'status-after', status: 502, body: page }, true],
  [
    'the answer cannot be read',
    { act: 'status-after', status: 200, body: '{"success":true,"data":{}}' },
    true,
  ],
  ['the connection is reset before the start', { act: 'drop' }, false],
  ['the answer is a 503 without a start', { act: 'status', status: 503, body: page }, false],
];

const cases = starts.flatMap(([what, address, path]) =>
  lost.map(([how, fault, tookEffect]) => ({ what, address, path, how, fault, tookEffect })),
);

test.each(sampleOf(cases, 9))(
  '$what, and $how: it is sent once, and followed only if it is found',
  async ({ address, path, fault, tookEffect }) => {
    world = await runWorld();
    world.sandbox.faults.faults = [{ ...fault, path, method: 'POST' }];
    const ran = await world.json(`run ${address}`);
    expect(world.starts).toBe(1);
    const expected = tookEffect ? [0, ['succeeded'], []] : [3, ['unknown'], ['start-unknown']];
    expect([ran.exit, ran.runs.map(({ state }) => state), ran.codes]).toEqual(expected);
  },
);

test('a start that takes effect only after roster has looked is unknown, and is not sent again', async () => {
  world = await runWorld();
  const path = '/api/scraper-agents/acme-shop/start-job';
  world.sandbox.faults.faults = [{ act: 'late', method: 'POST', path, requests: 30 }];
  const ran = await world.json('run agent/acme-shop');
  expect([ran.exit, ran.codes, world.starts]).toEqual([3, ['start-unknown'], 1]);
});

test('several runs that may be it are listed, and none is followed', async () => {
  world = await runWorld();
  const path = '/api/scraper-agents/acme-shop/start-job';
  const { sandbox } = world;
  // Somebody else starts the same agent with the same inputs in between.
  sandbox.faults.intercept = async ({ method, path: asked, reset }, next) => {
    await next();
    if (method !== 'POST' || asked !== path || sandbox.world.jobs.size > 1) return;
    sandbox.faults.intercept = null;
    await startElsewhere(path);
    reset();
  };
  const ran = await world.json('run agent/acme-shop');
  expect([ran.exit, ran.codes, world.starts]).toEqual([3, ['start-unknown'], 2]);
  for (const id of sandbox.world.jobs.keys()) expect(ran.runs[0]?.message).toContain(id);
});

test('an answer with the id of another start of the same command is not believed', async () => {
  world = await runWorld();
  const { sandbox } = world;
  const path = '/api/scraper-agents/acme-shop/start-job';
  sandbox.faults.intercept = async ({ method, path: asked }, next) => {
    await next();
    if (method !== 'POST' || asked !== path) return;
    const data = { jobId: [...sandbox.world.jobs.keys()][0] };
    const body = JSON.stringify({ success: true, data });
    const second = '/api/scraper-agents/globex/start-job';
    sandbox.faults.faults = [{ act: 'status', status: 200, body, path: second, method: 'POST' }];
  };
  const ran = await world.json('run agent/acme-shop agent/globex');
  expect([ran.exit, ran.runs.map(({ state }) => state)]).toEqual([3, ['succeeded', 'unknown']]);
});

const others = [
  ['other inputs', { inputParameters: '{"country":"PL"}' }],
  ['no inputs', {}],
] as const;
test.each(others)('a job with %s is not taken for the one that was lost', async (_what, body) => {
  world = await runWorld();
  const path = '/api/scraper-agents/acme-shop/start-job';
  const { sandbox } = world;
  sandbox.faults.intercept = async ({ method, path: asked, reset }, next) => {
    if (method !== 'POST' || asked !== path) return next();
    sandbox.faults.intercept = null;
    await startElsewhere(path, body);
    reset();
  };
  const ran = await world.json('run agent/acme-shop -i country=AT');
  expect([ran.exit, ran.codes, sandbox.world.jobs.size]).toEqual([3, ['start-unknown'], 1]);
});

/** The service shows an agent's defaults beside what was sent (interface §2, Agent). */
function showDefaults(inputs: object): void {
  for (const job of world.sandbox.world.jobs.values())
    Object.assign(job, {
      inputParameters: JSON.stringify({ ...inputs, ...JSON.parse(job.inputParameters) }),
    });
}

test.each([
  ['agent/acme-shop', '', 0],
  ['agent/acme-shop', ' -i country=AT', 0],
  ['group/shops', '', 0],
])('a lost start of %s%s is found where jobs show default inputs, too', async (address, flags, exit) => {
  world = await runWorld();
  world.sandbox.faults.intercept = async ({ method, path, reset }, next) => {
    await next();
    if (method === 'POST' && /\/(start-job|run)$/.test(path)) reset();
    showDefaults({ country: 'DE' });
  };
  const ran = await world.json(`run ${address}${flags}`);
  expect([ran.exit, ran.codes, world.starts]).toEqual([exit, [], 1]);
});

test('a job with another value than the default of its agent is not taken for one without inputs', async () => {
  world = await runWorld();
  const path = '/api/scraper-agents/acme-shop/start-job';
  world.sandbox.faults.intercept = async ({ method, path: asked, reset }, next) => {
    if (method !== 'POST' || asked !== path) return next();
    world.sandbox.faults.intercept = null;
    await startElsewhere(path, { inputParameters: '{"country":"PL"}' });
    reset();
  };
  const ran = await world.json('run agent/acme-shop');
  expect([ran.exit, ran.codes]).toEqual([3, ['start-unknown']]);
});

test('jobs from before the start, of groups, pipelines and schedules are not taken for it', async () => {
  world = await runWorld();
  const { sandbox, run } = world;
  await run('run agent/acme-shop schedule/agent group/shops pipeline/nightly --detach');
  sandbox.faults.faults = [{ act: 'drop', method: 'POST', path: '*/start-job' }];
  const ran = await world.json('run agent/acme-shop');
  expect([ran.exit, ran.runs[0]?.id]).toEqual([3, null]);
});

test('an answer with the id of an earlier run is not believed', async () => {
  world = await runWorld();
  const { sandbox, run } = world;
  await run('run agent/acme-shop');
  const [old = ''] = sandbox.world.jobs.keys();
  const body = JSON.stringify({ success: true, data: { agentJobHistoryId: old } });
  sandbox.faults.faults = [{ act: 'status-after', status: 200, body, method: 'POST', path: '*/start-job' }];
  const ran = await world.json('run agent/acme-shop');
  expect([ran.exit, sandbox.world.jobs.size]).toEqual([0, 2]);
  expect(ran.runs[0]?.id).toBe([...sandbox.world.jobs.keys()][1]);
});

/** More jobs than a page of the list shows. */
const busy = {
  ...agentsWith({}),
  history: Array.from({ length: 120 }, (_, index) => ({ agent: 'umbrella', ago: `${200 - index}m` })),
};

test('an answer with the id of a run that is older than the newest hundred is not believed', async () => {
  world = await runWorld(busy);
  const { sandbox } = world;
  const [oldest = ''] = sandbox.world.jobs.keys();
  const body = JSON.stringify({ success: true, data: { agentJobHistoryId: oldest } });
  sandbox.faults.faults = [{ act: 'status-after', status: 200, body, method: 'POST', path: '*/start-job' }];
  const ran = await world.json('run agent/acme-shop');
  expect([ran.exit, world.starts]).toEqual([0, 1]);
  expect(ran.runs[0]?.id).toBe([...sandbox.world.jobs.keys()].at(-1));
});

test('in an account with many jobs, a start takes one read more, and is believed', async () => {
  world = await runWorld(busy);
  const ran = await world.json('run agent/acme-shop --detach');
  const jobs = world.sandbox.requests.filter(({ path }) => path.startsWith('/api/scraper-agents/jobs'));
  expect([ran.exit, jobs.length]).toEqual([0, 2]);
});

test('the others of a run are followed when one start is unknown', async () => {
  world = await runWorld(agentsWith({ initech: [{ result: 'fail' }] }));
  world.sandbox.faults.faults = [{ act: 'drop', method: 'POST', path: '*/globex/start-job' }];
  const ran = await world.json('run agent/acme-shop agent/globex agent/initech');
  expect([ran.exit, ran.runs.map(({ state }) => state)]).toEqual([3, ['succeeded', 'unknown', 'failed']]);
});

test('a 429 is waited for, and takes no second start', async () => {
  world = await runWorld();
  const headers = { 'Retry-After': '1' };
  world.sandbox.faults.faults = [{ act: 'status', status: 429, headers, method: 'POST', nth: [1, 2] }];
  const ran = await world.json('run agent/acme-shop');
  expect([ran.exit, world.sandbox.world.jobs.size]).toEqual([0, 1]);
});

test('a 429 that lasts longer than the deadline is an error, and nothing was started', async () => {
  world = await runWorld();
  const headers = { 'Retry-After': '60' };
  world.sandbox.faults.faults = [{ act: 'status', status: 429, headers, method: 'POST' }];
  const ran = await world.json('run agent/acme-shop --deadline 5s');
  expect([ran.exit, ran.codes, world.sandbox.world.jobs.size]).toEqual([1, ['service-error'], 0]);
});

test('starts that were not sent after others were end in 3', async () => {
  world = await runWorld();
  world.sandbox.faults.faults = [
    { act: 'status', status: 401, body: '{}', method: 'POST', path: '*/globex/start-job' },
  ];
  const ran = await world.json('run agent/acme-shop agent/globex agent/initech');
  expect([ran.exit, world.starts]).toEqual([3, 2]);
  expect(ran.runs.map(({ state }) => state)).toEqual(['running', 'notStarted', 'notStarted']);
});

test('the retry of a member whose answer was lost is not sent again', async () => {
  const outcomes = [{ nth: 1, result: 'refuse' }, { seconds: 5 }] as const;
  world = await runWorld(agentsWith({ globex: outcomes as never }));
  world.sandbox.faults.faults = [{ act: 'lose', method: 'POST', path: '*/retry' }];
  const ran = await world.json('run group/shops --retry-not-started 5');
  expect([ran.exit, world.starts]).toEqual([0, 2]);
});

test('the retry of a member that may have been sent is unknown', async () => {
  const outcomes = [{ nth: 1, result: 'refuse' }, { seconds: 5 }] as const;
  world = await runWorld(agentsWith({ globex: outcomes as never }));
  world.sandbox.faults.faults = [{ act: 'drop', method: 'POST', path: '*/retry' }];
  const ran = await world.json('run group/shops --retry-not-started 5');
  expect([ran.exit, ran.codes, world.starts]).toEqual([3, ['start-unknown'], 2]);
});

describe('two runs at once', () => {
  const orders = ['lose', 'drop', 'late', 'none'] as const;
  const pairs = orders.flatMap((a) => orders.map((b) => [a, b] as const));
  test.each(sampleOf(pairs, 5))(
    'the first start: %s, the second: %s: two starts are sent, whatever is found',
    async (a, b) => {
      world = await runWorld();
      const path = '/api/scraper-agents/acme-shop/start-job';
      // Each fault counts the requests that reach it, so both are of the first two starts.
      const fault = (act: (typeof orders)[number], nth: number): Fault[] =>
        act === 'none' ? [] : [{ act, nth, path, method: 'POST', requests: 3 }];
      world.sandbox.faults.faults = [...fault(a, 1), ...fault(b, a === 'none' ? 2 : 1)];
      const ran = await Promise.all([world.json('run agent/acme-shop'), world.json('run agent/acme-shop')]);
      expect(world.starts).toBe(2);
      expect(world.sandbox.world.jobs.size).toBeLessThanOrEqual(2);
      for (const { exit, runs } of ran)
        expect([exit, runs[0]?.state]).toEqual(exit === 0 ? [0, 'succeeded'] : [3, 'unknown']);
    },
  );
});

async function startElsewhere(path: string, body: object = {}): Promise<void> {
  const { url, apiKey } = world.sandbox;
  const headers = { 'X-Api-Key': apiKey, 'Content-Type': 'application/json' };
  await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
}
