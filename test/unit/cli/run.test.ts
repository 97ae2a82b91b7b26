import { rmSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import type { Seed } from '../../../src/sandbox/index.js';
import { agentsWith, PROJECT, type RunWorld, runWorld } from '../../support/runs.js';

/** `roster run` (contract §9), over HTTP against a sandbox whose clock the command moves by sleeping. */

let world: RunWorld;
afterEach(() => world.close());
const arrange = async (seed?: Seed) => {
  world = await runWorld(seed);
  return world;
};

const failing = { result: 'fail', message: 'The source did not respond.', seconds: 20 } as const;
const busy = { result: 'refuse', message: 'The agent is being changed.' } as const;

interface Case {
  readonly what: string;
  readonly seed?: Seed;
  readonly line: string;
  readonly exit: number;
  readonly states: readonly string[];
  readonly codes: readonly string[];
}

const verdicts: readonly Case[] = [
  {
    what: 'an agent that succeeds ends in 0',
    line: 'run agent/acme-shop',
    exit: 0,
    states: ['succeeded'],
    codes: [],
  },
  {
    what: 'a group whose members succeed ends in 0',
    line: 'run group/shops',
    exit: 0,
    states: ['succeeded'],
    codes: [],
  },
  {
    what: 'a pipeline whose stages succeed ends in 0',
    line: 'run pipeline/nightly',
    exit: 0,
    states: ['succeeded'],
    codes: [],
  },
  {
    what: 'schedules are run as they are deployed, whatever they start',
    line: 'run schedule/*',
    exit: 0,
    states: ['succeeded', 'succeeded', 'succeeded'],
    codes: [],
  },
  {
    what: 'an agent that fails ends in 5',
    seed: agentsWith({ globex: [failing] }),
    line: 'run agent/acme-shop agent/globex',
    exit: 5,
    states: ['succeeded', 'failed'],
    codes: ['run-failed'],
  },
  {
    what: 'a group with a failed member ends in 5',
    seed: agentsWith({ globex: [failing] }),
    line: 'run group/shops',
    exit: 5,
    states: ['failed'],
    codes: ['run-failed'],
  },
  {
    what: 'a pipeline with a failed stage ends in 5, and names that stage only',
    seed: agentsWith({ globex: [failing] }),
    line: 'run pipeline/nightly',
    exit: 5,
    states: ['failed'],
    codes: ['run-failed'],
  },
  {
    what: 'a start that the service refuses is its verdict: 5',
    seed: agentsWith({ globex: [busy] }),
    line: 'run agent/globex',
    exit: 5,
    states: ['notStarted'],
    codes: ['not-started'],
  },
  {
    what: 'a member that never starts ends in 5',
    seed: agentsWith({ globex: [busy] }),
    line: 'run group/shops',
    exit: 5,
    states: ['failed'],
    codes: ['not-started'],
  },
  {
    what: 'a group of which no member starts is one that was not started',
    seed: agentsWith({ umbrella: [busy] }),
    line: 'run group/spare',
    exit: 5,
    states: ['notStarted'],
    codes: ['not-started'],
  },
  {
    what: 'members that never started are tried again with --retry-not-started',
    seed: agentsWith({ globex: [{ ...busy, nth: [1, 2] }, { seconds: 5 }] }),
    line: 'run group/shops --retry-not-started 2',
    exit: 0,
    states: ['succeeded'],
    codes: [],
  },
  {
    what: 'retries are counted',
    seed: agentsWith({ globex: [{ ...busy, nth: [1, 2] }, { seconds: 5 }] }),
    line: 'run group/shops --retry-not-started 1',
    exit: 5,
    states: ['failed'],
    codes: ['not-started'],
  },
  {
    what: 'what is still running when --for ends is 6, also when something else has failed',
    seed: agentsWith({ globex: [failing], initech: [{ seconds: 900 }] }),
    line: 'run agent/globex agent/initech --for 1m',
    exit: 6,
    states: ['failed', 'running'],
    codes: ['run-failed', 'still-running'],
  },
  {
    what: '--detach ends in 0 once everything is started',
    line: 'run agent/acme-shop group/shops --detach',
    exit: 0,
    states: ['running', 'running'],
    codes: [],
  },
  {
    what: '--detach ends in 5 when the service refuses a start',
    seed: agentsWith({ globex: [busy] }),
    line: 'run agent/acme-shop agent/globex --detach',
    exit: 5,
    states: ['running', 'notStarted'],
    codes: ['not-started'],
  },
];

describe('the verdict is the exit code', () => {
  test.each(verdicts)('$what', async ({ seed, line, exit, states, codes }) => {
    const { json } = await arrange(seed);
    const ran = await json(line);
    expect([ran.exit, ran.runs.map(({ state }) => state), ran.codes]).toEqual([exit, states, codes]);
  });
});

describe('before anything is sent', () => {
  const refused = [
    ['an input that the agent does not have', 'run agent/acme-shop -i contry=DE', 1, 'unknown-input'],
    ['an input that no member has', 'run group/shops -i contry=DE', 1, 'unknown-input'],
    ['inputs for a pipeline', 'run pipeline/nightly -i country=DE', 1, 'ignored-inputs'],
    ['inputs for a schedule of a pipeline', 'run schedule/pipeline -i country=DE', 1, 'ignored-inputs'],
    ['more starts than --max-starts', 'run group/shops --max-starts 2', 4, 'too-many-starts'],
    ['more starts than --max-starts, by stages', 'run pipeline/nightly --max-starts 2', 4, 'too-many-starts'],
    ['an unknown agent', 'run agent/acme-shp', 1, 'unknown-agent'],
    ['an unknown address', 'run group/shps', 1, 'usage'],
    ['an input that is not KEY=VALUE', 'run agent/acme-shop -i country', 1, 'usage'],
    ['a glob of agents', 'run agent/*', 1, 'usage'],
    ['--declared without a schedule', 'run pipeline/nightly --declared', 1, 'usage'],
    ['--retry-not-started without a group', 'run agent/globex --retry-not-started 1', 1, 'usage'],
    ['--detach with --for', 'run agent/globex --detach --for 1m', 1, 'usage'],
    ['--detach with a retry', 'run group/shops --detach --retry-not-started 1', 1, 'usage'],
    ['--detach with --stop-on-interrupt', 'run group/shops --detach --stop-on-interrupt', 1, 'usage'],
    ['a duration that is none', 'run agent/acme-shop --for soon', 1, 'usage'],
  ] as const;
  test.each(refused)('%s is refused, and nothing is started', async (_what, line, exit, code) => {
    const { json, sandbox } = await arrange();
    const ran = await json(line);
    expect([ran.exit, ran.codes]).toEqual([exit, [code]]);
    expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('what is declared but not applied cannot be run', async () => {
    const { json, workspace, starts } = await arrange();
    workspace.write('roster.yaml', 'project: runs\ngroups:\n  new: { members: [globex] }\n');
    const ran = await json('run group/new');
    expect([ran.exit, ran.codes, starts]).toEqual([1, ['unknown-reference'], 0]);
  });

  test('the target of a schedule that is not deployed yet runs with --declared', async () => {
    const { json, workspace, sandbox } = await arrange();
    const text = PROJECT.replace(
      'schedules:\n',
      'schedules:\n  new: { target: agent/globex, once: 2099-01-01T00:00:00, inputs: { country: PL } }\n  newer: { target: group/shops, once: 2099-01-01T00:00:00 }\n',
    );
    workspace.write('roster.yaml', text);
    expect((await json('run schedule/new')).codes).toEqual(['unknown-reference']);
    const ran = await json('run schedule/new schedule/newer --declared');
    expect([ran.exit, ran.runs.map(({ idKind }) => idKind)]).toEqual([0, ['job', 'groupRun']]);
    expect([...sandbox.world.jobs.values()][0]?.inputParameters).toBe('{"country":"PL"}');
  });

  test('a target that does not exist yet cannot be run', async () => {
    const { json, workspace, starts } = await arrange();
    const text = PROJECT.replace('groups:\n', 'groups:\n  fresh: { members: [globex] }\n');
    workspace.write(
      'roster.yaml',
      text.replace('schedules:\n', 'schedules:\n  new: { target: group/fresh, once: 2099-01-01T00:00:00 }\n'),
    );
    const ran = await json('run schedule/new --declared');
    expect([ran.exit, ran.codes, starts]).toEqual([1, ['unknown-reference'], 0]);
    expect(ran.stdout).toContain('roster apply');
  });

  test('a key that the service refuses ends in 1', async () => {
    const { json, workspace, starts } = await arrange();
    workspace.env['ROSTER_API_KEY'] = `svc_live_${'x'.repeat(24)}`;
    const ran = await json('run agent/acme-shop');
    expect([ran.exit, ran.codes, starts]).toEqual([1, ['unauthorized'], 0]);
  });
});

describe('inputs', () => {
  const inputsSeen = () =>
    [...world.sandbox.world.jobs.values()].map((job) => JSON.parse(job.inputParameters));

  test('-i reaches every member of a group', async () => {
    const { run } = await arrange();
    expect((await run('run group/shops -i country=AT')).exit).toBe(0);
    expect(inputsSeen()).toEqual([{ country: 'AT' }, { country: 'AT' }, { country: 'AT' }]);
  });

  test('--inputs reads a JSON object, and -i wins over it', async () => {
    const { run, workspace } = await arrange();
    workspace.write('inputs.json', '{ "country": "FR" }');
    expect((await run('run agent/globex --inputs inputs.json')).exit).toBe(0);
    expect((await run('run agent/globex --inputs inputs.json -i country=AT')).exit).toBe(0);
    expect(inputsSeen()).toEqual([{ country: 'FR' }, { country: 'AT' }]);
  });

  test('a schedule runs with the deployed inputs, and with those of the manifest when it is --declared', async () => {
    const { run, workspace } = await arrange();
    workspace.write('roster.yaml', (await import('../../support/runs.js')).PROJECT.replace('FR', 'PL'));
    expect((await run('run schedule/agent')).exit).toBe(0);
    expect((await run('run schedule/agent --declared')).exit).toBe(0);
    expect(inputsSeen()).toEqual([{ country: 'FR' }, { country: 'PL' }]);
    expect([...world.sandbox.world.jobs.values()].map((job) => job.scheduleId === null)).toEqual([
      false,
      true,
    ]);
  });
});

describe('the fewest calls', () => {
  const reads = (from: number) =>
    world.sandbox.requests
      .slice(from)
      .map(({ path }) => path.replace(/[0-9a-f-]{36}/, 'ID').replace(/\?.*/, ''));

  test('an agent needs the agents, the newest jobs and its start; then each poll is one call', async () => {
    const { run } = await arrange();
    expect((await run('run agent/acme-shop')).exit).toBe(0);
    expect(reads(0)).toEqual([
      '/api/scraper-agents',
      '/api/scraper-agents/jobs',
      '/api/scraper-agents/acme-shop/start-job',
      '/api/scraper-agents/jobs',
      '/api/scraper-agents/jobs',
      '/api/scraper-agents/jobs/ID/runs',
    ]);
  });

  test('a group needs the agents and the groups: what refers to it is not read', async () => {
    const { sandbox, workspace, run } = await arrange();
    expect((await workspace.apply()).exit).toBe(0);
    const before = sandbox.requests.length;
    expect((await run('run group/shops --detach')).exit).toBe(0);
    const lists = reads(before).filter((path) => !/start|runs?\b/.test(path));
    expect(lists.sort()).toEqual(['/api/scraper-agents', '/api/search-groups']);
  });

  test('everything that can run is read to tell a group that is gone from the key of another user', async () => {
    const { sandbox, workspace, run } = await arrange();
    expect((await workspace.apply()).exit).toBe(0);
    const shops = [...sandbox.world.groups.values()].find(({ name }) => name === 'shops');
    sandbox.world.groups.delete(shops?.id ?? '');
    const { exit, stderr } = await run('run group/shops');
    expect([exit, stderr]).toEqual([
      1,
      expect.stringContaining('group/shops is declared but does not exist'),
    ]);
  });

  test('ten runs are one list a poll', async () => {
    const agents = Array.from({ length: 10 }, (_, index) => ({
      externalAgentId: `agent-${index}`,
      name: `Agent ${index}`,
      outcomes: [{ seconds: 55 }],
    }));
    const { sandbox, workspace, run } = await arrange({
      agents: [...(agentsWith({}).agents ?? []), ...agents],
    });
    const lists: number[] = [];
    const { sleep } = workspace;
    workspace.sleep = async (milliseconds) => {
      lists.push(sandbox.requests.length);
      await sleep?.(milliseconds);
    };
    const line = agents.map(({ externalAgentId }) => `agent/${externalAgentId}`).join(' ');
    expect((await run(`run ${line}`)).exit).toBe(0);
    const polls = sandbox.requests.filter(({ method, path }) => method === 'GET' && /\/jobs\?/.test(path));
    // One before the starts, then polls after 5, 10, 16, 24, 34, 46 and 61 seconds.
    expect(polls.length).toBe(8);
    expect(Math.max(...lists)).toBeLessThan(12 + polls.length);
  });

  test('a group run of three is one call a poll', async () => {
    const { run, sandbox } = await arrange();
    expect((await run('run group/shops')).exit).toBe(0);
    const polls = sandbox.requests.filter(({ path }) => /search-groups\/runs\/[^/]+$/.test(path));
    // After 5, 10 and 16 seconds: the members start one after another.
    expect(polls.length).toBeLessThanOrEqual(3);
    expect(sandbox.requests.filter(({ path }) => /\/jobs\?/.test(path))).toEqual([]);
  });
});

test('starts are paced under 60 a minute', async () => {
  const members = Array.from({ length: 30 }, (_, index) => `a-${index}`);
  const agents = members.map((externalAgentId) => ({ externalAgentId, name: externalAgentId }));
  const { workspace, run } = await arrange({ agents: [...(agentsWith({}).agents ?? []), ...agents] });
  workspace.write(
    'roster.yaml',
    `project: runs\ngroups:\n${['x', 'y', 'z'].map((key) => `  ${key}: { members: [${members.join(', ')}] }\n`).join('')}`,
  );
  await workspace.apply({ allowDeletes: '99' });
  const before = world.slept;
  expect((await run('run group/x group/y group/z --max-starts 90 --detach')).exit).toBe(0);
  expect(world.slept - before).toBeGreaterThan(110_000);
});

test('nothing of a run changes the manifests or the inventory', async () => {
  const { run, workspace } = await arrange();
  const { readFileSync } = await import('node:fs');
  const files = () =>
    ['roster.yaml', 'roster.inventory.json'].map((name) => readFileSync(`${workspace.root}/${name}`, 'utf8'));
  const before = files();
  expect((await run('run group/shops schedule/agent')).exit).toBe(0);
  expect(files()).toEqual(before);
  expect((await workspace.plan({ detailedExitcode: true })).exit).toBe(0);
});

test('the JSON shows each run with its members, times, records and anomalies', async () => {
  const { json } = await arrange(
    agentsWith({ globex: [failing], initech: [{ seconds: 10, records: 0, anomaly: 'Fast' }] }),
  );
  const { runs } = await json('run group/shops');
  expect(runs).toEqual([
    {
      address: 'group/shops',
      id: expect.any(String),
      idKind: 'groupRun',
      state: 'failed',
      startedAt: expect.stringMatching(/Z$/),
      finishedAt: expect.stringMatching(/Z$/),
      records: 5,
      errors: 1,
      anomaly: 'fast',
      message: null,
      members: [
        expect.objectContaining({
          address: 'agent/acme-shop',
          state: 'succeeded',
          records: 5,
          anomaly: 'none',
        }),
        expect.objectContaining({
          address: 'agent/globex',
          state: 'failed',
          message: 'The source did not respond.',
        }),
        expect.objectContaining({
          address: 'agent/initech',
          state: 'succeeded',
          records: 0,
          anomaly: 'fast',
        }),
      ],
    },
  ]);
});

test('JUnit has a suite for each run and a case for each agent, and is inert', async () => {
  const { run } = await arrange(agentsWith({ globex: [{ ...failing, message: '<b>"&\u0001\u{d800}' }] }));
  const { stdout, exit } = await run('run group/shops agent/umbrella --format junit');
  expect(exit).toBe(5);
  expect(stdout.match(/<testsuite /g)).toHaveLength(2);
  expect(stdout.match(/<testcase /g)).toHaveLength(4);
  expect(stdout).toContain('<failure type="failed" message="&lt;b&gt;&quot;&amp;');
  expect(stdout).not.toContain('\u0001');
});

test('a schedule on hold can be run, and a note says who holds it and why', async () => {
  const { run, json } = await arrange();
  expect((await run('hold schedule/agent --reason incident-42 --yes')).exit).toBe(0);
  const ran = await json('run schedule/agent schedule/group --detach');
  expect([ran.exit, ran.codes]).toEqual([0, ['held']]);
  expect(ran.stdout).toMatch(/schedule\/agent is held by .*incident-42/);
});

test('an agent and the id of a job need no project', async () => {
  const { json, workspace } = await arrange();
  rmSync(`${workspace.root}/roster.yaml`);
  const ran = await json(`run agent/acme-shop --detach --url ${world.sandbox.url}`);
  expect([ran.exit, ran.codes]).toEqual([0, []]);
  const waited = await json(`wait ${ran.runs[0]?.id} --url ${world.sandbox.url}`);
  expect([waited.exit, waited.runs.map(({ state }) => state)]).toEqual([0, ['succeeded']]);
  expect((await json('run group/shops')).exit).toBe(1);
});

test('JUnit has no error for what --detach has started', async () => {
  const { run } = await arrange();
  const { stdout, exit } = await run('run agent/acme-shop group/shops --detach --format junit');
  expect(exit).toBe(0);
  expect(stdout.match(/errors="0" skipped="1"/g)).toHaveLength(2);
  expect(stdout.match(/<skipped message="started"\/>/g)).toHaveLength(2);
  expect(stdout).not.toMatch(/<(error|failure)/);
});

test("a refusal is reported with the service's reason, without the request", async () => {
  const { run, json } = await arrange(agentsWith({ globex: [busy] }));
  const [alone] = (await json('run agent/globex')).runs;
  expect(alone?.message).toBe(busy.message);
  const { stderr } = await run('run group/shops --retry-not-started 2');
  expect(stderr).not.toContain('/api/');
  expect(stderr).not.toMatch(/running.*being changed/);
  const text = stderr.replace(/\s+/g, ' ');
  expect(text).toContain(`agent/globex of group/shops was not started: ${busy.message}`);
  // The line of its progress says the state only.
  expect(text.split(busy.message)).toHaveLength(2);
});

test('what still runs has the time of its start, as the answer to the start says', async () => {
  const { json } = await arrange(agentsWith({ globex: [{ seconds: 600 }] }));
  const { exit, runs } = await json('run agent/globex --for 1m');
  expect([exit, runs[0]?.state, runs[0]?.startedAt]).toEqual([
    6,
    'running',
    expect.stringMatching(/^2026-12-01T06:/),
  ]);
});

test('a job that the execution engine has lost is noticed', async () => {
  const { json } = await arrange(agentsWith({ globex: [{ result: 'lose' }] }));
  const ran = await json('run agent/globex --for 10m');
  expect([ran.exit, ran.runs.map(({ state }) => state)]).toEqual([5, ['failed']]);
});
