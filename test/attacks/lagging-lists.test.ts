import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { command } from '../support/command.js';
import { startSandbox } from '../support/sandbox.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const scheduleOf = (key: string, agent = 'acme-shop') =>
  `  ${key}: { target: agent/${agent}, every: 6 hours, startTime: 2099-01-01T06:00:00 }\n`;

async function arrange() {
  const sandbox = await startSandbox();
  const cwd = mkdtempSync(join(tmpdir(), 'roster-lag-'));
  cleanups.push(() => rmSync(cwd, { recursive: true }));
  const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
  const declare = (schedules: string) =>
    writeFileSync(join(cwd, 'roster.yaml'), `project: lag\nschedules:\n${schedules}`);
  declare(scheduleOf('hourly'));
  const apply = () => command(['apply', '--yes'], { cwd, env });
  const creates = () =>
    sandbox.requests.filter(({ method, path }) => method === 'POST' && path === '/api/schedules').length;
  const inventory = () => readFileSync(join(cwd, 'roster.inventory.json'), 'utf8');
  return { sandbox, declare, apply, creates, inventory };
}

test('lagging lists: two applies in a row create a schedule once, and the third one owns it', async () => {
  const { sandbox, apply, creates, inventory } = await arrange();
  sandbox.faults.lagMs = 60_000;
  expect((await apply()).exit).toBe(3);
  const second = await apply();
  expect([second.exit, creates()]).toEqual([3, 1]);
  expect(second.stderr.replace(/\s+/g, ' ')).toContain('no list of the service shows it yet');
  sandbox.faults.lagMs = 0;
  expect((await apply()).exit).toBe(0);
  const [only] = [...sandbox.world.schedules.values()];
  expect([sandbox.world.schedules.size, creates()]).toEqual([1, 1]);
  expect(inventory()).toContain(only?.id);
  expect(inventory()).not.toContain('created');
});

test('lagging lists: a schedule whose entry is removed before a list shows it is not forgotten', async () => {
  const { sandbox, declare, apply, inventory } = await arrange();
  sandbox.faults.lagMs = 60_000;
  expect((await apply()).exit).toBe(3);
  declare(scheduleOf('other', 'globex'));
  expect((await apply()).exit).toBe(3);
  expect(inventory()).toContain('"schedule/hourly"');
  sandbox.faults.lagMs = 0;
  expect((await apply()).exit).toBe(0);
  expect([...sandbox.world.schedules.values()]).toHaveLength(1);
  expect(inventory()).not.toContain('"schedule/hourly"');
});
