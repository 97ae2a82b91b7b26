import { afterEach, expect, test } from 'vitest';
import type { ResourceStatus, Run } from '../../../src/model/run.js';
import type { Seed } from '../../../src/sandbox/index.js';
import { startInterceptingProxy } from '../../support/intercepting-proxy.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** Lists of runs that show the fields of a run as the interface has them (§2), and no word for how it ended. */

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const outcomes = [{ seconds: 5, records: 3 }];
const failing = [{ result: 'fail' as const, seconds: 5, message: 'The source did not respond.' }];
const seed: Seed = {
  agents: [
    { externalAgentId: 'a', name: 'Agent a', outcomes },
    { externalAgentId: 'b', name: 'Agent b', outcomes },
    { externalAgentId: 'bad', name: 'Agent bad', outcomes: failing },
    { externalAgentId: 'slow', name: 'Agent slow', outcomes: [{ seconds: 1_000_000 }] },
    { externalAgentId: 'refused', name: 'Agent refused', outcomes: [{ result: 'refuse', message: 'Busy.' }] },
  ],
};
const every = 'every: 1 day, startTime: "2026-12-01T06:00:00"';
const PROJECT = `project: prices
groups:
  fine: { members: [a, b] }
  fails: { members: [a, bad] }
  missing: { members: [a, refused] }
  runs: { members: [b, slow] }
pipelines:
  chain: { stages: [a, b] }
  breaks: { stages: [bad, a] }
schedules:
  daily: { target: group/fine, ${every} }
`;
const shown: Readonly<Record<string, readonly string[]>> = {
  'search-groups': ['groupRunId', 'memberCount', 'startedCount', 'failedCount', 'jobs', 'notStarted'],
  pipelines: ['pipelineRunId', 'currentStepIndex', 'stepCount', 'startedAt', 'finishedAt', 'steps'],
};

/** `fields`: what the lists show. */
async function world(fields = shown) {
  const now = new Date('2026-12-08T05:00:00Z');
  const sandbox = await startSandbox({ seed, speed: 0, now });
  const headers = { 'x-api-key': sandbox.apiKey };
  const service = await startInterceptingProxy(sandbox.url, async ({ path }, pass) => {
    const [, kind = ''] = /^\/api\/(search-groups|pipelines)\/runs$/.exec(path) ?? [];
    const names = fields[kind];
    if (names === undefined) return undefined;
    const answer = await pass();
    const { data } = answer.body as { data: { items: Record<string, unknown>[] } };
    for (const [index, item] of data.items.entries()) {
      const id = item['groupRunId'] ?? item['pipelineRunId'];
      const whole = await fetch(`${sandbox.url}${path}/${id}`, { headers });
      const kept = Object.entries(((await whole.json()) as { data: object }).data).filter(([name]) =>
        names.includes(name),
      );
      data.items[index] = Object.fromEntries(kept);
    }
    return answer;
  });
  cleanups.push(() => service.close());
  const workspace = new Workspace({ 'roster.yaml': PROJECT }, { url: service.url, apiKey: sandbox.apiKey });
  workspace.now = () => sandbox.now();
  expect((await workspace.apply()).exit).toBe(0);
  sandbox.advance(2 * 3_600_000);
  for (const key of ['fails', 'missing', 'runs', 'chain', 'breaks']) {
    const address = `${key === 'chain' || key === 'breaks' ? 'pipeline' : 'group'}/${key}`;
    expect((await workspace.command(['run', address, '--detach'])).exit).toBe(0);
  }
  sandbox.advance(3_600_000);
  service.sent.length = 0;
  return { workspace, service };
}

async function healths(workspace: Workspace) {
  const { stdout } = await workspace.command(['status', '--format', 'json']);
  const { resources } = jsonOf<{ resources: readonly ResourceStatus[] }>({ stdout });
  return Object.fromEntries(resources.map(({ address, health, counts }) => [address, [health, counts]]));
}

const count = (succeeded: number, failed = 0) => ({ succeeded, failed, missed: 0 });
const expected = {
  'group/fine': ['healthy', count(1)],
  'schedule/daily': ['healthy', count(1)],
  'group/fails': ['failing', count(0, 1)],
  'group/missing': ['failing', count(0, 1)],
  'group/runs': ['running', count(0)],
  'pipeline/chain': ['healthy', count(1)],
  'pipeline/breaks': ['failing', count(0, 1)],
};

test('how a run ended follows from its jobs or stages in the list, without a request for it', async () => {
  const { workspace, service } = await world();
  expect(await healths(workspace)).toEqual(expected);
  expect(service.sent.filter((each) => /\/runs\/./.test(each))).toEqual([]);
});

test('and from the list of jobs, where the list shows only how many members a run has', async () => {
  const { workspace, service } = await world({ 'search-groups': ['groupRunId', 'memberCount'] });
  expect(await healths(workspace)).toMatchObject({
    'group/fine': ['healthy', count(1)],
    'schedule/daily': ['healthy', count(1)],
    'group/fails': ['failing', count(0, 1)],
    'group/runs': ['running', count(0)],
    // Nobody says that the other member never started: it may still start.
    'group/missing': ['unknown', count(0)],
  });
  expect(service.sent.filter((each) => /\/runs\/./.test(each))).toEqual([]);
});

test('`roster runs` needs no request for such a run itself', async () => {
  const { workspace, service } = await world();
  const { stdout } = await workspace.command(['runs', '--format', 'json']);
  const { runs } = jsonOf<{ runs: readonly Run[] }>({ stdout });
  const states = runs.filter(({ idKind }) => idKind === 'groupRun').map(({ state }) => state);
  expect(states.sort()).toEqual(['failed', 'failed', 'running', 'succeeded']);
  expect(service.sent.filter((each) => /search-groups\/runs\/./.test(each))).toEqual([]);
});
