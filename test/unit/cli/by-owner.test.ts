import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const now = new Date('2026-12-01T12:00:00Z');
const schedule = (target: string) =>
  `{ target: agent/${target}, cron: "0 0 6 * * *", startTime: 2026-01-01T00:00:00, expect: { records: { min: 10000 } } }`;
const files = {
  'roster.yaml': 'project: p\ninclude: ["teams/*.yaml"]\n',
  'teams/shop.yaml': `schedules:\n  shop: ${schedule('acme-shop')}\n  store: ${schedule('globex')}\n`,
  'teams/jobs.yaml': `schedules:\n  jobs: ${schedule('hooli-jobs')}\n`,
  'teams/rest.yaml': `schedules:\n  rest: ${schedule('wayne-news')}\n`,
  CODEOWNERS: 'teams/shop.yaml @acme/shop\nteams/jobs.yaml @ada @grace\n',
};

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox({ speed: 0, now });
  workspace = new Workspace(files, sandbox);
  workspace.now = () => sandbox.now();
  mkdirSync(join(workspace.root, '.git'));
  expect((await workspace.apply()).exit).toBe(0);
});

const run = (...words: string[]) => workspace.command(words);
const owners = { 'schedule/shop': ['@acme/shop'], 'schedule/jobs': ['@ada', '@grace'], 'schedule/rest': [] };

interface Found {
  readonly address: keyof typeof owners;
  readonly owners?: readonly string[];
}

describe('what different people own', () => {
  test('is in tables of their own in the status, what nobody owns last', async () => {
    const { stdout } = await run('status');
    const titles = stdout.split('\n').filter((line) => line.startsWith('owned by'));
    expect(titles).toEqual([
      'owned by @acme/shop: 2 never run',
      'owned by @ada @grace: 1 never run',
      'owned by nobody: 1 never run',
    ]);
    expect(stdout.indexOf('schedule/store')).toBeLessThan(stdout.indexOf('owned by @ada'));
    expect(stdout.indexOf('schedule/rest')).toBeGreaterThan(stdout.indexOf('owned by nobody'));
  });

  test('has its owner in the Markdown of the status, as code, and in its JSON', async () => {
    const { stdout } = await run('status', '--format', 'markdown');
    expect(stdout).toContain('| Owner | Health |');
    expect(stdout).toContain('| `@acme/shop` | never run | `schedule/shop` |');
    expect(stdout).toContain('| `@ada` `@grace` | never run | `schedule/jobs` |');
    const { resources } = jsonOf<{ resources: Found[] }>(await run('status', '--format', 'json'));
    const known = resources.filter(({ address }) => address in owners);
    expect(Object.fromEntries(known.map((each) => [each.address, each.owners]))).toEqual(owners);
  });

  test('is grouped in the issue about drift, a delete by the file that declared it', async () => {
    for (const each of sandbox.world.schedules.values()) each.isEnabled = false;
    workspace.write('teams/jobs.yaml', 'schedules: {}\n');
    const { stdout } = await run('drift', '--format', 'markdown');
    const [, shop = '', jobs = '', rest = ''] = stdout.split(/^\*\*Owned by/m);
    expect(shop).toMatch(/^\*\* `@acme\/shop`\n\n- .*`schedule\/shop`.*\n- .*`schedule\/store`/);
    expect(jobs).toMatch(/^\*\* `@ada` and `@grace`\n\n- \*\*changed\*\* `schedule\/jobs`/);
    expect(rest).toMatch(/^ nobody\*\*\n\n- \*\*changed\*\* `schedule\/rest`/);
    const { changes } = jsonOf<{ changes: Found[] }>(await run('drift', '--format', 'json'));
    expect(changes.find(({ address }) => address === 'schedule/jobs')?.owners).toEqual(['@ada', '@grace']);
  });

  test('is grouped where data is not as expected', async () => {
    sandbox.advance(86_400_000);
    const { exit, stdout } = await run('data', 'check');
    const titles = stdout.split('\n').filter((line) => line.startsWith('owned by'));
    expect([exit, titles]).toEqual([5, ['owned by @acme/shop', 'owned by @ada @grace', 'owned by nobody']]);
    const markdown = await run('data', 'check', '--format', 'markdown');
    expect(markdown.stdout).toContain('| Owner | Verdict |');
    expect(markdown.stdout).toContain('| `@acme/shop` | **unmet** | `schedule/shop` |');
    const { datasets } = jsonOf<{ datasets: Found[] }>(await run('data', 'check', '--format', 'json'));
    expect(datasets.find(({ address }) => address === 'schedule/rest')?.owners).toEqual([]);
  });

  test.each([
    ['one team owns everything', '* @acme/all\n'],
    ['nobody owns anything', ''],
  ])('looks as ever where %s', async (_who, text) => {
    workspace.write('CODEOWNERS', text);
    const { stdout } = await run('status');
    expect(stdout).not.toContain('owned by');
    expect((await run('status', '--format', 'markdown')).stdout).not.toContain('Owner');
  });

  test('is no field of the JSON without CODEOWNERS', async () => {
    const other = new Workspace(
      { 'roster.yaml': 'project: q\ngroups: { g: { members: [acme-shop] } }\n' },
      sandbox,
    );
    const { resources } = jsonOf<{ resources: object[] }>(
      await other.command(['status', '--format', 'json']),
    );
    expect(resources.map((each) => 'owners' in each)).toEqual([false]);
  });
});
