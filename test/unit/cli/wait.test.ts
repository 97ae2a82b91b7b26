import { afterEach, describe, expect, test } from 'vitest';
import { agentsWith, type RunWorld, runWorld } from '../../support/runs.js';

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
  expect((await world.json(`wait ${address}`)).runs).toEqual([]);
});

test('a finished run has its verdict at once', async () => {
  world = await runWorld(agentsWith({ globex: [{ result: 'fail' }] }));
  const { runs } = await world.json('run agent/globex');
  const { slept } = world;
  expect((await world.run(`wait ${runs[0]?.id}`)).exit).toBe(5);
  expect(world.slept).toBe(slept);
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
    expect([ran.exit, JSON.parse(ran.stdout).diagnostics[0].code]).toEqual([1, 'usage']);
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
