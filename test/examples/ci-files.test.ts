import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { CiFacts } from '../../src/init/ci-facts.js';
import { ciFiles } from '../../src/init/ci-files.js';
import { filledIn } from '../support/forge/expression.js';
import type { Step, Workflow } from '../support/forge/github.js';
import { jobsIn } from '../support/forge/gitlab-pipeline.js';

const team = fileURLToPath(new URL('../../examples/team/', import.meta.url));
/** Nothing is published yet, so that the examples install nothing. */
const facts: CiFacts = {
  install: { from: 'nowhere' },
  planWith: 'snapshot',
  verify: false,
  project: null,
  environments: [],
  promote: [],
  branch: 'main',
  folder: '.',
  url: null,
  remoteHost: null,
};
const workflowsOf = (of: CiFacts) => ciFiles('github', of).filter(({ path }) => path.endsWith('.yml'));
const workflows = workflowsOf(facts);
/** Those of one of several projects, with environments. */
const several = workflowsOf({
  ...facts,
  verify: true,
  project: 'prices',
  environments: ['staging', 'production', 'test'],
  promote: ['staging', 'production'],
});

/** UPDATE_GOLDEN=1 writes them. */
test.each([...ciFiles('github', facts), ...ciFiles('gitlab', facts)])(
  'examples/team has $path as init writes it',
  ({ path, text }) => {
    const file = join(team, path);
    if (process.env['UPDATE_GOLDEN'] === '1') {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    expect(readFileSync(file, 'utf8')).toBe(text);
  },
);

test('placeholders for the repository are filled in as YAML', () => {
  const odd = { ...facts, branch: '!on+', folder: 'a "b"/1' };
  for (const host of ['github', 'gitlab'] as const) {
    expect(ciFiles(host, odd).filter(({ text }) => /__[A-Z]+__/.test(text))).toEqual([]);
  }
  const apply = ciFiles('github', odd).find(({ path }) => path.endsWith('roster-apply.yml'));
  const { on, defaults } = parse(apply?.text ?? '') as Workflow;
  expect(on['push']).toEqual({ branches: ['\\!on\\+'] });
  expect(defaults.run['working-directory']).toBe('a "b"/1');
});

/** Keys of the workflow syntax that are used; anything else is most likely misspelt, and GitHub would ignore the file. */
const known = {
  workflow: ['name', 'on', 'permissions', 'concurrency', 'defaults', 'jobs'],
  job: [
    'if',
    'needs',
    'runs-on',
    'timeout-minutes',
    'strategy',
    'environment',
    'permissions',
    'outputs',
    'steps',
  ],
  step: ['name', 'id', 'if', 'uses', 'with', 'env', 'working-directory', 'run'],
  scope: ['actions', 'checks', 'contents', 'pull-requests', 'issues'],
  event: ['pull_request', 'push', 'schedule', 'workflow_dispatch', 'workflow_run'],
};

describe.each([...workflows, ...several])('$path', ({ text }) => {
  const workflow = parse(text) as Workflow;
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);
  const strange = (given: object, names: readonly string[]) =>
    Object.keys(given).filter((each) => !names.includes(each));

  test('has only keys of the workflow syntax', () => {
    expect(strange(workflow, known.workflow)).toEqual([]);
    expect(strange(workflow.on, known.event)).toEqual([]);
    expect(jobs.flatMap((job) => strange(job, known.job))).toEqual([]);
    expect(steps.flatMap((step) => strange(step, known.step))).toEqual([]);
    expect(steps.filter((step) => (step.run === undefined) === (step.uses === undefined))).toEqual([]);
    expect(jobs.filter((job) => !(job['timeout-minutes'] > 0) || job['runs-on'] !== 'ubuntu-latest')).toEqual(
      [],
    );
    expect(workflow.defaults.run.shell).toBe('bash');
  });

  test('uses only actions of GitHub itself, pinned by commit', () => {
    const uses = text.split('\n').filter((line) => line.includes('uses:'));
    const pinned =
      /^ +(?:- )?uses: actions\/(checkout|setup-node|upload-artifact|download-artifact)@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((line) => !pinned.test(line))).toEqual([]);
  });

  test('has no expression inside a script: text of a pull request stays data', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
    const texts = steps
      .flatMap(({ env = {} }) => Object.values(env))
      .filter((each) => /title|body|head_ref|label/.test(String(each)));
    expect(texts).toEqual([]);
  });

  test('grants nothing by default, and each job only what it needs', () => {
    expect(workflow.permissions).toEqual({});
    expect(jobs.flatMap(({ permissions }) => strange(permissions, known.scope))).toEqual([]);
    const levels = jobs.flatMap(({ permissions }) => Object.values(permissions));
    expect(levels.length).toBeGreaterThan(0);
    expect(levels.filter((each) => each !== 'read' && each !== 'write')).toEqual([]);
  });

  test('leaves no token on the disk', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.length).toBeGreaterThanOrEqual(jobs.length);
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });

  test('passes the API key only to steps that call the service, in an environment', () => {
    const inEnvironment = jobs.filter((job) => job.environment !== undefined).flatMap((job) => job.steps);
    const withKey = ({ env = {} }: Step) =>
      Object.values(env).some((each) => String(each).includes('secrets.'));
    const calls = ({ run = '' }: Step) =>
      /^ *roster (plan|apply|status|drift|snapshot|pull)\b(?! --snapshot)/m.test(run);
    expect(steps.filter(withKey)).toEqual(steps.filter(calls));
    expect(inEnvironment.filter(withKey)).toEqual(steps.filter(withKey));
    expect(text.match(/secrets\.\w+/g)?.filter((each) => each !== 'secrets.ROSTER_API_KEY') ?? []).toEqual(
      [],
    );
  });
});

