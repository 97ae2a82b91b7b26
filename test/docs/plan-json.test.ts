import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { Workspace } from '../support/roster.js';
import { validator } from '../unit/schemas/schemas.js';

const text = readFileSync(new URL('../../docs/library.md', import.meta.url), 'utf8');
const blocks = (language: string) =>
  Array.from(text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms')), ([, code = '']) => code);

const hasJq = spawnSync('jq', ['--version']).status === 0;
let sandbox: Sandbox;
let workspace: Workspace;

beforeAll(async () => {
  sandbox = await startSandbox();
  workspace = new Workspace({}, sandbox);
  workspace.write('policy.mjs', blocks('js')[0] ?? '');
  workspace.write('roster.yaml', projectOf('every: 6 hours', 'gone'));
  expect(await workspace.apply()).toMatchObject({ exit: 0 });
});
afterAll(async () => {
  await sandbox.close();
});

function projectOf(timing: string, more = ''): string {
  const gone = more === '' ? '' : '  gone: { members: [globex] }\n';
  return `project: pricing\ngroups:\n  shops: { members: [acme-shop] }\n${gone}schedules:\n  often: { target: group/shops, ${timing}, startTime: 2099-12-01T06:00:00 }\n`;
}

/** Makes plan.json of a project, and runs a command on it as the page says. */
async function onPlan(manifest: string, command: string) {
  workspace.write('roster.yaml', manifest);
  const { stdout } = await workspace.plan({ format: 'json' });
  writeFileSync(join(workspace.root, 'plan.json'), stdout);
  const line = command
    .replace(/^roster plan --format json \|/, 'cat plan.json |')
    .replace(/^roster .* && /, '');
  const {
    status,
    stdout: out,
    stderr,
  } = spawnSync('sh', ['-c', line], { cwd: workspace.root, encoding: 'utf8' });
  return { status, out: out.trim().split('\n'), stderr };
}

it('shows a plan that fits the schema', () => {
  const fits = validator('plan.schema.json');
  expect(fits(JSON.parse(blocks('json')[0] ?? '')) || fits.errors).toBe(true);
});

const cases: [string, string, string[]][] = [
  ['nothing to do', projectOf('every: 6 hours', 'gone'), []],
  ['ten minutes', projectOf('every: 10 minutes', 'gone'), []],
  ['once', projectOf('every: 6 hours', 'gone').replace(/every: 6 hours, startTime/, 'once'), []],
  ['a delete', projectOf('every: 6 hours'), ['group/gone: is deleted']],
  ['nine minutes', projectOf('every: 9 minutes', 'gone'), ['schedule/often: runs every 540 seconds']],
  ['now and then', projectOf('cron: "0 0,5 2 * * MON"', 'gone'), ['schedule/often: runs every 300 seconds']],
];

describe('the policy', () => {
  it.each(cases)('%s', async (_, manifest, refused) => {
    const { status, out } = await onPlan(manifest, blocks('sh')[1] ?? '');
    expect({ status, out: out.filter((line) => line !== '') }).toEqual({
      status: refused.length === 0 ? 0 : 1,
      out: refused,
    });
  });

  it('does not take a failure for a plan', async () => {
    expect((await onPlan('project: pricing\nnonsense: 1\n', blocks('sh')[1] ?? '')).status).not.toBe(0);
  });
});

describe.skipIf(!hasJq)('jq', () => {
  it.each(cases)('%s', async (_, manifest, refused) => {
    const { status } = await onPlan(manifest, blocks('sh')[2] ?? '');
    expect(status).toBe(refused.length === 0 ? 0 : 1);
  });

  it('lists the risks', async () => {
    const { out } = await onPlan(projectOf('every: 2 hours'), blocks('sh')[0] ?? '');
    expect(out).toEqual([
      'delete group/gone: cannot be undone',
      'update schedule/often: runs more often: 84 instead of 28 runs a week',
    ]);
  });
});
