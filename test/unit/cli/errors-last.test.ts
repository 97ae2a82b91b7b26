import { afterEach, describe, expect, test } from 'vitest';
import { dataWorld } from '../../support/data.js';
import type { Ran } from '../../support/roster.js';
import { agentsWith, type RunWorld, runWorld } from '../../support/runs.js';

/** What a person reads in a terminal: the rows first, then the errors with their reasons, each once. */

let world: Pick<RunWorld, 'close'>;
afterEach(() => world.close());

const told = ({ exit, both }: Ran) => [exit, both.replace(/\s+/g, ' ').trim()];

test('the errors of a run follow its table', async () => {
  const failing = await runWorld(agentsWith({ globex: [{ result: 'fail', seconds: 5, message: 'No.' }] }));
  world = failing;
  const ran = await failing.run('run group/shops');
  expect(told(ran)).toEqual([
    5,
    expect.stringMatching(/Run failed: .*\. error\[run-failed\]: .*agent\/globex.*No\./),
  ]);
});

describe('runs retry', () => {
  const refused = agentsWith({ initech: [{ result: 'refuse' }] });

  test('says once that the service refused a member, and why', async () => {
    const again = await runWorld(refused);
    world = again;
    const id = (await again.json('run group/shops')).runs[0]?.id;
    const ran = await again.run(`runs retry ${id} agent/initech`);
    expect(told(ran)).toEqual([
      5,
      expect.stringMatching(/^error\[not-started\]: agent\/initech was not started: /),
    ]);
    expect(ran.stdout).toBe('');
  });

  test('has the members that were started first', async () => {
    const outcomes = agentsWith({
      globex: [{ result: 'refuse', nth: 1 }, { seconds: 8 }],
      initech: [{ result: 'refuse' }],
    });
    const again = await runWorld(outcomes);
    world = again;
    const id = (await again.json('run group/shops')).runs[0]?.id;
    const ran = await again.run(`runs retry ${id} agent/globex agent/initech`);
    const both =
      /^agent\/globex was started \(job .*\)\. Follow .* error\[not-started\]: agent\/initech was not started: /;
    expect(told(ran)).toEqual([5, expect.stringMatching(both)]);
  });
});

test('`data get` has the files first, and says once that a dataset cannot be read, and why', async () => {
  const data = await dataWorld();
  world = { close: () => data.close() };
  data.fail({ act: 'status', path: '*/download', status: 402, body: '{}' });
  const ran = await data.run('data', 'get', 'agent/acme-shop', '--out', 'out');
  expect(told(ran)).toEqual([
    5,
    expect.stringMatching(/^error\[data-unavailable\]: dataset .* of agent\/acme-shop cannot be read/),
  ]);
  expect(ran.stdout).toBe('');
});
