import { afterEach, expect, test } from 'vitest';
import type { ResourceStatus } from '../../../src/model/run.js';
import type { Sandbox, Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** Lists of group runs and pipeline runs need not name their group or pipeline (interface §2, Group run). */

let close: () => Promise<void>;
afterEach(() => close());

const now = new Date('2026-12-08T12:00:00Z');
const hidden = ['groupId', 'groupName', 'pipelineId', 'pipelineName', 'name'];

async function world(
  seed: Seed,
  text: string,
  hasFilter = true,
): Promise<{ sandbox: Sandbox; workspace: Workspace }> {
  const sandbox = await startSandbox({
    ...{ seed, speed: 0, now },
    behaviour(reply, exchange) {
      if (!hasFilter && exchange?.call.query.has('groupId')) return { status: 400, body: { success: false } };
      const found = reply();
      if (!/^\/api\/(search-groups|pipelines)\/runs$/.test(exchange?.route.path ?? '')) return found;
      const body = structuredClone(found.body) as { data: { items: Record<string, unknown>[] } };
      for (const item of body.data.items) for (const name of hidden) delete item[name];
      return { ...found, body: body as unknown as typeof found.body };
    },
  });
  const workspace = new Workspace({ 'roster.yaml': text }, sandbox);
  workspace.now = () => sandbox.now();
  close = async () => {
    await sandbox.close();
  };
  const applied = await workspace.apply();
  expect(applied.exit).toBe(0);
  return { sandbox, workspace };
}

async function statusOf(workspace: Workspace) {
  const { stdout } = await workspace.command(['status', '--format', 'json']);
  const { resources } = jsonOf<{ resources: readonly ResourceStatus[] }>({ stdout });
  return new Map(resources.map((each) => [each.address, each]));
}

const agents = ['a', 'b'].map((externalAgentId) => ({
  externalAgentId,
  name: `Agent ${externalAgentId}`,
  outcomes: [{ seconds: 5, records: 3 }],
}));
const PROJECT = `project: prices
groups:
  ran: { members: [a] }
  other: { members: [b] }
  idle: { members: [a, b] }
pipelines:
  chain: { stages: [a, b] }
`;

test('their runs are counted for those that ran in the period, with a list for each of them', async () => {
  const { sandbox, workspace } = await world({ agents }, PROJECT);
  for (const address of ['group/ran', 'group/ran', 'group/other', 'pipeline/chain']) {
    expect((await workspace.command(['run', address, '--detach'])).exit).toBe(0);
    sandbox.advance(3_600_000);
  }
  sandbox.requests.length = 0;
  const found = await statusOf(workspace);
  const counts = [...found].map(([address, each]) => [address, each.counts.succeeded, each.health]);
  expect(counts.sort()).toEqual([
    ['group/idle', 0, 'never-run'],
    ['group/other', 1, 'healthy'],
    ['group/ran', 2, 'healthy'],
    ['pipeline/chain', 1, 'healthy'],
  ]);
  const lists = sandbox.requests.filter(({ path }) => /\/runs\?.*(groupId|pipelineId)=/.test(path));
  expect(lists).toHaveLength(3);
});

test('what cannot be attributed is null, and the health follows from what the object itself shows', async () => {
  const { sandbox, workspace } = await world({ agents }, PROJECT, false);
  const { id } = [...sandbox.world.groups.values()].find(({ name }) => name === 'ran') ?? {};
  const headers = { 'X-Api-Key': sandbox.apiKey, 'Content-Type': 'application/json' };
  await fetch(`${sandbox.url}/api/search-groups/${id}/run`, { method: 'POST', headers, body: '{}' });
  sandbox.advance(3_600_000);
  const found = await statusOf(workspace);
  expect(found.get('group/ran')).toMatchObject({
    health: 'healthy',
    counts: { succeeded: null, failed: null },
    lastRun: { state: 'succeeded' },
  });
  expect(found.get('group/idle')).toMatchObject({ health: 'never-run', counts: { succeeded: 0, failed: 0 } });
});

const idOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

test('at most 50 lists are read', async () => {
  const keys = Array.from({ length: 60 }, (_, index) => `g${index}`);
  // They exist: to create them would take longer than all the rest.
  const groups = keys.map((name, index) => ({ name, members: ['a'], id: idOf(index) }));
  const entries = groups.map(({ name, id }) => `  ${name}: { id: ${id}, members: [a] }\n`);
  const text = `project: prices\ngroups:\n${entries.join('')}`;
  const { sandbox, workspace } = await world({ agents, groups }, text);
  for (const [index, { id }] of groups.entries()) {
    await fetch(`${sandbox.url}/api/search-groups/${id}/run`, {
      method: 'POST',
      headers: { 'X-Api-Key': sandbox.apiKey, 'Content-Type': 'application/json' },
      body: '{"inputParameters":"{}"}',
    });
    if (index % 20 === 19) sandbox.advance(120_000);
  }
  sandbox.advance(3_600_000);
  sandbox.requests.length = 0;
  const found = await statusOf(workspace);
  const lists = sandbox.requests.filter(({ path }) => /[?&]groupId=/.test(path));
  const counted = [...found.values()].filter(({ counts }) => counts.succeeded !== null);
  expect([lists.length, counted.length]).toEqual([50, 50]);
});
