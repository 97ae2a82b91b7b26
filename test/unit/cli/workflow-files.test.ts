import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

let sandbox: Sandbox;
let workspace: Workspace;
let outputs: string;
let summary: string;

beforeEach(async () => {
  sandbox = await startSandbox();
  workspace = new Workspace(
    {
      'roster.yaml': 'project: pricing\ngroups: { shops: { members: [acme-shop] } }\n',
      out: 'before=1\n',
      summary: '',
    },
    sandbox,
  );
  outputs = join(workspace.root, 'out');
  summary = join(workspace.root, 'summary');
  workspace.env = { ...workspace.env, GITHUB_OUTPUT: outputs, GITHUB_STEP_SUMMARY: summary };
});

/** Reads the file as GitHub's runner does. */
function read(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split('\n');
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [, name = '', delimiter = ''] = /^([^=]+?)<<(.+)$/.exec(line) ?? [];
    if (name !== '')
      values[name] = lines
        .splice(0, lines.indexOf(delimiter) + 1)
        .slice(0, -1)
        .join('\n');
  }
  return values;
}

describe('outputs', () => {
  it('are appended with counts and digest, each with its own delimiter', async () => {
    const { digest } = await workspace.planJson();
    const text = readFileSync(outputs, 'utf8');
    expect(text).toMatch(/^before=1\n/);
    expect(read(text)).toEqual({
      has_changes: 'true',
      create: '1',
      update: '0',
      replace: '0',
      delete: '0',
      adopt: '0',
      forget: '0',
      unchanged: '0',
      digest,
    });
    const delimiters = Array.from(text.matchAll(/<<(.+)/g), ([, delimiter]) => delimiter);
    expect(new Set(delimiters).size).toBe(9);
  });

  it('report when there is nothing to do', async () => {
    await workspace.apply();
    await workspace.plan();
    expect(read(readFileSync(outputs, 'utf8'))).toMatchObject({ has_changes: 'false', unchanged: '1' });
  });

  it('are not written by a plan that fails', async () => {
    workspace.write('roster.yaml', 'project: pricing\ngroups: { shops: { members: [nobody] } }\n');
    expect(await workspace.plan()).toMatchObject({ exit: 1 });
    expect(readFileSync(outputs, 'utf8')).toBe('before=1\n');
  });

  it('are an error when they cannot be written', async () => {
    workspace.env = { ...workspace.env, GITHUB_OUTPUT: join(workspace.root, 'missing', 'out') };
    const ran = await workspace.plan();
    expect(ran).toMatchObject({ exit: 1, stdout: '' });
    expect(ran.stderr).toContain('GITHUB_OUTPUT');
  });
});

describe('the job summary', () => {
  it('is the plan, appended to what the summary holds already', async () => {
    writeFileSync(summary, '# Before\n');
    const { stdout } = await workspace.plan({ format: 'markdown' });
    expect(readFileSync(summary, 'utf8')).toBe(`# Before\n${stdout}`);
  });

  it('stays within the size limit of GitHub, in bytes', async () => {
    // More that are alike would be one block, without the texts.
    const five = (list: string) =>
      Array.from(
        { length: 5 },
        (_, index) => `  e${index}: { ${list}: [acme-shop], description: "${'ü€'.repeat(1500)}" }`,
      );
    const [groups, pipelines] = [five('members'), five('stages')].map((each) => each.join('\n'));
    workspace.write('roster.yaml', `project: pricing\ngroups:\n${groups}\npipelines:\n${pipelines}\n`);
    writeFileSync(summary, 'x'.repeat(1_000_000));
    await workspace.plan();
    const bytes = readFileSync(summary);
    expect(bytes.length).toBeGreaterThan(1_030_000);
    expect(bytes.length).toBeLessThanOrEqual(1_048_576);
    const own = bytes.toString('utf8').slice(1_000_000);
    expect(own).toContain('Too long to show in full');
  });

  it('is left out with a warning when there is not enough space', async () => {
    writeFileSync(summary, 'x'.repeat(1_040_000));
    const ran = await workspace.plan();
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toContain('limit-exceeded');
    expect(readFileSync(summary)).toHaveLength(1_040_000);
  });
});
