import { afterEach, describe, expect, test } from 'vitest';
import { jsonOf } from '../../support/json.js';
import { agentsWith, PROJECT, type RunWorld, runWorld } from '../../support/runs.js';

/** `roster runs` (contract §9): jobs, group runs and pipeline runs in one list, and what can be done with one. */

let world: RunWorld;
afterEach(() => world.close());

const failing = agentsWith({ globex: [{ result: 'fail', seconds: 5 }] });

async function json(line: string) {
  const ran = await world.workspace.command([...line.split(' '), '--format', 'json']);
  return { ...ran, ...jsonOf(ran) };
}

/** Runs one after another, and returns their ids by address. */
async function started(...addresses: readonly string[]): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const address of addresses) {
    const { runs } = await world.json(`run ${address}`);
    ids[address] = runs[0]?.id ?? '';
  }
  world.sandbox.requests.length = 0;
  return ids;
}

const paths = () => world.sandbox.requests.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);

describe('the list', () => {
  test('jobs, group runs and pipeline runs are one list, the newest first, without the jobs that are parts', async () => {
    world = await runWorld(failing);
    const ids = await started('agent/umbrella', 'group/shops', 'pipeline/nightly', 'agent/acme-shop');
    const { exit, runs, truncated } = await json('runs');
    expect([exit, truncated]).toEqual([0, false]);
    expect(runs.map(({ address, id, idKind, state }: never) => [address, id, idKind, state])).toEqual([
      ['agent/acme-shop', ids['agent/acme-shop'], 'job', 'succeeded'],
      ['pipeline/nightly', ids['pipeline/nightly'], 'pipelineRun', 'failed'],
      ['group/shops', ids['group/shops'], 'groupRun', 'failed'],
      ['agent/umbrella', ids['agent/umbrella'], 'job', 'succeeded'],
    ]);
  });

  test('it takes one page of each list, the agents, and the runs of each job that it shows', async () => {
    world = await runWorld(failing);
    const ids = await started('agent/umbrella', 'group/shops', 'pipeline/nightly');
    await json('runs');
    expect(paths().sort()).toEqual([
      'GET /api/pipelines/runs',
      'GET /api/scraper-agents',
      'GET /api/scraper-agents/jobs',
      `GET /api/scraper-agents/jobs/${ids['agent/umbrella']}/runs`,
      'GET /api/search-groups/runs',
    ]);
  });

  test('a page that several schedules need is read once', async () => {
    world = await runWorld();
    const times = [1, 2, 3, 4].map(
      (hour) =>
        `  again-${hour}: { target: group/shops, every: 6 hours, startTime: 2099-01-01T0${hour}:00:00 }\n`,
    );
    world.workspace.write('roster.yaml', PROJECT.replace('keys: {}\n', times.join('')));
    expect((await world.workspace.apply({})).exit).toBe(0);
    await started('schedule/group', 'schedule/again-1', 'schedule/pipeline');
    const { runs } = await json('runs schedule/*');
    expect(runs.map(({ address }: never) => address).sort()).toEqual([
      'group/shops',
      'group/shops',
      'pipeline/nightly',
    ]);
    const pages = world.sandbox.requests
      .map(({ path }) => path)
      .filter((path) => /\/(jobs|runs)\?/.test(path) && !path.includes('search='));
    expect(pages).toHaveLength(new Set(pages).size);
    expect(pages).toHaveLength(3);
  });

  test.each([
    ['agent/globex', ['job', 'job']],
    ['group/shops', ['groupRun', 'groupRun']],
    ['pipeline/nightly', ['pipelineRun']],
    ['schedule/group', ['groupRun']],
    ['schedule/agent', ['job']],
    ['schedule/pipeline', []],
  ])('an address narrows it: %s', async (address, kinds) => {
    world = await runWorld();
    await started('group/shops', 'agent/umbrella', 'schedule/agent');
    await started('pipeline/nightly', 'schedule/group');
    const { exit, runs } = await json(`runs ${address}`);
    const expected = address === 'agent/globex' ? ['job', 'job', 'job'] : kinds;
    expect([exit, runs.map(({ idKind }: never) => idKind)]).toEqual([0, expected]);
  });

  test('the service filters by state and by time', async () => {
    world = await runWorld(failing);
    await started('group/shops', 'agent/umbrella');
    world.sandbox.advance(3_600_000);
    world.workspace.now = () => world.sandbox.now();
    const ids = await started('agent/globex');
    const failed = await json('runs --state failed');
    expect(failed.runs.map(({ address }: never) => address)).toEqual(['agent/globex', 'group/shops']);
    const since = await json('runs --since 30m');
    expect(since.runs.map(({ id }: never) => id)).toEqual([ids['agent/globex']]);
    expect(
      world.sandbox.requests.map(({ path }) => path).filter((path) => /from=|state=|status=/.test(path))
        .length,
    ).toBeGreaterThan(0);
    expect((await json('runs --state active')).runs).toEqual([]);
  });

  test('a group run whose members only never started says that it is not one that failed', async () => {
    world = await runWorld(agentsWith({ initech: [{ result: 'refuse' }] }));
    await started('group/shops');
    const { runs } = await json('runs');
    const message = 'some members never started or were stopped';
    expect(runs).toMatchObject([{ address: 'group/shops', state: 'failed', message }]);
  });

  test('a list that is cut says so, and how to see more', async () => {
    world = await runWorld();
    await started('agent/umbrella', 'agent/umbrella', 'group/spare');
    const { runs, truncated } = await json('runs --limit 2');
    expect([runs.length, truncated, runs[0].idKind]).toEqual([2, true, 'groupRun']);
    const { stdout } = await world.run('runs --limit 2');
    expect(stdout).toContain('2 runs. There are more');
    expect((await world.run('runs --limit 3')).stdout).toMatch(/^3 runs\.$/m);
  });

  test('--attention lists the failed runs of agents that nobody has acknowledged, with ids for ack', async () => {
    world = await runWorld(failing);
    await started('group/shops', 'agent/globex');
    const { runs } = await json('runs --attention');
    expect(runs.map(({ idKind, address, state }: never) => [idKind, address, state])).toEqual([
      ['run', 'agent/globex', 'failed'],
      ['run', 'agent/globex', 'failed'],
    ]);
    expect((await world.run(`runs ack ${runs[0].id}`)).exit).toBe(0);
    expect((await json('runs group/shops --attention')).runs.map(({ id }: never) => id)).toEqual([
      runs[1].id,
    ]);
    expect((await json('runs agent/acme-shop --attention')).runs).toEqual([]);
  });

  test('agents and all runs need no project', async () => {
    world = await runWorld();
    await started('agent/umbrella');
    world.workspace.write('roster.yaml', '');
    const { rmSync } = await import('node:fs');
    rmSync(`${world.workspace.root}/roster.yaml`);
    expect((await json('runs')).runs).toHaveLength(1);
    expect((await json('runs agent/umbrella')).runs).toHaveLength(1);
  });

  test.each([
    ['runs --state running', 'running'],
    ['runs --attention --state active', '--attention'],
    ['runs --since soon', '--since'],
    ['runs --limit 0', '--limit'],
    ['runs shwo', 'neither an address nor a subcommand'],
    ['runs shwo 1', 'Did you mean `roster runs show`?'],
    ['runs 00000000-0000-4000-8000-000000000000', 'With an id: `roster runs show ID`.'],
    ['runs nothing', 'one of: show, refresh, stop, retry, ack, rm'],
    ['runs *', 'neither an address nor a subcommand'],
    ['runs --verbose show 1', 'after the subcommand'],
    ['runs group/nothing', 'group/nothing'],
    ['runs agent/nobody', 'nobody'],
  ])('%s is refused before anything is listed', async (line, said) => {
    world = await runWorld();
    const { exit, stderr } = await world.run(line);
    expect([exit, stderr.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(said)]);
    expect(paths().filter((path) => path.endsWith('/runs') || path.endsWith('/jobs'))).toEqual([]);
  });
});