describe('the permissions', () => {
  const permissionsOf = (name: string) => {
    const file = workflows.find(({ path }) => path.endsWith(`roster-${name}.yml`));
    const { jobs } = parse(file?.text ?? '') as Workflow;
    return Object.fromEntries(Object.entries(jobs).map(([job, { permissions }]) => [job, permissions]));
  };
  const read = { actions: 'read', contents: 'read', 'pull-requests': 'read' };

  test.each([
    ['validate', { validate: { contents: 'read' } }],
    ['plan', { plan: read, show: { checks: 'write', contents: 'read', 'pull-requests': 'write' } }],
    ['apply', { plan: read, apply: { contents: 'write' } }],
    [
      'drift',
      {
        drift: { contents: 'read', issues: 'write' },
        pull: { contents: 'write', 'pull-requests': 'write' },
      },
    ],
  ])('of %s are these and no more', (name, permissions) => {
    expect(permissionsOf(name)).toEqual(permissions);
  });
});

test('on GitHub, a plan is shown only if no step before it has failed', () => {
  const { jobs } = parse(
    workflows.find(({ path }) => path.endsWith('roster-plan.yml'))?.text ?? '',
  ) as Workflow;
  const conditions = jobs['plan']?.steps.map((step) => step.if ?? '') ?? [];
  expect(conditions.filter((each) => /\b(always|cancelled|failure)\(\)/.test(each))).toEqual([]);
  expect(jobs['plan']?.outputs?.['planned']).toBe('${{ steps.plan.outcome }}');
  expect(jobs['show']?.if).toContain("needs.plan.outputs.planned == 'success'");
});

test('on GitHub, two applies never run at the same time, and none is cancelled', () => {
  const apply = workflows.find(({ path }) => path.endsWith('roster-apply.yml'));
  const { concurrency, jobs } = parse(apply?.text ?? '') as Workflow;
  expect(concurrency).toEqual({ group: 'roster-apply', 'cancel-in-progress': false });
  expect(jobs['apply']?.environment).toBe('production');
});

test('git gets the token of the job from the environment of its step', () => {
  const steps = workflows
    .map(({ text }) => parse(text) as Workflow)
    .flatMap(({ jobs }) => Object.values(jobs).flatMap((job) => job.steps));
  const asking = steps.filter(({ env = {} }) => 'GIT_CONFIG_COUNT' in env);
  expect(asking.map(({ name }) => name).sort()).toEqual([
    'Apply',
    'Check for drift',
    'Check that it is the reviewed plan',
    'Check that no newer commit was pushed',
    'Open or update the pull request',
    'Plan',
    'Pull',
  ]);
  for (const { env = {} } of asking) {
    const contexts = {
      steps: {},
      github: { token: 'of-the-job', server_url: 'https://github.com' },
      secrets: {},
      vars: {},
    };
    const own = Object.entries(env).filter(([name]) => /^(GH|GIT)_/.test(name));
    const filled = own.map(([name, value]) => [name, filledIn(String(value), contexts)]);
    const said = execFileSync('git', ['credential', 'fill'], {
      input: 'protocol=https\nhost=github.com\n\n',
      env: { PATH: process.env['PATH'], ...Object.fromEntries(filled) },
      encoding: 'utf8',
    });
    expect(said).toContain('username=x-access-token\npassword=of-the-job\n');
  }
});

describe('.gitlab/roster.yml', () => {
  const jobs = () => jobsIn(team);

  test('has a job for each task, each for its own pipelines', () => {
    const names = ['validate', 'plan', 'prepare', 'apply', 'snapshot', 'drift', 'pull'].map(
      (each) => `roster-${each}`,
    );
    expect(Object.keys(jobs())).toEqual(names);
    expect(Object.values(jobs()).filter(({ rules = [] }) => rules.length === 0)).toEqual([]);
  });

  test('runs one apply at a time, in an environment, and never cancels it', () => {
    expect(jobs()['roster-apply']).toMatchObject({
      resource_group: 'roster',
      environment: 'production',
      interruptible: false,
    });
  });

  test('passes the plan to the widget of the merge request', () => {
    expect(jobs()['roster-plan']?.artifacts).toMatchObject({
      when: 'always',
      reports: { terraform: 'plan.gitlab.json' },
    });
  });
});
