import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseSeed } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const project = (zone: string) => `project: pricing
environments:
  staging: { vars: { zone: UTC } }
  production: {${zone}}
include: [teams/*.yaml]
groups:
  shops: { members: [acme-shop] }
schedules:
  nightly: { target: group/shops, every: 1 day, startTime: "2099-12-01T06:00:00", timeZone: "\${var.zone}" }
`;

async function arrange() {
  const sandbox = await startSandbox({ seed: parseSeed('{}') });
  const workspace = new Workspace({ 'roster.yaml': project(' vars: { zone: UTC } ') }, sandbox);
  workspace.env['ROSTER_ENV'] = 'staging';
  expect((await workspace.apply()).exit).toBe(0);
  for (const group of sandbox.world.groups.values()) Object.assign(group, { description: 'new' });
  const text = project('');
  workspace.write('roster.yaml', text);
  const read = () => readFileSync(join(workspace.root, 'roster.yaml'), 'utf8');
  return { sandbox, workspace, text, read };
}

test('no file that an environment with errors shares is changed, and the errors are told', async () => {
  const { workspace, text, read } = await arrange();
  const cases = [['group/shops'], ['group/*', '--into', 'roster.yaml'], ['--into', 'roster.yaml']];
  for (const words of cases) {
    const ran = await workspace.command(['pull', ...words, '--yes']);
    const stderr = ran.stderr.replace(/\s+/g, ' ');
    expect([words, ran.exit, read() === text]).toEqual([words, 1, true]);
    expect(stderr).toContain('error[unknown-variable]');
    expect(stderr).toContain(
      'the environment production has errors, so it is not known what this pull would',
    );
  }
});

test('a new file is written, whatever is wrong with another environment', async () => {
  const { workspace, text, read } = await arrange();
  const ran = await workspace.command(['pull', '--into', 'teams/new.yaml', '--yes']);
  expect([ran.exit, ran.stderr, read() === text]).toEqual([0, '', true]);
  expect(existsSync(join(workspace.root, 'teams/new.yaml'))).toBe(true);
});
