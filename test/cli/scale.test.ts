import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { defaultSeed, parseSeed, type Seed } from '../../src/sandbox/index.js';
import { jsonOf } from '../support/json.js';
import { roster } from '../support/program.js';
import { startSandbox } from '../support/sandbox.js';
import { isLong } from '../support/size.js';

const cwd = mkdtempSync(join(tmpdir(), 'roster-scale-'));
afterAll(() => rmSync(cwd, { recursive: true }));

const id = (kind: number, index: number) =>
  `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(index).padStart(12, '0')}`;
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

const groups = isLong ? 1000 : 100;
const pipelines = groups / 10;
const schedules = groups * 3;

/** Groups, pipelines and schedules, existing and declared alike except for one group. */
function world(): { seed: Seed; manifest: string } {
  const seed: Seed = {
    ...defaultSeed(),
    groups: range(groups).map((n) => ({
      id: id(1, n),
      name: `Group ${n}`,
      members: ['acme-shop', 'globex'],
    })),
    pipelines: range(pipelines).map((n) => ({
      id: id(2, n),
      name: `Pipeline ${n}`,
      steps: ['globex', 'acme-shop'],
    })),
    schedules: range(schedules).map((n) => ({
      id: id(3, n),
      targetType: 'Group' as const,
      targetId: id(1, n % groups),
      scheduleType: 'Basic' as const,
      intervalValue: Math.floor(n / groups) + 1,
      intervalUnit: 'Hours' as const,
      startTime: '2027-01-01T06:00:00',
    })),
  };
  const lines = [
    'project: scale\ngroups:',
    ...range(groups).map(
      (n) => `  g${n}: { name: Group ${n}, members: [globex, ${n === 7 ? 'initech' : 'acme-shop'}] }`,
    ),
    'pipelines:',
    ...range(pipelines).map((n) => `  p${n}: { name: Pipeline ${n}, stages: [globex, acme-shop] }`),
    'schedules:',
    ...range(schedules).map(
      (n) =>
        `  s${n}: { target: group/g${n % groups}, every: ${Math.floor(n / groups) + 1} hours, startTime: 2027-01-01T06:00:00 }`,
    ),
  ];
  return { seed, manifest: lines.join('\n') };
}

test('thousands of resources are planned with five list reads and under 300 MB', async () => {
  const { seed, manifest } = world();
  writeFileSync(join(cwd, 'roster.yaml'), manifest);
  // Written at the end of the process: how much memory it took at its peak, in KiB.
  const probe = join(cwd, 'probe.cjs');
  const peak = join(cwd, 'peak');
  writeFileSync(
    probe,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS)));`,
  );
  const sandbox = await startSandbox({ seed: parseSeed(JSON.stringify(seed)) });
  try {
    const env = {
      ROSTER_URL: sandbox.url,
      ROSTER_API_KEY: sandbox.apiKey,
      NODE_OPTIONS: `--require ${probe}`,
    };
    const { stdout, exit } = await roster(['plan', '--format', 'json'], { cwd, env });
    expect(exit).toBe(0);
    expect(jsonOf<{ summary: object }>({ stdout }).summary).toMatchObject({
      create: 0,
      update: 1,
      adopt: groups + pipelines + schedules - 1,
    });
    expect(sandbox.requests.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'GET /api/api-keys',
      'GET /api/pipelines',
      'GET /api/schedules',
      'GET /api/scraper-agents',
      'GET /api/search-groups',
    ]);
    expect(Number(readFileSync(peak, 'utf8'))).toBeLessThan(300 * 1024);
  } finally {
    await sandbox.close();
  }
});

test('g2 comes before g10 in plans, lists and the status', async () => {
  const folder = mkdtempSync(join(cwd, 'order-'));
  const agents = ['a10', 'a2'].map((name) => ({ externalAgentId: name, name }));
  const sandbox = await startSandbox({ seed: parseSeed(JSON.stringify({ agents })) });
  try {
    const options = { cwd: folder, env: { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey } };
    const printed = async (...args: string[]) => (await roster(args, options)).stdout;
    writeFileSync(
      join(folder, 'roster.yaml'),
      'project: order\ngroups: { g10: { members: [] }, g2: { members: [] } }\n',
    );
    const outputs = [
      await printed('plan', '--format', 'json'),
      await printed('apply', '--yes'),
      await printed('list', 'groups'),
      await printed('status'),
    ];
    for (const text of outputs) expect(text).toMatch(/\bg2\b[\s\S]*\bg10\b/);
    expect(await printed('list', 'agents')).toMatch(/\ba2\b[\s\S]*\ba10\b/);
  } finally {
    await sandbox.close();
  }
});
