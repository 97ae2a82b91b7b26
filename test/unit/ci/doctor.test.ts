import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ciFiles } from '../../../src/init/ci-files.js';
import { initRepository } from '../../support/repository.js';
import { Workspace } from '../../support/roster.js';

/** `roster ci doctor`: which settings of a repository on GitHub are missing. */

const facts = {
  install: { from: 'image', image: `registry.example.com/roster@sha256:${'a'.repeat(64)}` },
  planWith: 'snapshot',
  verify: false,
  project: null,
  environments: ['staging', 'production'],
  promote: ['staging', 'production'],
  branch: 'main',
  folder: '.',
  url: null,
} as const;

let server: Server;
let answers: Record<string, unknown>;
let asked: string[];
let workspace: Workspace;

/** All settings as they should be. */
function complete(): Record<string, unknown> {
  const restricted = { deployment_branch_policy: { protected_branches: true } };
  const reviewed = { ...restricted, protection_rules: [{ type: 'required_reviewers' }] };
  const names = ['roster-plan_staging', 'roster-plan_production', 'staging', 'production'];
  return {
    '': { default_branch: 'main' },
    '/branches/main': { protected: true },
    '/rules/branches/roster-inventory': [{ type: 'update' }],
    '/actions/permissions/workflow': { can_approve_pull_request_reviews: true },
    '/actions/workflows/roster.yml': { state: 'active', created_at: '2026-01-01T00:00:00Z' },
    '/actions/workflows/roster.yml/runs': { workflow_runs: [{ created_at: '2026-11-09T03:17:00Z' }] },
    '/actions/policies': { policies: [] },
    ...Object.fromEntries(
      names.flatMap((name) => [
        [`/environments/${name}`, name.startsWith('roster-plan') ? restricted : reviewed],
        [`/environments/${name}/secrets/ROSTER_API_KEY`, {}],
        [`/environments/${name}/variables/ROSTER_URL`, {}],
      ]),
    ),
  };
}

beforeEach(async () => {
  [answers, asked] = [complete(), []];
  server = createServer((request, response) => {
    const path = (request.url ?? '').replace('/repos/acme/config', '').replace(/\?.*/, '');
    asked.push(`${request.method} ${path}`);
    const answer = answers[path];
    const status = typeof answer === 'number' ? answer : answer === undefined ? 404 : 200;
    response.writeHead(status).end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  workspace = new Workspace(
    { 'roster.yaml': 'project: config\nenvironments: { staging: {}, production: {} }\n' },
    { url: '', apiKey: '' },
  );
  workspace.now = () => new Date('2026-11-10T12:00:00Z');
  initRepository(workspace.root);
  mkdirSync(join(workspace.root, '.github/workflows'), { recursive: true });
  for (const { path, text } of ciFiles('github', facts)) writeFileSync(join(workspace.root, path), text);
  workspace.env = {
    ...workspace.env,
    GITHUB_TOKEN: 'token-of-a-person',
    GITHUB_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/config',
  };
});
afterEach(() => void server.close());

const doctor = () => workspace.command(['ci', 'doctor']);

test('nothing is missing where everything is set, and nothing is written', async () => {
  const { exit, stdout } = await doctor();
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/\n\nNothing is missing\.\n$/)]);
  expect(stdout.match(/^ok /gm)).toHaveLength(2 * 4 + 2 * 5 + 6);
  expect(asked.filter((each) => !each.startsWith('GET '))).toEqual([]);
  expect(stdout).not.toContain('token-of-a-person');
});

test.each<[string, string, unknown]>([
  ['the environment staging exists', '/environments/staging', undefined],
  [
    'the environment staging has required reviewers',
    '/environments/staging',
    { deployment_branch_policy: {} },
  ],
  [
    'the environment roster-plan_staging is restricted to the default branch',
    '/environments/roster-plan_staging',
    { deployment_branch_policy: null },
  ],
  [
    'the environment production has the secret ROSTER_API_KEY',
    '/environments/production/secrets/ROSTER_API_KEY',
    undefined,
  ],
  [
    'the environment production has the variable ROSTER_URL',
    '/environments/production/variables/ROSTER_URL',
    undefined,
  ],
  ['the branch main is protected', '/branches/main', { protected: false }],
  ['a ruleset restricts updates of the branches roster-inventory*', '/rules/branches/roster-inventory', []],
  ['there is no secret ROSTER_API_KEY of the whole repository', '/actions/secrets/ROSTER_API_KEY', {}],
  [
    'GitHub Actions may create pull requests',
    '/actions/permissions/workflow',
    { can_approve_pull_request_reviews: false },
  ],
  [
    'the workflow roster.yml is enabled (GitHub has disabled it, because nothing happened in the repository for 60 days)',
    '/actions/workflows/roster.yml',
    { state: 'disabled_inactivity' },
  ],
  [
    'the workflow roster.yml is enabled (somebody has disabled it)',
    '/actions/workflows/roster.yml',
    { state: 'disabled_manually' },
  ],
  [
    'the nightly job of roster.yml runs (it has not run since 2026-11-07)',
    '/actions/workflows/roster.yml/runs',
    { workflow_runs: [{ created_at: '2026-11-07T03:17:00Z' }] },
  ],
  [
    'the nightly job of roster.yml runs (it has never run)',
    '/actions/workflows/roster.yml/runs',
    { workflow_runs: [] },
  ],
])('says that this is missing, and where it is set: %s', async (what, path, answer) => {
  answers[path] = answer;
  const { exit, stdout } = await doctor();
  expect(exit).toBe(1);
  const missing = stdout.split('\n').filter((line) => line.startsWith('missing '));
  expect(missing).toEqual([expect.stringContaining(what)]);
  expect(missing[0]).toMatch(/: https:\/\/github\.com\/acme\/config\/(settings|actions)\/[\w/.]+$/);
});

