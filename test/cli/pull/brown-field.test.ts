import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sandbox, Seed, SeedSchedule } from '../../../src/sandbox/index.js';
import { roster } from '../../support/program.js';
import { startSandbox } from '../../support/sandbox.js';

/** A company that has used the dashboard for years: 15 groups, 5 pipelines and 41 schedules. */

const agents = ['acme-shop', 'globex', 'initech', 'login-check', 'catalogue', 'prices'];
const agentOf = (index: number) => agents[index % agents.length] ?? '';
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

const groupName = (index: number) => `Shops of region ${index + 1}`;
const pipelineName = (index: number) => `Nightly: part ${index + 1}/5`;

function schedule(index: number): SeedSchedule {
  const targets = [groupName(index % 15), pipelineName(index % 5), agentOf(index)];
  const common = {
    targetId: targets[index % 3] ?? '',
    targetType: (['Group', 'Pipeline', 'Agent'] as const)[index % 3] ?? 'Agent',
    startTime: `2099-01-${String((index % 28) + 1).padStart(2, '0')}T06:00:00`,
    timeZoneId: index % 2 === 0 ? 'Europe/Berlin' : 'UTC',
    isEnabled: index % 7 !== 0,
    inputParameters: index % 3 === 1 ? '{}' : JSON.stringify({ country: 'DE', query: `no. ${index}` }),
  };
  return index % 2 === 0
    ? { ...common, scheduleType: 'Basic', intervalValue: index + 1, intervalUnit: 'Hours' }
    : { ...common, scheduleType: 'Cron', cronExpression: `0 ${index} 4 * * *` };
}

const seed: Seed = {
  groups: numbers(15).map((index) => ({
    name: groupName(index),
    description: index % 4 === 0 ? 'Every shop: "all" of them # really' : '',
    members: numbers((index % 4) + 1).map((member) => agentOf(index + member)),
  })),
  pipelines: numbers(5).map((index) => ({
    name: pipelineName(index),
    steps: ['login-check', agentOf(index), 'prices'].filter((each, at, all) => all.indexOf(each) === at),
  })),
  schedules: numbers(41).map(schedule),
};

let sandbox: Sandbox;
let folder: string;
beforeEach(async () => {
  sandbox = await startSandbox({ seed });
  folder = mkdtempSync(join(tmpdir(), 'roster-brown-field-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
});

async function run(line: string): Promise<string> {
  const env = { ROSTER_API_KEY: sandbox.apiKey };
  const { exit, stdout, stderr } = await roster(line.split(' '), { cwd: folder, env });
  expect([line, exit, exit === 0 ? '' : stdout + stderr]).toEqual([line, 0, '']);
  return stdout;
}

/** The requests since the last call that were no reads. */
function writes(): number {
  const sent = sandbox.requests.filter(({ method, path }) => method !== 'GET' && !path.includes('/preview'));
  return sent.length;
}

test('an empty folder becomes an empty plan in three commands, and no request changes the service', async () => {
  await run(`init --ci none --url ${sandbox.url}`);
  await run('pull --yes');
  const applied = await run('apply --yes');
  // With the API key that roster uses.
  expect(applied).toContain(
    'Apply complete: 0 created, 0 updated, 0 replaced, 0 deleted, 62 adopted, 0 forgotten.',
  );
  expect(await run('plan --detailed-exitcode')).toContain(
    'No changes. The service matches the manifests (62 unchanged).',
  );
  expect(await run('validate')).toContain('is valid: 62 resources.');
  expect(writes()).toBe(0);
});