describe('show', () => {
  test('a group run is shown with its members, reasons, datasets and what can follow', async () => {
    world = await runWorld(agentsWith({ globex: [{ result: 'fail' }], initech: [{ result: 'refuse' }] }));
    const ids = await started('schedule/group');
    const id = ids['schedule/group'];
    const { exit, run } = await json(`runs show ${id}`);
    expect([exit, run.address, run.schedule, run.state]).toEqual([
      0,
      'group/shops',
      'schedule/group',
      'failed',
    ]);
    expect(run.members.map(({ address, state }: never) => [address, state])).toEqual([
      ['agent/acme-shop', 'succeeded'],
      ['agent/globex', 'failed'],
      ['agent/initech', 'notStarted'],
    ]);
    expect(run.datasets.map(({ address, message }: never) => [address, message])).toEqual([
      ['agent/acme-shop', null],
    ]);
    const { stdout } = await world.run(`runs show ${id}`);
    expect(stdout).toContain(`roster runs retry ${id} agent/initech`);
    expect(stdout).toContain(`roster runs ack ${id}`);
    expect(stdout).not.toContain('roster wait');
  });

  test('a job says of what it is a part, and a pipeline run which stages were not reached', async () => {
    world = await runWorld(failing);
    const ids = await started('pipeline/nightly');
    const { run } = await json(`runs show ${ids['pipeline/nightly']}`);
    expect(run.members.map(({ state }: never) => state)).toEqual(['succeeded', 'failed', 'notStarted']);
    const job = await json(`runs show ${run.members[0].id}`);
    expect(job.run.partOf).toEqual({ id: ids['pipeline/nightly'], idKind: 'pipelineRun' });
    expect((await world.run(`runs show ${run.id}`)).stdout).not.toContain('runs retry');
  });

  test('why there is no dataset is shown in place of its id', async () => {
    world = await runWorld(agentsWith({ globex: [{ dataset: 'None' }] }));
    const ids = await started('agent/globex');
    const { run } = await json(`runs show ${ids['agent/globex']}`);
    expect(run.datasets).toMatchObject([{ datasetId: null, message: expect.stringMatching(/file/i) }]);
  });

  test.each(['show', 'stop', 'ack', 'rm', 'refresh'])(
    'an address in place of an id of `runs %s` is an error with the command that lists the ids',
    async (name) => {
      world = await runWorld();
      const { exit, stderr } = await world.run(`runs ${name} group/shops`);
      expect(exit).toBe(1);
      expect(stderr).toContain('"group/shops" is an address, and the id of a run is needed');
      expect(stderr).toMatch(/`roster runs '?group\/shops'?` lists its runs/);
    },
  );

  test('an unknown id is an error that says where ids are', async () => {
    world = await runWorld();
    const { exit, stderr } = await world.run('runs show 00000000-0000-4000-8000-000000000000');
    expect([exit, stderr]).toEqual([
      1,
      expect.stringContaining('there is no job, group run or pipeline run'),
    ]);
  });
});