test('a workflow that was only just added is not late', async () => {
  answers['/actions/workflows/roster.yml'] = { state: 'active', created_at: '2026-11-09T00:00:00Z' };
  answers['/actions/workflows/roster.yml/runs'] = { workflow_runs: [] };
  expect(await doctor()).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^ok +the nightly job/m) });
});

describe('a policy that requires the workflows to be in a lockfile', () => {
  const lock = '.github/workflows/actions.lock';
  const files = ['roster', 'roster-plan', 'roster-environment'].map(
    (name) => `.github/workflows/${name}.yml`,
  );
  const lockfile = (of: readonly string[]) =>
    `version: 'v0.0.3'\nworkflows:\n${of.map((file) => `    '${file}':\n        - 'actions/checkout@x'\n`).join('')}`;

  function require(policy: object = {}, type = 'require_lockfile'): void {
    const whole = { id: 9, enforcement: 'active', rules: [{ type }], ...policy };
    answers['/actions/policies'] = { policies: [{ id: 9, name: 'locked' }] };
    answers['/actions/policies/9'] = whole;
  }
  const lines = async () => (await doctor()).stdout.split('\n').filter((line) => line.includes(lock));
  const lacks = (names: readonly string[]) => [
    `missing  ${lock} has the workflows that a policy requires to be in it (run \`gh actions-lock\`: it lacks ${names.join(', ')}): https://github.com/acme/config/settings/actions/policies`,
  ];

  test.each<[string, object, string | null, readonly string[]]>([
    ['there is no lockfile', {}, null, files],
    ['it lacks one', {}, lockfile(files.slice(1)), files.slice(0, 1)],
    [
      'it lacks those that the policy is for',
      { conditions: { workflow_path: { include: files.slice(0, 2), exclude: [] } } },
      lockfile([]),
      files.slice(0, 2),
    ],
    [
      'the policy excludes one',
      { conditions: { workflow_path: { include: ['~ALL'], exclude: ['*-plan.yml'] } } },
      lockfile([]),
      [files[0], files[2]] as string[],
    ],
  ])('is told: %s', async (_, policy, text, missing) => {
    require(policy);
    if (text !== null) workspace.write(lock, text);
    expect(await lines()).toEqual(lacks(missing));
  });

  test('is kept by a lockfile that has them', async () => {
    require();
    workspace.write(lock, lockfile(files));
    expect(await lines()).toEqual([`ok       ${lock} has the workflows that a policy requires to be in it`]);
  });

  test.each<[string, () => void]>([
    ['there is none', () => {}],
    ['the host has no policies', () => delete answers['/actions/policies']],
    ['it is only evaluated', () => require({ enforcement: 'evaluate' })],
    ['it is about something else', () => require({}, 'restrict_action_events')],
    [
      'it is for other workflows',
      () => require({ conditions: { workflow_path: { include: ['.github/workflows/ci.yml'] } } }),
    ],
  ])('is not told of if %s', async (_, given) => {
    given();
    expect(await lines()).toEqual([]);
  });

  test('is unknown if the token may not read it', async () => {
    answers['/actions/policies'] = 403;
    expect(await lines()).toEqual([expect.stringMatching(/^unknown /)]);
  });
});

test('what the token may not read is unknown, and not missing', async () => {
  answers['/environments/staging/secrets/ROSTER_API_KEY'] = 403;
  const { exit, stdout } = await doctor();
  expect([exit, stdout]).toEqual([
    0,
    expect.stringMatching(/^unknown +the environment staging has the secret/m),
  ]);
});

test('says what is missing to ask at all', async () => {
  const { GITHUB_TOKEN: _, ...withoutToken } = workspace.env;
  workspace.env = withoutToken;
  expect((await doctor()).stderr).toContain('there is no token for GitHub');
});
