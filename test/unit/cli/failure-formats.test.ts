import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';

/** What each format makes of trouble that has no place in a manifest. */
const read: Readonly<Record<string, (stdout: string) => unknown>> = {
  json: (stdout) => jsonOf({ stdout }).diagnostics[0].code,
  github: (stdout) => /^::error title=roster(?::|%3A) ([\w-]+)/.exec(stdout)?.[1],
  sarif: (stdout) => {
    const [run] = jsonOf({ stdout }).runs;
    expect([run.results, run.invocations[0].executionSuccessful]).toEqual([[], false]);
    return run.invocations[0].toolConfigurationNotifications[0].descriptor.id;
  },
};

test.each(Object.keys(read))(
  'validate --format %s tells what is wrong outside of the manifests',
  async (format) => {
    const workspace = new Workspace(
      { 'roster.yaml': 'project: p\n' },
      { url: 'http://127.0.0.1:1', apiKey: 'k' },
    );
    const words = ['validate', '--format', format, '--write', 'json=nowhere/report.json'];
    const { exit, stdout } = await workspace.command(words);
    expect([exit, read[format]?.(stdout)]).toEqual([1, 'unwritable-file']);
  },
);

const broken = 'project: p\ngroups:\n  a: { members: [nobody }\n';
const wrong = 'project: p\ngroups:\n  a: { membrs: [] }\n';

describe('a result of an earlier run does not outlive an error', () => {
  let workspace: Workspace;
  const read = (file: string) => readFileSync(join(workspace.root, file), 'utf8');

  test.each([
    ['plan', 'roster', 'broken YAML', broken],
    ['plan', 'roster', 'an error in an entry', wrong],
    ['drift', 'roster-drift', 'broken YAML', broken],
    ['drift', 'roster-drift', 'an error in an entry', wrong],
    ['plan', 'roster', 'no answer', 'project: p\n'],
    ['drift', 'roster-drift', 'no answer', 'project: p\n'],
  ])('%s writes a page with the marker %s, and its errors as JSON: %s', async (name, marker, _, text) => {
    const files = { 'roster.yaml': text, 'old.md': '**No drift.**', 'old.json': '{"changes":[]}' };
    workspace = new Workspace(
      { ...files, 'old.txt': 'No drift.' },
      { url: 'http://127.0.0.1:1', apiKey: 'k' },
    );
    workspace.sleep = async () => undefined;
    const written = ['markdown=old.md', 'json=old.json', 'text=old.txt'].flatMap((each) => ['--write', each]);
    const { exit, stderr } = await workspace.command([name, ...written]);
    expect(exit).toBe(1);
    const { code, message } = JSON.parse(read('old.json')).diagnostics[0];
    expect(read('old.md')).toMatch(
      new RegExp(`^<!-- ${marker}:p: -->\n\\*\\*(No plan|Drift is not known), `),
    );
    expect(read('old.md')).toContain(`\`${code}\``);
    expect([stderr, read('old.txt')]).toEqual([expect.stringContaining(code), expect.stringContaining(code)]);
    expect(message).not.toBe('');
  });

  test('a format that cannot tell an error leaves no file', async () => {
    workspace = new Workspace(
      { 'roster.yaml': wrong, 'old.json': '{}' },
      { url: 'http://127.0.0.1:1', apiKey: 'k' },
    );
    expect((await workspace.command(['plan', '--write', 'gitlab=old.json'])).exit).toBe(1);
    expect(existsSync(join(workspace.root, 'old.json'))).toBe(false);
  });

  test('a file of the project stays as it is, also when it has errors', async () => {
    const files = { 'roster.yaml': `${wrong}inventory: { file: state.json }\n`, 'state.json': 'mine' };
    workspace = new Workspace(files, { url: 'http://127.0.0.1:1', apiKey: 'k' });
    for (const file of ['roster.yaml', 'state.json'] as const)
      for (const name of ['plan', 'drift', 'apply', 'validate']) {
        for (const more of [[], ['--url', 'nothing'], ['--concurrency', '0']]) {
          const flags = name === 'validate' ? [] : more;
          const { exit } = await workspace.command([name, ...flags, '--write', `json=${file}`]);
          expect([exit, read(file)]).toEqual([1, files[file]]);
        }
      }
  });

  test('plan --format markdown prints the page', async () => {
    workspace = new Workspace({ 'roster.yaml': wrong }, { url: 'http://127.0.0.1:1', apiKey: 'k' });
    const { exit, stdout, stderr } = await workspace.command(['plan', '--format', 'markdown']);
    expect([exit, stdout.split('\n').slice(0, 2)]).toEqual([
      1,
      ['<!-- roster:p: -->', '**No plan, because of errors.** 1 error.'],
    ]);
    expect(stdout).toContain('membrs');
    expect(stderr).toContain('membrs');
  });

  test('the page says the environment, and counts what does not fit', async () => {
    const many = Array.from({ length: 400 }, (_, at) => `  g${at}: { ${'x'.repeat(160)}: 1 }\n`).join('');
    const text = `project: p\nenvironments: { staging: {} }\ngroups:\n${many}`;
    workspace = new Workspace({ 'roster.yaml': text }, { url: 'http://127.0.0.1:1', apiKey: 'k' });
    const { stdout } = await workspace.command(['plan', '--format', 'markdown', '-e', 'staging']);
    expect(stdout).toMatch(/^<!-- roster:p:staging -->\n/);
    expect(stdout.length).toBeLessThanOrEqual(65_000);
    expect(stdout).toMatch(/Too long to show in full:\*\* \d+ errors left out/);
  });
});

const valid = 'project: p\nenvironments: { staging: {} }\n';

test.each([
  ['valid manifests', valid, [], 'roster/p/'],
  ['an environment', valid, ['-e', 'staging'], 'roster/p/staging/'],
  ['all environments', valid, ['--all-environments'], 'roster/p/*/'],
  ['broken YAML', broken, [], 'roster/p/'],
  ['an error in an entry', wrong, ['-e', 'staging'], 'roster/p/staging/'],
  ['a file that cannot be written', valid, ['--write', 'json=nowhere/report.json'], 'roster/p/'],
])(
  'validate --format sarif is under one category for each project and environment: %s',
  async (_, text, flags, id) => {
    const workspace = new Workspace({ 'roster.yaml': text }, { url: 'http://127.0.0.1:1', apiKey: 'k' });
    const { stdout } = await workspace.command(['validate', '--format', 'sarif', ...flags]);
    expect(jsonOf({ stdout }).runs[0].automationDetails).toEqual({ id });
  },
);