describe('stop', () => {
  test.each(['agent/globex', 'group/shops', 'pipeline/nightly'])(
    '%s is stopped, and looked at again',
    async (address) => {
      world = await runWorld(agentsWith({ 'acme-shop': [{ seconds: 600 }], globex: [{ seconds: 600 }] }));
      const { runs } = await world.json(`run ${address} --detach`);
      world.sandbox.advance(20_000);
      const stopped = await json(`runs stop ${runs[0]?.id}`);
      const [run] = stopped.runs;
      expect([stopped.exit, run.result, run.address]).toEqual([0, 'stopped', address]);
      expect((await json('runs --state active')).runs).toEqual([]);
    },
  );

  test('what has finished is left alone, and nothing is sent for it', async () => {
    world = await runWorld();
    const ids = await started('agent/globex');
    const { exit, runs } = await json(`runs stop ${ids['agent/globex']}`);
    expect([exit, runs[0].result, runs[0].state]).toEqual([0, 'finished', 'succeeded']);
    expect(world.sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('one unknown id among several stops nothing', async () => {
    world = await runWorld(agentsWith({ globex: [{ seconds: 600 }] }));
    const { runs } = await world.json('run agent/globex --detach');
    const { exit } = await world.run(`runs stop ${runs[0]?.id} 00000000-0000-4000-8000-000000000000`);
    expect([exit, (await json('runs --state active')).runs.length]).toEqual([1, 1]);
  });

  test('a lost answer is asked for again, as a stop may be repeated', async () => {
    world = await runWorld(agentsWith({ globex: [{ seconds: 600 }] }));
    const { runs } = await world.json('run agent/globex --detach');
    world.sandbox.faults.faults = [{ act: 'lose', path: '*/stop', nth: [1] }];
    expect((await json(`runs stop ${runs[0]?.id}`)).runs[0].result).toBe('stopped');
  });

  test('a refusal is told with its reason, and ends in 3 because the run goes on', async () => {
    world = await runWorld(agentsWith({ globex: [{ seconds: 6000 }] }));
    const { runs } = await world.json('run agent/globex --detach');
    const body = JSON.stringify({ message: 'Not now.' });
    world.sandbox.faults.faults = [
      { act: 'status', status: 409, body, path: '*/stop', nth: [1, 2, 3, 4, 5] },
    ];
    const { exit, stderr } = await world.run(`runs stop ${runs[0]?.id}`);
    expect([exit, stderr.replace(/\s+/g, ' ')]).toEqual([3, expect.stringContaining('Not now.')]);
  });
});

describe('retry', () => {
  const refused = agentsWith({
    initech: [
      { result: 'refuse', nth: 1 },
      { seconds: 8, records: 5 },
    ],
  });

  test('a member that never started is started once, under the same group run', async () => {
    world = await runWorld(refused);
    const { 'group/shops': id } = await started('group/shops');
    const { exit, members } = await json(`runs retry ${id} agent/initech`);
    expect([exit, members]).toMatchObject([0, [{ address: 'agent/initech', result: 'started' }]]);
    expect(world.starts).toBe(1);
    expect((await json(`runs show ${id}`)).run.members.map(({ id: job }: never) => job)).toContain(
      members[0].jobId,
    );
  });

  test.each([
    ['the answer is lost', { act: 'lose' }, 'started', 0],
    ['the answer is a 502 after the start', { act: 'status-after', status: 502, body: 'x' }, 'started', 0],
    ['the connection is reset before the start', { act: 'drop' }, 'unknown', 3],
    ['the answer is a 503 without a start', { act: 'status', status: 503, body: 'x' }, 'unknown', 3],
    ['the service refuses it', { act: 'status', status: 400, body: '{"message":"No."}' }, 'refused', 5],
  ] as const)('when %s, it is not sent again, and the truth is told', async (_what, fault, result, code) => {
    world = await runWorld(refused);
    const { 'group/shops': id } = await started('group/shops');
    world.sandbox.faults.faults = [{ ...fault, method: 'POST', path: '*/retry' } as never];
    const { exit, members } = await json(`runs retry ${id} initech`);
    expect([exit, members[0].result, world.starts]).toEqual([code, result, 1]);
  });

  test.each([
    ['group/shops', 'agent/globex', 'has started in this group run'],
    ['group/shops', 'agent/umbrella', 'is not among the members'],
    ['group/shops', 'agent/nobody', 'nobody'],
    ['pipeline/nightly', 'agent/initech', 'is the id of a pipeline run'],
    ['agent/globex', 'agent/globex', 'is the id of a job'],
  ])('of %s, %s is refused, and nothing is started', async (address, agent, said) => {
    world = await runWorld(refused);
    const ids = await started(address);
    const { exit, stderr } = await world.run(`runs retry ${ids[address]} ${agent}`);
    expect([exit, stderr.replace(/\s+/g, ' '), world.starts]).toEqual([1, expect.stringContaining(said), 0]);
  });
});

describe('ack', () => {
  test('the id of a group run means its failures, and --undo reports them again', async () => {
    world = await runWorld(failing);
    const { 'group/shops': id } = await started('group/shops');
    expect((await json(`runs ack ${id}`)).runs).toMatchObject([{ partOf: id, result: 'done' }]);
    expect((await json('runs --attention')).runs).toEqual([]);
    expect((await world.run(`runs ack ${id} --undo`)).exit).toBe(0);
    expect((await json('runs --attention')).runs).toHaveLength(1);
  });

  test('a run of an agent takes one request', async () => {
    world = await runWorld(failing);
    await started('agent/globex');
    const { runs } = await json('runs --attention');
    world.sandbox.requests.length = 0;
    await world.run(`runs ack ${runs[0].id}`);
    expect(paths()).toEqual([`POST /api/scraper-agents/runs/${runs[0].id}/dismiss-attention`]);
  });

  test('what has not failed is an error, and what was done besides is reported', async () => {
    world = await runWorld(failing);
    const ids = await started('agent/globex', 'agent/umbrella');
    const alone = await world.run(`runs ack ${ids['agent/umbrella']}`);
    expect(alone.exit).toBe(1);
    const both = await json(`runs ack ${ids['agent/globex']} ${ids['agent/umbrella']}`);
    expect([both.exit, both.runs.length, both.diagnostics.length]).toEqual([3, 1, 1]);
  });

  const allFail = agentsWith({
    'acme-shop': [{ result: 'fail', seconds: 5 }],
    globex: [{ result: 'fail', seconds: 5 }],
    initech: [{ result: 'fail', seconds: 5 }],
  });

  test('what was acknowledged before a request fails is reported, and no other is sent', async () => {
    world = await runWorld(allFail);
    const { 'group/shops': id } = await started('group/shops');
    world.sandbox.faults.faults = [
      { act: 'status', method: 'POST', path: '*/dismiss-attention', status: 401, body: '{}', nth: [3, 4, 5] },
    ];
    const { exit, runs, diagnostics } = await json(`runs ack ${id} ${unknownId}`);
    expect([exit, runs.length, diagnostics.length]).toEqual([3, 1, 1]);
    expect(paths().filter((each) => each.startsWith('POST'))).toHaveLength(3);
  });

  test('an interrupt ends it, says so, and what was acknowledged is reported', async () => {
    world = await runWorld(allFail);
    await started('group/shops');
    const { runs: failures } = await json('runs --attention');
    const words = ['runs', 'ack', ...failures.map(({ id }: { id: string }) => id)];
    world.sandbox.requests.length = 0;
    world.sandbox.faults.intercept = async (request, next) => {
      if (request.method === 'POST') world.workspace.stop.abort();
      await next();
    };
    const { exit, stdout, stderr } = await world.workspace.command(words);
    expect([exit, paths().length, stdout.includes('acknowledged')]).toEqual([130, 1, true]);
    expect(stderr).toContain('interrupted');
  });
});

const unknownId = '00000000-0000-4000-8000-00000000beef';

test('a stop is reported although the look afterwards fails', async () => {
  world = await runWorld(agentsWith({ globex: [{ seconds: 900 }] }));
  const { runs } = await world.json('run agent/globex --detach');
  world.sandbox.advance(60_000);
  let isAsked = false;
  world.sandbox.faults.intercept = async (request, next) => {
    isAsked ||= request.method === 'POST';
    await next();
  };
  world.sandbox.faults.faults = [];
  const look = { act: 'status', method: 'GET', path: '*', status: 500, body: '{}' } as const;
  world.workspace.sleep = async () => {
    if (isAsked) world.sandbox.faults.faults = [look];
  };
  const { exit, runs: stopped, diagnostics } = await json(`runs stop ${runs[0]?.id}`);
  expect([exit, stopped]).toEqual([3, [expect.objectContaining({ id: runs[0]?.id, result: 'running' })]]);
  expect(diagnostics.map(({ message }: { message: string }) => message).join()).toContain(
    'it is not known whether it has',
  );
});

test.each([400, 500])('a refresh that the service refuses with %s is an error', async (status) => {
  world = await runWorld(agentsWith({ globex: [{ seconds: 900 }] }));
  const { runs } = await world.json('run agent/globex --detach');
  world.sandbox.advance(60_000);
  world.sandbox.faults.faults = [{ act: 'status', method: 'POST', path: '*/refresh', status, body: '{}' }];
  const { exit, stderr } = await world.run(`runs refresh ${runs[0]?.id}`);
  expect([exit, stderr]).toEqual([1, expect.stringContaining(String(status))]);
});

test('after an interrupt, no further run is read again', async () => {
  const endless = [{ seconds: 9_000 }];
  world = await runWorld(agentsWith({ 'acme-shop': endless, globex: endless, initech: endless }));
  const { runs } = await world.json('run group/shops --detach');
  world.sandbox.advance(60_000);
  world.sandbox.requests.length = 0;
  world.sandbox.faults.intercept = async (request, next) => {
    await next();
    if (request.path.endsWith('/refresh') && !request.path.includes(runs[0]?.id ?? ''))
      world.workspace.stop.abort();
  };
  const { exit, stderr } = await world.run(`runs refresh ${runs[0]?.id}`);
  expect([exit, stderr]).toEqual([
    130,
    expect.stringContaining('interrupted before all runs were read again'),
  ]);
  expect(paths().filter((path) => path.endsWith('/refresh'))).toHaveLength(2);
});

test('refresh makes the service notice a run that its engine has lost', async () => {
  world = await runWorld(agentsWith({ globex: [{ result: 'lose', seconds: 5 }] }));
  const { runs } = await world.json('run agent/globex --detach');
  world.sandbox.advance(60_000);
  const { exit, run } = await json(`runs refresh ${runs[0]?.id}`);
  expect([exit, run.state, run.message]).toEqual([0, 'failed', expect.stringContaining('no longer')]);
});

describe('rm', () => {
  test.each(['group/shops', 'pipeline/nightly'])(
    'a run of %s is deleted only after a confirmation',
    async (address) => {
      world = await runWorld();
      const { [address]: id } = await started(address);
      const asked = await world.run(`runs rm ${id}`);
      expect([asked.exit, asked.stderr]).toEqual([1, expect.stringContaining('not-confirmed')]);
      expect((await json('runs')).runs).toHaveLength(1);
      expect((await json(`runs rm ${id} --yes`)).deleted).toMatchObject({ id, jobs: { length: 3 } });
      expect((await json('runs')).runs).toEqual([]);
      expect((await world.run(`runs rm ${id} --yes`)).exit).toBe(1);
    },
  );

  test.each([
    ['the answer is lost', { act: 'lose' }, 0],
    ['the service refuses', { act: 'status', status: 403, body: '{}' }, 1],
  ] as const)('when %s, it is looked at again', async (_what, fault, code) => {
    world = await runWorld();
    const { 'group/shops': id } = await started('group/shops');
    world.sandbox.faults.faults = [{ ...fault, method: 'DELETE', nth: [1] } as never];
    const { exit } = await world.run(`runs rm ${id} --yes`);
    expect([exit, (await json('runs')).runs.length]).toEqual([code, code]);
  });

  test('a delete that never gets through is not called done', async () => {
    world = await runWorld();
    const { 'group/shops': id } = await started('group/shops');
    world.sandbox.faults.faults = [{ act: 'drop', method: 'DELETE' } as never];
    const { exit } = await world.run(`runs rm ${id} --yes`);
    expect([exit, (await json('runs')).runs.length]).toEqual([3, 1]);
  });

  test('neither a job nor a run that has not finished is deleted', async () => {
    world = await runWorld(agentsWith({ globex: [{ seconds: 600 }] }));
    const { 'agent/umbrella': job } = await started('agent/umbrella');
    const { runs } = await world.json('run group/shops --detach');
    world.sandbox.requests.length = 0;
    expect((await world.run(`runs rm ${job} --yes`)).stderr).toContain('is the id of a job');
    expect((await world.run(`runs rm ${runs[0]?.id} --yes`)).stderr).toMatch(/has not\s+finished/);
    expect(world.sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

describe('hostile answers', () => {
  test('control characters and words of objects are shown harmlessly', async () => {
    world = await runWorld();
    const { 'group/shops': id } = await started('group/shops');
    const entry = { groupRunId: id, groupId: 'g', groupName: '__proto__\u001b[2J\n[x]', status: '__proto__' };
    const body = JSON.stringify({ success: true, data: { items: [entry], total: 1, metrics: {} } });
    world.sandbox.faults.faults = [{ act: 'status', status: 200, body, path: '/api/search-groups/runs' }];
    const { exit, stdout } = await world.run('runs');
    expect([exit, stdout.includes('\u001b'), stdout.includes('\n[x]')]).toEqual([0, false, false]);
    expect(stdout).toContain('succeeded');
  });

  test('an answer about another run than the one that was named is not believed', async () => {
    world = await runWorld();
    const ids = await started('agent/globex', 'agent/umbrella');
    const list = await world.sandbox.requests;
    expect(list).toEqual([]);
    const other = { agentJobHistoryId: ids['agent/umbrella'], agentName: 'x', status: 3, isTerminal: true };
    const body = JSON.stringify({ success: true, data: { items: [other], nextCursor: null } });
    world.sandbox.faults.faults = [{ act: 'status', status: 200, body, path: '/api/scraper-agents/jobs' }];
    expect((await world.run(`runs stop ${ids['agent/globex']}`)).exit).toBe(1);
  });

  test('pages that repeat themselves end the list', async () => {
    world = await runWorld();
    const { 'agent/globex': id } = await started('agent/globex');
    const job = { agentJobHistoryId: id, agentName: 'x', status: 3, isTerminal: true };
    const body = JSON.stringify({ success: true, data: { items: [job], nextCursor: 'again' } });
    world.sandbox.faults.faults = [{ act: 'status', status: 200, body, path: '/api/scraper-agents/jobs' }];
    expect((await json('runs')).runs).toHaveLength(1);
    expect(paths().filter((path) => path.endsWith('/jobs')).length).toBeLessThan(4);
  });
});
