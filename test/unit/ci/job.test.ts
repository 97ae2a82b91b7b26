import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withFate } from '../../../src/ci/comment.js';
import { checkFormat, ciOf } from '../../../src/ci/job.js';
import { installFiles } from '../../../src/init/install-files.js';
import { Workspace } from '../../support/roster.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roster-job-'));
});
afterEach(() => rmSync(root, { recursive: true }));

test('outside of a job, `roster ci` says what is missing', async () => {
  expect(() => ciOf({})).toThrow('not running in CI');
  expect(() => ciOf({ GITLAB_CI: 'true' })).toThrow('CI_PROJECT_DIR is not set');
  expect(ciOf({ GITLAB_CI: 'true', CI_PROJECT_DIR: '/a' })).toEqual({ host: 'gitlab', root: '/a' });
  const workspace = new Workspace({ 'roster.yaml': 'project: p\n' }, { url: '', apiKey: '' });
  for (const name of ['', ' plan', ' show', ' review', ' apply', ' drift', ' pull']) {
    const { exit, stderr } = await workspace.command(`ci${name}`.split(' '));
    expect([name, exit, stderr]).toEqual([
      name,
      1,
      expect.stringMatching(/neither\s+GITHUB_ACTIONS\s+nor\s+GITLAB_CI\s+is\s+`true`/),
    ]);
  }
});

test('a job with a key needs the URL of the service from its settings, not from a manifest', async () => {
  const workspace = new Workspace(
    { 'roster.yaml': 'project: p\nservice: { url: https://example.com }\n' },
    { url: '', apiKey: 'k' },
  );
  workspace.env = { ...workspace.env, GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: workspace.root };
  delete (workspace.env as Record<string, string | undefined>)['ROSTER_URL'];
  for (const words of [['review'], ['apply', '--expect', 'x'], ['drift'], ['pull'], ['plan', '--live']]) {
    const { exit, stderr } = await workspace.command(['ci', ...words]);
    expect([words, exit, stderr]).toEqual([words, 1, expect.stringContaining('ROSTER_URL: is not set')]);
  }
});

test.each(['github', 'gitlab'] as const)(
  'jobs on %s that were written for another format are refused',
  (host) => {
    const install = {
      from: 'url',
      url: 'https://example.com/r.tgz',
      version: '1.0.0',
      integrity: 'sha512-',
    } as const;
    const [manifest] = installFiles(install, host);
    const file = join(root, manifest?.path ?? '');
    expect(() => checkFormat({ host, root })).not.toThrow();
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, manifest?.text ?? '');
    expect(() => checkFormat({ host, root })).not.toThrow();
    writeFileSync(file, '{"roster": {"ci":');
    expect(() => checkFormat({ host, root })).toThrow(`ci-host-error: ${manifest?.path} cannot be read`);
    writeFileSync(file, (manifest?.text ?? '').replace(/"ci": \d+/, '"ci": 99'));
    expect(() => checkFormat({ host, root })).toThrow(/written for another version.*format 99/);
  },
);

test('what becomes of a plan replaces what was said before, and nothing else', () => {
  const plan = '<!-- roster:p: -->\n**Plan: 1 to create**\n\nrest\n';
  const first = withFate(plan, '> one');
  expect(first).toMatch(
    /^<!-- roster:p: -->\n\*\*Plan: 1 to create\*\*\n\n<!--.*-->\n> one\n<!--.*-->\n\nrest\n$/,
  );
  expect(withFate(first, '> two')).toBe(first.replace('one', 'two'));
});
