import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ciFiles } from '../../../src/init/ci-files.js';
import { initRepository } from '../../support/repository.js';
import { Workspace } from '../../support/roster.js';

/** `roster ci doctor`: which settings of a repository on GitHub, or of a project on GitLab, are missing. */

const facts = {
  install: { from: 'image', image: `registry.example.com/roster@sha256:${'a'.repeat(64)}` },
  planWith: 'snapshot',
  verify: null,
  project: null,
  environments: ['staging', 'production'],
  promote: ['staging', 'production'],
  branch: 'main',
  folder: '.',
  url: null,
} as const;

/** All settings as they should be. */
function githubSettings(): Record<string, unknown> {
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

interface Variable {
  readonly key: string;
  protected: boolean;
  masked: boolean;
  environment_scope: string;
}

/** All settings as they should be. */
function gitlabSettings() {
  const variable = (key: string, scope: string): Variable => ({
    key,
    protected: true,
    masked: key !== 'ROSTER_URL',
    environment_scope: scope,
  });
  const scopes = ['roster-plan_staging', 'roster-plan_production', 'staging', 'production'];
  return {
    '': {
      default_branch: 'main',
      web_url: 'https://gitlab.example.com/acme/config',
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

const changed = (key: string, scope: string, change: Partial<Variable>) =>
  gitlabSettings()['/variables'].map((each) =>
    each.key === key && each.environment_scope === scope ? { ...each, ...change } : each,
  );

interface Host {
  readonly title: string;
  readonly token: string;
  /** What the paths of its API begin with. */
  readonly api: string;
  /** The variables of its jobs, for an API at this URL. */
  readonly variables: (url: string) => Readonly<Record<string, string>>;
  readonly settings: () => Record<string, unknown>;
  /** How many settings there are. */
  readonly count: number;
  /** Where a setting is set. */
  readonly link: RegExp;
  /** What is missing if a path has this answer. */
  readonly missing: readonly (readonly [what: string, path: string, answer: unknown])[];
  /** A path that the token may not read, and what is then unknown. */
  readonly unread: readonly [path: string, unknown: RegExp];
}

const hosts: Readonly<Record<'github' | 'gitlab', Host>> = {
  github: {
    title: 'GitHub',
    token: 'GITHUB_TOKEN',
    api: '/repos/acme/config',
    variables: (url) => ({
      GITHUB_API_URL: url,
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'acme/config',
    }),
    settings: githubSettings,
    count: 2 * 4 + 2 * 5 + 6,
    link: /: https:\/\/github\.com\/acme\/config\/(settings|actions)\/[\w/.]+$/,
    missing: [
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
      [
        'a ruleset restricts updates of the branches roster-inventory*',
        '/rules/branches/roster-inventory',
        [],
      ],
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
    ],
    unread: [
      '/environments/staging/secrets/ROSTER_API_KEY',
      /^unknown +the environment staging has the secret/m,
    ],
  },
  gitlab: {
    title: 'GitLab',
    token: 'GITLAB_TOKEN',
    api: '/projects/42',
    variables: (url) => ({ CI_API_V4_URL: url, CI_PROJECT_ID: '42' }),
    settings: gitlabSettings,
    count: 2 + 4 * 2 + 7,
    link: /: https:\/\/gitlab\.example\.com\/acme\/config\/-\/[\w/]+$/,
    missing: [
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
        { ...gitlabSettings()[''], ci_pipeline_variables_minimum_override_role: 'developer' },
      ],
      [
        'job tokens may push to the repository',
        '',
        { ...gitlabSettings()[''], ci_push_repository_for_job_token_allowed: false },
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
    ],
    unread: ['/variables', /^unknown +ROSTER_API_KEY is a protected variable/m],
  },
};

let server: Server;
let answers: Record<string, unknown>;
let asked: string[];
let workspace: Workspace;
afterEach(() => void server.close());

async function start(name: keyof typeof hosts): Promise<void> {
  const host = hosts[name];
  [answers, asked] = [host.settings(), []];
  server = createServer((request, response) => {
    const path = (request.url ?? '').replace(host.api, '').replace(/\?.*/, '');
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
  for (const { path, text } of ciFiles(name, facts)) {
    mkdirSync(dirname(join(workspace.root, path)), { recursive: true });
    writeFileSync(join(workspace.root, path), text);
  }
  Object.assign(workspace.env, host.variables(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  workspace.env[host.token] = 'token-of-a-person';
}

const doctor = () => workspace.command(['ci', 'doctor']);

describe.each(['github', 'gitlab'] as const)('on %s', (name) => {
  const { title, token, count, link, missing: rows, unread } = hosts[name];
  beforeEach(() => start(name));

  test('nothing is missing where everything is set, and nothing is written', async () => {
    const { exit, stdout } = await doctor();
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/\n\nNothing is missing\.\n$/)]);
    expect(stdout.match(/^ok /gm)).toHaveLength(count);
    expect(asked.filter((each) => !each.startsWith('GET '))).toEqual([]);
    expect(stdout).not.toContain('token-of-a-person');
  });

  test.each(rows)('this is missing, with the page where it is set: %s', async (what, path, answer) => {
    answers[path] = answer;
    const { exit, stdout } = await doctor();
    expect(exit).toBe(1);
    const missing = stdout.split('\n').filter((line) => line.startsWith('missing '));
    expect(missing).toEqual([expect.stringContaining(what)]);
    expect(missing[0]).toMatch(link);
  });

  test('what the token may not read is unknown, and not missing', async () => {
    const [path, unknown] = unread;
    answers[path] = 403;
    const { exit, stdout } = await doctor();
    expect([exit, stdout]).toEqual([0, expect.stringMatching(unknown)]);
  });

  test('says what is missing to ask at all', async () => {
    delete workspace.env[token];
    expect((await doctor()).stderr).toContain(`there is no token for ${title}`);
  });
});

test('on GitLab, a token that is unprotected is missing, and named', async () => {
  await start('gitlab');
  answers['/variables'] = changed('ROSTER_GITLAB_TOKEN', 'roster-*', { protected: false });
  expect((await doctor()).stdout.match(/^missing /gm)).toHaveLength(2);
});

test('on GitHub, a workflow that was only just added is not late', async () => {
  await start('github');
  answers['/actions/workflows/roster.yml'] = { state: 'active', created_at: '2026-11-09T00:00:00Z' };
  answers['/actions/workflows/roster.yml/runs'] = { workflow_runs: [] };
  expect(await doctor()).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^ok +the nightly job/m) });
});

describe('on GitHub, a policy that requires the workflows to be in a lockfile', () => {
  beforeEach(() => start('github'));

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
