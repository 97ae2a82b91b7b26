import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { defaultSeed, type Fault, type Sandbox, type SeedSchedule } from '../../src/sandbox/index.js';
import { command } from '../support/command.js';
import { type Ended, roster } from '../support/program.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { isLong, sampleOf } from '../support/size.js';

/** Responses of a service that is broken or hostile. Where memory may matter, each run is a process with little of it. */

const manifest = JSON.stringify({
  project: 'answers',
  groups: { shops: { members: ['globex'] } },
  schedules: { hourly: { target: 'agent/globex', every: '6 hours', startTime: '2030-01-01T00:00:00' } },
});

interface Project {
  readonly sandbox: Sandbox;
  readonly run: (...words: string[]) => Promise<Ended>;
  /** The same without a process. */
  readonly runHere: (...words: string[]) => Promise<Ended>;
}

async function project(schedules: SeedSchedule[] = [], heapMegabytes = 256): Promise<Project> {
  const sandbox = await startSandbox({ seed: { ...defaultSeed(), schedules } });
  const workspace = new Workspace({ 'roster.yaml': manifest }, sandbox);
  const heap = { NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}` };
  const run = (...words: string[]) =>
    roster(words, { cwd: workspace.root, env: { ...workspace.env, ...heap } });
  const runHere = (...words: string[]) => command(words, { cwd: workspace.root, env: workspace.env });
  return { sandbox, run, runHere };
}

const flat = (text: string) => text.replace(/\s+/g, ' ');

/** Both brackets and braces, since code that walks through values often treats them differently. */
const nested = (levels: number) => `${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`;

const schedule = (part: Partial<SeedSchedule>): SeedSchedule => ({
  targetId: 'initech',
  scheduleType: 'Basic',
  intervalValue: 6,
  intervalUnit: 'Hours',
  startTime: '2030-01-01T00:00:00',
  ...part,
});

describe('values nested too deeply', () => {
  const deep = nested(20_000);

  test('deep inputs of an unmanaged schedule do not stop a plan, a snapshot or an apply', async () => {
    const { run } = await project([schedule({ inputParameters: deep })]);
    expect(await run('plan')).toMatchObject({ exit: 0 });
    expect(await run('snapshot')).toMatchObject({ exit: 0 });
    expect(await run('apply', '--yes')).toMatchObject({ exit: 0 });
  });

  test('deep inputs of a declared schedule are shown as a difference, and an apply replaces them', async () => {
    const { run, sandbox } = await project([schedule({ targetId: 'globex', inputParameters: deep })]);
    for (const format of ['text', 'json', 'markdown']) {
      const { exit, stdout } = await run('plan', '--format', format);
      expect([exit, stdout], stdout).toEqual([0, expect.stringMatching(/inputs/)]);
    }
    expect(await run('apply', '--yes')).toMatchObject({ exit: 0 });
    expect([...sandbox.world.schedules.values()]).toMatchObject([{ inputParameters: '{}' }]);
  });

  const lists = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const answers = [
    { words: ['apply', '--yes'], data: lists },
    { words: ['status'], data: `[${nested(10_000)}]` },
    { words: ['api', '/api/search-groups/runs'], data: `{"items":[${lists}],"total":1}` },
  ];
  test.each(answers)('an answer of nothing but levels is not understood: $words', async ({ words, data }) => {
    const { run, sandbox } = await project();
    sandbox.faults.faults = [json('/api/search-groups*', `{"success":true,"data":${data}}`)];
    const { exit, stdout, stderr } = await run(...words);
    expect([exit, flat(stderr)], stdout).toEqual([
      1,
      expect.stringMatching(/^error\[unexpected-response\]: GET \/api\/search-groups.*at most 128 levels/),
    ]);
    expect([...sandbox.world.groups.values(), ...sandbox.world.schedules.values()]).toEqual([]);
  });

  test('a deep error message is reported as an error of the service', async () => {
    const { run, sandbox } = await project();
    const list = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    const errors = `${'{"errors":'.repeat(60)}{}${'}'.repeat(60)}`;
    for (const message of [list, nested(10_000), errors]) {
      sandbox.faults.faults = [{ ...json('/api/search-groups', `{"message":${message}}`), status: 422 }];
      const { exit, stderr } = await run('plan');
      expect([exit, stderr]).toEqual([1, expect.stringMatching(/^error\[service-error\]/)]);
    }
  });
});

describe('responses that are not complete', () => {
  const list = '{"success":true,"data":[]}';

  test.each([201, 202, 203, 205, 206, 207, 226])('a list with the status %i is refused', async (status) => {
    const { runHere, sandbox } = await project();
    sandbox.faults.faults = [{ ...json('/api/search-groups', status === 205 ? '' : list), status }];
    const { exit, stderr } = await runHere('apply', '--yes');
    expect([exit, flat(stderr)]).toEqual([
      1,
      expect.stringContaining(`error[unexpected-response]: GET /api/search-groups returned ${status}`),
    ]);
    expect(sandbox.world.groups.size).toBe(0);
  });

  const headers: Readonly<Record<string, Record<string, string>>> = {
    'a range': { 'Content-Range': 'items 0-9/40' },
    'a content encoding': { 'Content-Encoding': 'br' },
  };
  test.each(Object.keys(headers))('a list with %s is refused', async (name) => {
    const { runHere, sandbox } = await project();
    sandbox.faults.faults = [{ ...json('/api/search-groups', list), headers: headers[name] ?? {} }];
    const { exit, stderr } = await runHere('apply', '--yes');
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/^error\[unexpected-response\]/)]);
    expect(sandbox.world.groups.size).toBe(0);
  });

  test('a compressed list is refused without being expanded', async () => {
    const { run, sandbox } = await project();
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20)).toString('latin1');
    sandbox.faults.faults = [
      { ...json('/api/search-groups', bomb), headers: { 'Content-Encoding': 'gzip' } },
    ];
    const { exit, stderr } = await run('plan');
    expect([exit, flat(stderr)]).toEqual([1, expect.stringMatching(/^error\[unexpected-response\].*"gzip"/)]);
  });
});

/** As a machine in the middle might send: too large for the size of the account, but a valid list. */
describe.runIf(isLong)('responses that take too much memory', () => {
  const megabyte = 1024 * 1024;
  const lists = ['scraper-agents', 'search-groups', 'pipelines', 'schedules', 'api-keys'];
  const fill = (bytes: number) => `{"success":true,"data":[],"x":[${'{"a":1},'.repeat(bytes / 8)}{}]}`;

  test.each(sampleOf([30, 60], 1, 2))(
    'five lists of %i MB end in an error that names the list and the limit',
    async (size) => {
      const { run, sandbox } = await project([], 1_024);
      const body = fill(size * megabyte);
      sandbox.faults.faults = lists.map((name) => json(`/api/${name}`, body));
      const { exit, stderr } = await run('plan', '--timeout', '600');
      expect([exit, flat(stderr)]).toEqual([
        1,
        expect.stringMatching(
          /^error\[unexpected-response\]: GET \/api\/[a-z-]+ returned 200, then failed: .* the limit of \d+ MB/,
        ),
      ]);
    },
  );

  test('five lists that are just small enough are read with 1 GB of memory', async () => {
    const { run, sandbox } = await project([], 1_024);
    sandbox.faults.faults = lists.map((name) => json(`/api/${name}`, fill(12 * megabyte)));
    expect(await run('plan')).toMatchObject({ exit: 1, stderr: expect.stringMatching(/unknown-agent/) });
  });
});

function json(path: string, body: string): Fault {
  return { act: 'status', method: 'GET', path, status: 200, body };
}
