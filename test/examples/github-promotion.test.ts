import { afterAll, describe, expect, test } from 'vitest';
import { ciFiles } from '../../src/init/ci-files.js';
import { filledIn } from '../support/forge/expression.js';
import { Github, isDue, type JobRun, readWorkflow, skipped, type Workflow } from '../support/forge/github.js';
import { valuesOf } from '../support/forge/github-job.js';
import { mutantsOf, mutated } from '../support/forge/github-mutants.js';

/**
 * Which jobs run when `staging` is applied before `production`: evaluated for every result that a job can have, without
 * running one. Each condition and dependency of the jobs decides something.
 */

const facts = {
  install: { from: 'file', path: 'vendor/rosterctl.tgz', version: '1.2.3', integrity: 'sha512-' },
  planWith: 'snapshot',
  verify: null,
  project: null,
  branch: 'main',
  folder: '.',
  url: null,
} as const;

function textOf(name: string, environments: readonly string[], promote = environments): string {
  const files = ciFiles('github', { ...facts, environments, promote });
  return files.find(({ path }) => path.endsWith(`/${name}.yml`))?.text ?? '';
}

const github = new Github({}, {});
afterAll(() => github.remove());
github.options.environments = Object.fromEntries(
  ['roster-plan_staging', 'staging', 'roster-plan_production', 'production'].map((name) => [
    name,
    { secrets: { ROSTER_API_KEY: `key of ${name}` }, vars: { ROSTER_URL: `url of ${name}` } },
  ]),
);

