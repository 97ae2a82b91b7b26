import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ciFiles } from '../../../src/init/ci-files.js';
import { initRepository } from '../../support/repository.js';
import { Workspace } from '../../support/roster.js';

/** `roster ci doctor`: which settings of a project on GitLab are missing. */

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

interface Variable {
  readonly key: string;
  protected: boolean;
  masked: boolean;
  environment_scope: string;
}

/** All settings as they should be. */
function complete() {
  const variable = (key: string, scope: string): Variable => ({
    ...{ key, protected: true, masked: key !== 'ROSTER_URL', environment_scope: scope },
  });
  const scopes = ['roster-plan_staging', 'roster-plan_production', 'staging', 'production'];
  return {
    '': {
      ...{ default_branch: 'main', web_url: 'https://gitlab.example.com/acme/config' },
      ci_pipeline_variables_minimum_override_role: 'maintainer',
      ci_push_repository_for_job_token_allowed: true,
    },
    '/protected_branches': [{ name: 'main' }, { name: 'roster-*' }],
    '/variables': [
      ...scopes.flatMap((scope) => [variable('ROSTER_API_KEY', scope), variable('ROSTER_URL', scope)]),
      variable('ROSTER_GITLAB_TOKEN', 'roster-*'),
    ],
    '/hooks': [
      {
        url: 'https://gitlab.example.com/api/v4/projects/42/ref/main/trigger/pipeline',
        merge_requests_events: true,
      },
    ],
    '/pipeline_schedules': [{ active: true, ref: 'refs/heads/main', created_at: '2026-01-01T00:00:00Z' }],
    '/pipelines': [{ created_at: '2026-11-09T03:17:00Z' }],
  };
}

beforeEach(async () => {
  [answers, asked] = [complete(), []];
  server = createServer((request, response) => {
    const path = (request.url ?? '').replace('/projects/42', '').replace(/\?.*/, '');
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
  for (const { path, text } of ciFiles('gitlab', facts)) {
    mkdirSync(dirname(join(workspace.root, path)), { recursive: true });
    writeFileSync(join(workspace.root, path), text);
  }
  workspace.env = {
    ...workspace.env,
    GITLAB_TOKEN: 'token-of-a-person',
    CI_API_V4_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    CI_PROJECT_ID: '42',
  };
});
afterEach(() => void server.close());

const doctor = () => workspace.command(['ci', 'doctor']);

test('nothing is missing where everything is set, and nothing is written', async () => {
  const { exit, stdout } = await doctor();
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/\n\nNothing is missing\.\n$/)]);
  expect(stdout.match(/^ok /gm)).toHaveLength(2 + 4 * 2 + 7);
  expect(asked.filter((each) => !each.startsWith('GET '))).toEqual([]);
  expect(stdout).not.toContain('token-of-a-person');
});

const changed = (key: string, scope: string, change: Partial<Variable>) =>
  complete()['/variables'].map((each) =>
    each.key === key && each.environment_scope === scope ? { ...each, ...change } : each,
  );

test.each<[string, string, unknown]>([
  ['the branch main is protected', '/protected_branches', [{ name: 'roster-*' }]],
  ['the branch roster-* is protected', '/protected_branches', [{ name: 'main' }, { name: 'roster' }]],
  [
    'ROSTER_API_KEY is a protected variable in the environment scope production',
    '/variables',
    changed('ROSTER_API_KEY', 'production', { environment_scope: 'prod' }),
  ],
  [
    'ROSTER_URL is a protected variable in the environment scope roster-plan_staging',
    '/variables',
    changed('ROSTER_URL', 'roster-plan_staging', { protected: false }),
  ],
  [
    'ROSTER_GITLAB_TOKEN is a protected variable in the environment scope roster-*',
    '/variables',
    changed('ROSTER_GITLAB_TOKEN', 'roster-*', { environment_scope: 'roster-plan*' }),
  ],
  [
    'no key or token is unprotected, or for all jobs',
    '/variables',
    changed('ROSTER_GITLAB_TOKEN', 'roster-*', { environment_scope: '*' }),
  ],
  [
    'only maintainers may use pipeline variables',
    '',
    { ...complete()[''], ci_pipeline_variables_minimum_override_role: 'developer' },
  ],
  [
    'job tokens may push to the repository',
    '',
    { ...complete()[''], ci_push_repository_for_job_token_allowed: false },
  ],
  [
    'a webhook for merge request events starts a pipeline, for notes',
    '/hooks',
    [{ url: 'https://chat.example.com', merge_requests_events: true }],
  ],
  ['a pipeline of main is scheduled', '/pipeline_schedules', [{ active: true, ref: 'develop' }]],
  [
    'a pipeline of main is scheduled (the schedule "nightly" is not active: take ownership, and activate it)',
    '/pipeline_schedules',
    [{ active: false, ref: 'main', description: 'nightly' }],
  ],
  [
    'the nightly pipeline of main runs (it has not run since 2026-11-07)',
    '/pipelines',
    [{ created_at: '2026-11-07T03:17:00Z' }],
  ],
  ['the nightly pipeline of main runs (it has never run)', '/pipelines', []],
])('says that this is missing, and where it is set: %s', async (what, path, answer) => {
  answers[path] = answer;
  const { exit, stdout } = await doctor();
  expect(exit).toBe(1);
  const missing = stdout.split('\n').filter((line) => line.startsWith('missing '));
  expect(missing).toEqual([expect.stringContaining(what)]);
  expect(missing[0]).toMatch(/: https:\/\/gitlab\.example\.com\/acme\/config\/-\/[\w/]+$/);
});

test('a token that is unprotected is missing, and named', async () => {
  answers['/variables'] = changed('ROSTER_GITLAB_TOKEN', 'roster-*', { protected: false });
  expect((await doctor()).stdout.match(/^missing /gm)).toHaveLength(2);
});

test('what the token may not read is unknown, and not missing', async () => {
  answers['/variables'] = 403;
  const { exit, stdout } = await doctor();
  expect([exit, stdout]).toEqual([
    0,
    expect.stringMatching(/^unknown +ROSTER_API_KEY is a protected variable/m),
  ]);
});

test('says what is missing to ask at all', async () => {
  const { GITLAB_TOKEN: _, ...withoutToken } = workspace.env;
  workspace.env = withoutToken;
  expect((await doctor()).stderr).toContain('there is no token for GitLab');
});
