import { afterEach, describe, expect, test } from 'vitest';
import { jsonOf } from '../../support/json.js';
import { agentsWith, PROJECT, type RunWorld, runWorld } from '../../support/runs.js';

/** `roster wait` (contract §9): by any of the three kinds of ids, or the unfinished runs of an address. */

let world: RunWorld;
afterEach(() => world.close());

const line = 'run agent/umbrella group/shops pipeline/nightly schedule/agent --detach';

test('runs of all kinds are followed by their ids, with the same verdict as run', async () => {
  world = await runWorld(agentsWith({ globex: [{ result: 'fail' }] }));
  const started = (await world.json(line)).runs;
  const ran = await world.json(`wait ${started.map(({ id }) => id).join(' ')}`);
  expect(ran.exit).toBe(5);
  expect(ran.runs.map(({ id, idKind, state }) => [id, idKind, state])).toEqual(
    started.map(({ id, idKind, address }) => [
      id,
      idKind,
      /group|pipeline/.test(address ?? '') ? 'failed' : 'succeeded',
    ]),
  );
  expect(ran.runs[1]?.members.map(({ address }) => address)).toEqual([
    'agent/acme-shop',
    'agent/globex',
    'agent/initech',
  ]);
  expect(ran.runs[2]?.members.map(({ state }) => state)).toEqual(['succeeded', 'failed', 'notStarted']);
});

test('runs of what the project owns have its address, also when they are named by their ids', async () => {
  world = await runWorld();
  const started = (await world.json(line)).runs.filter(({ idKind }) => idKind !== 'job');
  world.sandbox.requests.length = 0;
  const { runs } = await world.json(`wait ${started.map(({ id }) => id).join(' ')}`);
  expect(runs.map(({ address }) => address)).toEqual(['group/shops', 'pipeline/nightly']);
  const named = world.sandbox.requests.filter(({ path }) => path.includes('q='));
  expect(named).toHaveLength(2);
});

test('a run of nothing that the project owns has no address, and nothing more is read for it', async () => {
  world = await runWorld();
  const { runs } = await world.json('run group/shops --detach');
  world.workspace.write('roster.inventory.json', '{}');
  world.sandbox.requests.length = 0;
  const ran = await world.json(`wait ${runs[0]?.id}`);
  expect([ran.exit, ran.runs.map(({ address }) => address)]).toEqual([0, [null]]);
  expect(world.sandbox.requests.some(({ path }) => path.includes('q='))).toBe(false);
});

const addresses = [
  ['agent/umbrella', 'agent/umbrella'],
  ['group/shops', 'group/shops'],
  ['pipeline/nightly', 'pipeline/nightly'],
  ['schedule/agent', 'schedule/agent'],
] as const;
test.each(addresses)('the unfinished runs of %s are followed', async (address) => {
  world = await runWorld();
  const started = (await world.json(line)).runs;
  const ran = await world.json(`wait ${address}`);
  expect(ran.exit).toBe(0);
  expect(ran.runs.map(({ id }) => id)).toEqual(
    started.filter((each) => each.address === address).map(({ id }) => id),
  );
  expect((await world.json(`wait ${address}`)).codes).toEqual(['earlier-run']);
  expect((await world.run(`wait ${address}`)).stderr).toContain('its last one');
});

test('a schedule is followed although its target is not declared', async () => {
  world = await runWorld();
  const { runs } = await world.json('run schedule/group --detach');
  const text = PROJECT.replace(/ {2}shops: .*\n/, '').replace(
    'group: { target: group/shops',
    'group: { target: agent/umbrella',
  );
  world.workspace.write('roster.yaml', text);
  const ran = await world.json('wait schedule/group');
  expect([ran.exit, ran.runs.map(({ id }) => id)]).toEqual([0, [runs[0]?.id]]);
});

test('a pipeline run of a schedule is found between two stages, when none of its jobs is unfinished', async () => {
  world = await runWorld();
  const { sandbox } = world;
  const { runs } = await world.json('run schedule/pipeline --detach');
  const body = JSON.stringify({ success: true, data: { items: [], nextCursor: null } });
  sandbox.faults.faults = [{ act: 'status', status: 200, body, path: '/api/scraper-agents/jobs', nth: [1] }];
  const ran = await world.json('wait schedule/pipeline');
  expect([ran.exit, ran.runs.map(({ id }) => id)]).toEqual([0, [runs[0]?.id]]);
});