interface Scenario {
  readonly event?: 'push' | 'workflow_dispatch' | 'schedule' | 'pull_request';
  readonly inputs?: Readonly<Record<string, string>>;
  readonly ref?: string;
  /** Jobs that fail. */
  readonly failing?: readonly string[];
  /** The outputs of jobs. */
  readonly outputs?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

type Flow = Readonly<Record<string, readonly string[]>>;

/** The jobs that run, with the values that their steps, or the workflow that they call, get. */
function flow(of: Workflow, scenario: Scenario): Flow {
  const { event = 'push', ref = 'refs/heads/main', inputs = {}, failing = [], outputs = {} } = scenario;
  const earlier: JobRun[] = [];
  const shown: Record<string, readonly string[]> = {};
  for (const [name, job] of Object.entries(of.jobs)) {
    const happening = { name: event, ref, event: {}, inputs };
    const moment = { name, workflow: of, happening, matrix: {}, id: 1, commit: '', path: '', earlier };
    const steps = new Proxy({}, { has: () => true, get: () => ({ outputs: {}, outcome: 'success' }) });
    const contexts = { ...github.contextsOf(job, moment), runner: { temp: '/tmp' }, steps };
    const own = { ...skipped, workflow: of.name, job: name, environment: '' };
    if (!isDue(job, contexts, { workflow: of, earlier })) {
      earlier.push(own);
      continue;
    }
    const known = Object.keys(job.outputs ?? {}).map((key) => [key, outputs[name]?.[key] ?? '']);
    const result = failing.includes(name) ? 'failure' : 'success';
    earlier.push({ ...own, result, outputs: Object.fromEntries(known) });
    const given = Object.values(job.with ?? {}).map((value) => filledIn(value, contexts));
    shown[name] = [...given, ...job.steps.map((step) => valuesOf(step, contexts))];
  }
  return shown;
}

const manual = (inputs: Readonly<Record<string, string>>) =>
  ({ event: 'workflow_dispatch', inputs: { digest: 'given', ...inputs } }) as const;

/** Without these parts, nothing here differs. */
function missedBy(text: string, scenarios: readonly Scenario[]): readonly string[] {
  const workflow = readWorkflow(text);
  const all = (of: Workflow) => JSON.stringify(scenarios.map((scenario) => flow(of, scenario)));
  const expected = all(workflow);
  const decisive = mutantsOf('roster', text, { parts: true }).filter(
    ({ step, name }) => step === undefined && !name.includes('the permission'),
  );
  const missed = decisive.filter((mutant) => {
    try {
      return all(mutated(workflow, mutant)) === expected;
    } catch {
      // An expression names something that does not exist.
      return false;
    }
  });
  return missed.map(({ name }) => name);
}

describe('the calls of the workflow for an environment', () => {
  const text = textOf('roster', ['staging', 'production']);
  const both = { 'to-staging': ['staging', 'apply'], 'to-production': ['production', 'apply'] };
  const nightly = { 'to-staging': ['staging', 'drift'], 'to-production': ['production', 'drift'] };
  const scenarios: readonly (readonly [string, Scenario, Flow])[] = [
    ['a push', {}, both],
    [
      'a push that is not applied to staging',
      { failing: ['to-staging'] },
      { 'to-staging': both['to-staging'] },
    ],
    ['a night', { event: 'schedule' }, nightly],
    ['a night in which staging fails', { event: 'schedule', failing: ['to-staging'] }, nightly],
    [
      'a manual apply for staging',
      manual({ environment: 'staging', task: 'apply' }),
      { 'to-staging': both['to-staging'] },
    ],
    ['a manual apply for production', manual({ environment: 'production', task: 'apply' }), both],
    [
      'a manual apply for production while staging has changes left',
      { ...manual({ environment: 'production', task: 'apply' }), failing: ['to-staging'] },
      { 'to-staging': both['to-staging'] },
    ],
    ['a manual run for something else', manual({ environment: 'other', task: 'apply' }), {}],
    [
      'a manual run on a branch',
      { ...manual({ environment: 'production', task: 'apply' }), ref: 'refs/heads/topic' },
      {},
    ],
    ['a tag with the name of the branch', { ref: 'refs/tags/main' }, {}],
  ];

  test.each(scenarios)('%s runs for its environments in order', (_, scenario, expected) => {
    expect(flow(readWorkflow(text), scenario)).toEqual(expected);
  });

  test('a pull request runs nothing but the validation', () => {
    const pull = { event: 'pull_request', ref: 'refs/pull/1/merge' } as const;
    expect(Object.keys(flow(readWorkflow(text), pull))).toEqual(['validate']);
  });

  test('each condition and dependency decides something', () => {
    const pull = { event: 'pull_request', ref: 'refs/pull/1/merge' } as const;
    expect(missedBy(text, [pull, ...scenarios.map(([, each]) => each)])).toEqual([
      // On another branch, the call for staging was skipped: this repeats its condition.
      "roster: to-production: `if` without `github.ref == 'refs/heads/main'`",
    ]);
  });

  test('an environment without a promotion does not wait for another', () => {
    const all = ['staging', 'production', 'test'];
    const { jobs } = readWorkflow(textOf('roster', all, ['staging', 'production']));
    expect(jobs['each']).toMatchObject({ strategy: { matrix: { environment: ['test'] } } });
    expect(jobs['each']?.needs).toBeUndefined();
    const alone = readWorkflow(textOf('roster', all, [])).jobs;
    expect(Object.keys(alone)).toEqual(['validate', 'each']);
  });
});

describe('the jobs for an environment', () => {
  const text = textOf('roster-environment', ['staging', 'production']);
  const task = (name: string) => ({ inputs: { environment: 'staging', task: name } });
  const due = { plan: { digest: 'planned', has_changes: 'true' } };
  const scenarios: readonly (readonly [string, Scenario, readonly string[]])[] = [
    ['an apply', { ...task('apply'), outputs: due }, ['plan', 'apply', 'drift']],
    [
      'an apply without changes',
      { ...task('apply'), outputs: { plan: { has_changes: 'false' } } },
      ['plan', 'drift'],
    ],
    [
      'an apply that was not reviewed',
      { ...task('apply'), outputs: due, failing: ['plan'] },
      ['plan', 'drift'],
    ],
    [
      'an apply that fails',
      { ...task('apply'), outputs: due, failing: ['apply'] },
      ['plan', 'apply', 'drift'],
    ],
    ['a check for drift', task('drift'), ['drift']],
    ['an acceptance of drift', task('pull'), ['pull']],
  ];

  test.each(scenarios)('%s runs these', (_, scenario, expected) => {
    expect(Object.keys(flow(readWorkflow(text), scenario))).toEqual(expected);
  });

  test('a job gets the key of its own environment only', () => {
    for (const [, scenario] of scenarios)
      for (const [name, values] of Object.entries(flow(readWorkflow(text), scenario))) {
        const own = name === 'apply' ? 'staging' : 'roster-plan_staging';
        const keys = values.join().match(/(key|url) of [\w-]+/g) ?? [];
        expect(new Set(keys), name).toEqual(new Set([`key of ${own}`, `url of ${own}`]));
      }
  });

  test('the apply gets the digest of the plan, and what follows its result', () => {
    const { apply, drift } = flow(readWorkflow(text), { ...task('apply'), outputs: due });
    expect(apply?.join()).toContain('planned');
    expect(drift?.join()).toContain('success');
  });

  test('each condition, dependency, environment and output decides something', () => {
    expect(
      missedBy(
        text,
        scenarios.map(([, each]) => each),
      ),
    ).toEqual([]);
  });
});
