import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { CiFacts } from '../../src/init/ci-facts.js';
import { ciFiles } from '../../src/init/ci-files.js';
import type { Step, Workflow } from '../support/forge/github.js';
import { jobsIn } from '../support/forge/gitlab-pipeline.js';

const team = fileURLToPath(new URL('../../examples/team/', import.meta.url));
/** A team that has vendored a tarball. Its hash is that of no file. */
const facts: CiFacts = {
  install: {
    from: 'file',
    path: 'vendor/rosterctl-0.2.0.tgz',
    version: '0.2.0',
    integrity: `sha512-${'A'.repeat(86)}==`,
  },
  planWith: 'snapshot',
  verify: null,
  project: null,
  environments: [],
  promote: [],
  branch: 'main',
  folder: '.',
  url: null,
};
const workflowsOf = (of: CiFacts) => ciFiles('github', of).filter(({ path }) => path.endsWith('.yml'));
const workflows = workflowsOf(facts);
/** Those of one of several projects, with environments. */
const several = workflowsOf({
  ...facts,
  verify: 'status',
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

test('examples/team has no other file for CI', () => {
  const written = [...ciFiles('github', facts), ...ciFiles('gitlab', facts)].map(({ path }) => path);
  const found = ['.github', '.gitlab'].flatMap((folder) =>
    readdirSync(join(team, folder), { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => relative(team, join(each.parentPath, each.name))),
  );
  expect(found.sort()).toEqual(written.filter((path) => path !== '.gitlab-ci.yml').sort());
});

test.each(["it's $HOME", 'a: b #c', "a\\'#", 'a b'])(
  'the folder %j is one word of bash in YAML',
  (folder) => {
    const main = ciFiles('github', { ...facts, folder }).find(({ path }) => path.endsWith('/roster.yml'));
    const { jobs } = parse(main?.text ?? '') as Workflow;
    const [, word = ''] = / -f (.*) --all-environments/.exec(jobs['validate']?.steps.at(-1)?.run ?? '') ?? [];
    const said = execFileSync('bash', ['-c', `printf '%s|' ${word}`], { encoding: 'utf8' });
    expect(said).toBe(`${folder}/roster.yaml|`);
  },
);

test('placeholders for the repository are filled in as YAML', () => {
  const odd = { ...facts, branch: '!on+', folder: 'a "b"/1' };
  for (const host of ['github', 'gitlab'] as const) {
    expect(ciFiles(host, odd).filter(({ text }) => /__[A-Z]+__/.test(text))).toEqual([]);
  }
  const main = ciFiles('github', odd).find(({ path }) => path.endsWith('/roster.yml'));
  const { on, jobs } = parse(main?.text ?? '') as Workflow;
  expect(on['push']).toEqual({ branches: ['\\!on\\+'] });
  expect(jobs['validate']?.steps.at(-1)?.run).toContain(`-f 'a "b"/1/roster.yaml'`);
});

/** Keys of the workflow syntax that are used; anything else is most likely misspelt, and GitHub would ignore the file. */
const known = {
  workflow: ['name', 'on', 'permissions', 'concurrency', 'jobs'],
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
  call: ['if', 'needs', 'strategy', 'concurrency', 'permissions', 'uses', 'with', 'secrets'],
  step: ['name', 'id', 'if', 'uses', 'with', 'env', 'run'],
  scope: ['actions', 'checks', 'contents', 'pull-requests', 'issues'],
  event: [
    'merge_group',
    'pull_request',
    'push',
    'schedule',
    'workflow_call',
    'workflow_dispatch',
    'workflow_run',
  ],
};

describe.each([...workflows, ...several])('$path', ({ text }) => {
  const workflow = parse(text) as Workflow;
  const all = Object.values(workflow.jobs);
  const jobs = all.filter(({ uses }) => uses === undefined);
  const calls = all.filter(({ uses }) => uses !== undefined);
  const steps = jobs.flatMap((job) => job.steps);
  const strange = (given: object, names: readonly string[]) =>
    Object.keys(given).filter((each) => !names.includes(each));

  test('has only keys of the workflow syntax', () => {
    expect(strange(workflow, known.workflow)).toEqual([]);
    expect(strange(workflow.on, known.event)).toEqual([]);
    expect(jobs.flatMap((job) => strange(job, known.job))).toEqual([]);
    expect(calls.flatMap((job) => strange(job, known.call))).toEqual([]);
    expect(steps.flatMap((step) => strange(step, known.step))).toEqual([]);
    expect(steps.filter((step) => (step.run === undefined) === (step.uses === undefined))).toEqual([]);
    expect(jobs.filter((job) => !(job['timeout-minutes'] > 0) || job['runs-on'] !== 'ubuntu-latest')).toEqual(
      [],
    );
  });

  test('uses only actions of GitHub itself, pinned by commit', () => {
    const uses = text.split('\n').filter((line) => line.includes('uses:'));
    const pinned =
      /^ +(?:- )?uses: (?:\.\/\.github\/workflows\/roster-[\w-]+\.yml|actions\/(checkout|upload-artifact)@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/;
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
    const callsService = ({ run = '' }: Step) => /roster ci (review|apply|drift|pull)\b/.test(run);
    expect(steps.filter(withKey)).toEqual(steps.filter(callsService));
    expect(inEnvironment.filter(withKey)).toEqual(steps.filter(withKey));
    expect(text.match(/secrets\.\w+/g)?.filter((each) => each !== 'secrets.ROSTER_API_KEY') ?? []).toEqual(
      [],
    );
  });
});

describe('the permissions', () => {
  const permissionsOf = (name: string) => {
    const file = workflows.find(({ path }) => path.endsWith(`/${name}.yml`));
    const { jobs } = parse(file?.text ?? '') as Workflow;
    return Object.fromEntries(Object.entries(jobs).map(([job, { permissions }]) => [job, permissions]));
  };
  const read = { actions: 'read', contents: 'read' };

  test.each([
    [
      'roster',
      {
        validate: { contents: 'read' },
        project: { actions: 'read', contents: 'write', issues: 'write', 'pull-requests': 'write' },
      },
    ],
    [
      'roster-plan',
      {
        plan: { ...read, 'pull-requests': 'read' },
        show: { ...read, checks: 'write', 'pull-requests': 'write' },
      },
    ],
    [
      'roster-environment',
      {
        plan: { ...read, 'pull-requests': 'write' },
        apply: { contents: 'write' },
        drift: { ...read, issues: 'write', 'pull-requests': 'write' },
        pull: { contents: 'write', 'pull-requests': 'write' },
      },
    ],
  ])('of %s are these and no more', (name, permissions) => {
    expect(permissionsOf(name)).toEqual(permissions);
  });
});

test('on GitHub, two applies of an environment never run at the same time, and none is cancelled', () => {
  const { jobs } = parse(workflows[0]?.text ?? '') as {
    jobs: Record<string, { concurrency?: { group: string } }>;
  };
  expect(jobs['project']?.concurrency).toEqual({ group: expect.stringMatching(/^roster-\$\{\{ .*'apply'/) });
});

test.each(['github', 'gitlab'] as const)(
  'on %s, the package.json and its lockfile name one package, with its hash',
  (host) => {
    const files = ciFiles(host, facts).filter(({ path }) => path.endsWith('.json'));
    const [manifest, lock] = files.map(({ text }) => JSON.parse(text));
    expect(manifest.dependencies).toEqual({ rosterctl: 'file:../../vendor/rosterctl-0.2.0.tgz' });
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/rosterctl']);
    expect(lock.packages['node_modules/rosterctl'].integrity).toMatch(/^sha512-/);
  },
);

describe('.gitlab/roster.yml', () => {
  const jobs = () => jobsIn(team);

  test('has a job for each task, each for its own pipelines', () => {
    const names = ['validate', 'plan', 'show', 'review', 'apply', 'drift', 'pull'].map(
      (each) => `roster-${each}`,
    );
    expect(Object.keys(jobs())).toEqual(names);
    expect(Object.values(jobs()).filter(({ rules = [] }) => rules.length === 0)).toEqual([]);
  });

  test('runs one apply at a time, in an environment, and cancels only plans', () => {
    expect(jobs()['roster-apply']).toMatchObject({ resource_group: 'roster', environment: 'production' });
    const cancelled = Object.entries(jobs()).filter(([, { interruptible }]) => interruptible === true);
    expect(cancelled.map(([name]) => name)).toEqual(['roster-plan']);
  });

  test('has no script, and passes no variable into one', () => {
    const scripts = Object.values(jobs()).map(({ script = '' }) => script);
    const line = /^\.gitlab\/roster\/node_modules\/\.bin\/roster (?:validate|ci \w+) -f roster\.yaml[\w -]*$/;
    expect(scripts.filter((each) => !line.test(each))).toEqual([]);
  });

  test('passes the plan to the widget of the merge request', () => {
    expect(jobs()['roster-plan']?.artifacts).toMatchObject({
      when: 'always',
      reports: { terraform: 'roster-ci/plan.gitlab.json' },
    });
  });
});