test('another run of the target is not one of the schedule', async () => {
  world = await runWorld();
  await world.json('run group/shops pipeline/nightly --detach');
  world.sandbox.advance(3_000);
  expect((await world.json('wait schedule/group schedule/pipeline')).runs).toEqual([]);
});

test('a finished run has its verdict at once', async () => {
  world = await runWorld(agentsWith({ globex: [{ result: 'fail' }] }));
  const { runs } = await world.json('run agent/globex');
  const { slept } = world;
  expect((await world.run(`wait ${runs[0]?.id}`)).exit).toBe(5);
  expect(world.slept).toBe(slept);
});

test.each([
  ['agent/globex', 'job'],
  ['group/spare', 'groupRun'],
  ['schedule/agent', 'job'],
  ['schedule/pipeline', 'pipelineRun'],
])('without an unfinished run, %s has the verdict of its last one', async (address, idKind) => {
  const fails = [{ result: 'fail', seconds: 1 }] as const;
  world = await runWorld(
    agentsWith({ globex: fails as never, umbrella: fails as never, 'acme-shop': fails as never }),
  );
  const started = await world.json(`run ${address} --detach`);
  world.sandbox.advance(600_000);
  const ran = await world.json(`wait ${address}`);
  expect([ran.exit, ran.runs.map(({ id }) => id)]).toEqual([5, [started.runs[0]?.id]]);
  expect(ran.runs[0]).toMatchObject({ idKind, address, state: 'failed' });
  expect(ran.codes).toContain('earlier-run');
});

test('an address that has never run has nothing to wait for', async () => {
  world = await runWorld();
  const ran = await world.json('wait agent/globex schedule/group');
  expect([ran.exit, ran.runs, ran.codes]).toEqual([0, [], []]);
});

test('--for ends the patience and not the run', async () => {
  world = await runWorld(agentsWith({ globex: [{ seconds: 60 }] }));
  const { runs } = await world.json('run agent/globex --detach');
  const early = await world.json(`wait ${runs[0]?.id} --for 10s`);
  expect([early.exit, early.codes]).toEqual([6, ['still-running']]);
  expect((await world.run(`wait ${runs[0]?.id}`)).exit).toBe(0);
});

describe('what cannot be followed', () => {
  test.each([
    ['an unknown id', '00000000-0000-4000-8000-000000000000'],
    ['what is no id', 'not an id'],
  ])('%s is an error', async (_what, id) => {
    world = await runWorld();
    const ran = await world.workspace.command(['wait', id, '--format', 'json']);
    expect([ran.exit, jsonOf(ran).diagnostics[0].code]).toEqual([1, 'usage']);
  });

  test('a service that fails for long is an error of its own, never a verdict', async () => {
    world = await runWorld();
    const { runs } = await world.json('run agent/globex --detach');
    world.sandbox.faults.faults = [
      { act: 'status', status: 503, body: '{}', path: '*/jobs', nth: range(2, 200) },
    ];
    const ran = await world.json(`wait ${runs[0]?.id}`);
    expect([ran.exit, ran.codes]).toEqual([1, ['service-error']]);
  });

  test('a service that fails for a moment is asked again', async () => {
    world = await runWorld();
    const { runs } = await world.json('run agent/globex --detach');
    world.sandbox.faults.faults = [
      { act: 'status', status: 503, body: '{}', path: '*/jobs', nth: range(2, 6) },
    ];
    expect((await world.run(`wait ${runs[0]?.id}`)).exit).toBe(0);
  });

  test('a run that the service no longer shows is unknown', async () => {
    world = await runWorld(agentsWith({ globex: [{ seconds: 600 }] }));
    const { sandbox, workspace } = world;
    const { runs } = await world.json('run agent/globex --detach');
    const { sleep } = workspace;
    workspace.sleep = async (milliseconds) => {
      sandbox.world.jobs.clear();
      await sleep?.(milliseconds);
    };
    const ran = await world.json(`wait ${runs[0]?.id}`);
    expect([ran.exit, ran.codes, ran.runs[0]?.state]).toEqual([3, ['start-unknown'], 'unknown']);
  });
});

test('nothing is sent but reads', async () => {
  world = await runWorld();
  await world.run(line);
  world.sandbox.requests.length = 0;
  await world.run('wait group/shops');
  expect(world.sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
