import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
    const path = (request.url ?? '').replace('/repos/acme/config', '');
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
  expect(stdout.match(/^ok /gm)).toHaveLength(2 * 4 + 2 * 5 + 4);
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
])('says that this is missing, and where it is set: %s', async (what, path, answer) => {
  answers[path] = answer;
  const { exit, stdout } = await doctor();
  expect(exit).toBe(1);
  const missing = stdout.split('\n').filter((line) => line.startsWith('missing '));
  expect(missing).toEqual([expect.stringContaining(what)]);
  expect(missing[0]).toMatch(/: https:\/\/github\.com\/acme\/config\/settings\/[\w/]+$/);
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
