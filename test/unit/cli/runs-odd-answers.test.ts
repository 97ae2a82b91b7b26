import { afterEach, describe, expect, test } from 'vitest';
import {
  type Intercept,
  type InterceptingProxy,
  startInterceptingProxy,
} from '../../support/intercepting-proxy.js';
import { jsonOf } from '../../support/json.js';
import { agentsWith, type RunWorld, runWorld } from '../../support/runs.js';

/** `roster runs` with a service whose answers are odd, wrong or lost, and with interrupts. */

const endless = [{ seconds: 6_000 }];
const failure = [{ result: 'fail' as const, seconds: 5 }];
const long = agentsWith({ 'acme-shop': endless, globex: endless, initech: endless, umbrella: endless });
const failing = agentsWith({ 'acme-shop': failure, globex: failure, initech: failure });

let world: RunWorld;
let service: InterceptingProxy;
afterEach(async () => {
  await service.close();
  await world.close();
});

/** Starts something, and bends the service from then on. Returns the id of the run. */
async function started(address: string, seed: typeof long, intercept: Intercept): Promise<string> {
  world = await runWorld(seed);
  const { runs } = await world.json(`run ${address}${seed === long ? ' --detach' : ''}`);
  if (seed === long) world.sandbox.advance(20_000);
  service = await startInterceptingProxy(world.sandbox.url, intercept);
  world.workspace.env['ROSTER_URL'] = service.url;
  return runs[0]?.id ?? '';
}

async function json(line: string) {
  const ran = await world.workspace.command([...line.split(' '), '--format', 'json']);
  return { ...ran, ...jsonOf(ran) };
}

const writes = () => service.sent.filter((each) => !each.startsWith('GET')).length;
const messages = ({ diagnostics }: { diagnostics: { message: string }[] }) =>
  diagnostics.map(({ message }) => message).join('\n');

describe('stop', () => {
  test('a run is not said to have been asked to stop when no request was sent for it', async () => {
    const id = await started('agent/globex', long, ({ path }) =>
      /jobs\/.*\/runs$/.test(path) ? { status: 500, body: {} } : undefined,
    );
    const ended = await json(`runs stop ${id}`);
    expect([ended.exit, writes()]).toEqual([3, 0]);
    expect(messages(ended)).toContain('was not asked to stop');
  });

  test('the reason why a member of a group run was not stopped is shown', async () => {
    const id = await started('group/shops', long, ({ path }) =>
      path.endsWith('/stop') ? { status: 409, body: { message: 'Not now.' } } : undefined,
    );
    const ended = await json(`runs stop ${id}`);
    expect([ended.exit, messages(ended)]).toEqual([3, expect.stringContaining('Not now.')]);
  });

  test('after an interrupt no further stop is sent, and it exits with 130 and names what was not stopped', async () => {
    const id = await started('group/shops', long, ({ path }) => {
      if (!path.endsWith('/stop')) return undefined;
      world.workspace.stop.abort();
      return { status: 503, body: {} };
    });
    const ended = await json(`runs stop ${id}`);
    expect(ended.exit).toBe(130);
    // One for each member at most: those that were in flight.
    expect(writes()).toBeLessThanOrEqual(3);
    expect(ended.runs).toMatchObject([{ id, result: 'running' }]);
    expect(ended.diagnostics.map(({ code }: { code: string }) => code)).toContain('interrupted');
  });

  test('an interrupt before the first stop sends none, and exits with 130', async () => {
    const id = await started('group/shops', long, ({ path }) => {
      if (path.endsWith('/scraper-agents')) world.workspace.stop.abort();
      return undefined;
    });
    const ended = await json(`runs stop ${id}`);
    expect([ended.exit, writes(), messages(ended)]).toEqual([130, 0, expect.stringContaining('nothing was')]);
  });
});

describe('ack', () => {
  test('a run of a group run that the service cannot find is reported, and the others are acknowledged', async () => {
    let asked = 0;
    const id = await started('group/shops', failing, ({ path }) => {
      if (!path.endsWith('/dismiss-attention')) return undefined;
      asked += 1;
      return asked === 3
        ? { status: 404, body: { errorCode: 'RUN_NOT_FOUND', message: 'Gone.' } }
        : undefined;
    });
    const ended = await json(`runs ack ${id}`);
    const results = ended.runs.map(({ result }: { result: string }) => result).sort();
    expect([ended.exit, results]).toEqual([3, ['done', 'done', 'refused']]);
  });
});

describe('rm', () => {
  const refusing = (status: number, then = () => {}): Intercept =>
    function intercept({ method }) {
      if (method !== 'DELETE') return undefined;
      then();
      return { status, body: { message: 'Not yours.' } };
    };

  test('a 404 for a run that still exists is a refusal: nothing was changed', async () => {
    const id = await started('group/shops', agentsWith({}), refusing(404));
    const ended = await json(`runs rm ${id} --yes`);
    expect([ended.exit, messages(ended)]).toEqual([1, expect.stringContaining('Not yours.')]);
  });

  test('an interrupt before the run is removed exits with 130', async () => {
    const id = await started(
      'group/shops',
      agentsWith({}),
      refusing(503, () => world.workspace.stop.abort()),
    );
    const ended = await json(`runs rm ${id} --yes`);
    expect([ended.exit, writes(), messages(ended)]).toEqual([130, 1, expect.stringContaining('still there')]);
  });
});
