import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ciFiles } from '../../src/init/ci-files.js';
import { filledIn } from '../support/forge/expression.js';
import { Github, isDue, type Job, type JobRun, skipped, type Workflow } from '../support/forge/github.js';
import { valuesOf } from '../support/forge/github-job.js';
import { mutantsOf, mutated } from '../support/forge/github-mutants.js';

/**
 * Which jobs run when `staging` is applied before `production`: evaluated for every result that a job can have, without
 * running one. Each condition and dependency of the jobs decides something.
 */

const facts = {
  install: { from: 'file', path: 'vendor/rosterctl.tgz', integrity: 'sha512-' },
  planWith: 'snapshot',
  verify: false,
  project: null,
  branch: 'main',
  folder: '.',
  url: null,
  remoteHost: null,
} as const;

function applyWorkflow(environments: readonly string[]): string {
  const files = ciFiles('github', { ...facts, environments, promote: environments });
  return files.find(({ path }) => path.endsWith('roster-apply.yml'))?.text ?? '';
}

const text = applyWorkflow(['staging', 'production']);
const workflow = parse(text) as Workflow;

const github = new Github({}, {});
afterAll(() => github.remove());
github.options.environments = Object.fromEntries(
  ['roster-plan_staging', 'staging', 'roster-plan_production', 'production'].map((name) => [
    name,
    { secrets: { ROSTER_API_KEY: `key of ${name}` }, vars: { ROSTER_URL: `url of ${name}` } },
  ]),
);

interface Scenario {
  readonly event?: 'push' | 'workflow_dispatch';
  readonly environment?: string;
  readonly ref?: string;
  /** Jobs that fail. */
  readonly failing?: readonly string[];
  /** Environments whose plan has no changes. */
  readonly unchanged?: readonly string[];
}

type Flow = Readonly<Record<string, readonly string[]>>;

/** The jobs that run, with the values that their steps get. */
function flow(of: Workflow, scenario: Scenario): Flow {
  const { event = 'push', ref = 'refs/heads/main', environment, failing = [], unchanged = [] } = scenario;
  const inputs = environment === undefined ? {} : { environment, digest: 'given' };
  const earlier: JobRun[] = [];
  const shown: Record<string, readonly string[]> = {};
  for (const [name, job] of Object.entries(of.jobs)) {
    const happening = { name: event, ref, event: {}, inputs };
    const moment = { name, workflow: of, happening, matrix: {}, id: 1, commit: '', earlier };
    const contexts = { ...github.contextsOf(job, moment), runner: { temp: '/tmp' } };
    if (!isDue(job, contexts, { workflow: of, earlier })) {
      earlier.push({ ...skipped, workflow: of.name, job: name });
      continue;
    }
    const hasChanges = !unchanged.some((each) => name.endsWith(each));
    const steps = stepsOf(job, { digest: `digest of ${name}`, has_changes: String(hasChanges) });
    const outputs = Object.fromEntries(
      Object.entries(job.outputs ?? {}).map(([key, value]) => [key, filledIn(value, { ...contexts, steps })]),
    );
    const result = failing.includes(name) ? 'failure' : 'success';
    earlier.push({ ...skipped, workflow: of.name, job: name, result, outputs });
    shown[name] = job.steps.map((step) => valuesOf(step, { ...contexts, steps }));
  }
  return shown;
}

function stepsOf({ steps }: Job, outputs: Readonly<Record<string, string>>): Record<string, object> {
  const named = steps.flatMap(({ id }) => (id === undefined ? [] : [id]));
  return Object.fromEntries(named.map((id) => [id, { outputs, outcome: 'success' }]));
}

const ofStaging = ['plan-staging', 'apply-staging', 'snapshot-staging'];
const ofProduction = ['plan-production', 'apply-production'];
const byHand = { event: 'workflow_dispatch' } as const;

const scenarios: readonly (readonly [string, Scenario, readonly string[]])[] = [
  ['a push', {}, [...ofStaging, ...ofProduction]],
  [
    'a push that changes nothing',
    { unchanged: ['staging', 'production'] },
    ['plan-staging', 'plan-production'],
  ],
  ['a push that changes only production', { unchanged: ['staging'] }, ['plan-staging', ...ofProduction]],
  ['a push that changes only staging', { unchanged: ['production'] }, [...ofStaging, 'plan-production']],
  ['a push whose plan of staging was not reviewed', { failing: ['plan-staging'] }, ['plan-staging']],
  [
    'a push whose plan of staging was not reviewed, without changes',
    { failing: ['plan-staging'], unchanged: ['staging'] },
    ['plan-staging'],
  ],
  [
    'a push that cannot be applied to staging',
    { failing: ['apply-staging'] },
    ['plan-staging', 'apply-staging'],
  ],
  ['a push without a new snapshot', { failing: ['snapshot-staging'] }, [...ofStaging, ...ofProduction]],
  [
    'a push whose plan of production was not reviewed',
    { failing: ['plan-production'] },
    [...ofStaging, 'plan-production'],
  ],
  ['a manual run for staging', { ...byHand, environment: 'staging' }, ofStaging],
  [
    'a manual run for production',
    { ...byHand, environment: 'production', unchanged: ['staging'] },
    ['plan-staging', ...ofProduction],
  ],
  ['a manual run for something else', { ...byHand, environment: 'other' }, []],
  ['a manual run on a branch', { ...byHand, environment: 'production', ref: 'refs/heads/topic' }, []],
];

test.each(scenarios)('%s runs the jobs of its environments in order', (_, scenario, expected) => {
  expect(Object.keys(flow(workflow, scenario))).toEqual(expected);
});

test('a job gets the key of its own environment only', () => {
  for (const [name, values] of Object.entries(flow(workflow, {}))) {
    const own = name.replace('apply-', '').replace(/^(plan|snapshot)-/, 'roster-plan_');
    const keys = values.join().match(/(key|url) of [\w-]+/g) ?? [];
    expect(new Set(keys), name).toEqual(new Set([`key of ${own}`, `url of ${own}`]));
  }
});

/** Without these parts, nothing here differs. */
const unnoticed: Readonly<Record<string, string>> = {
  'apply: snapshot-staging: without `if`': 'needed after an environment that was skipped, see below',
  'apply: snapshot-staging: `if` without `!cancelled()`': 'the same',
  "apply: plan-production: `if` without `github.ref == 'refs/heads/main'`":
    'on another branch, plan-staging was skipped: this repeats its condition',
};

const decisive = mutantsOf('apply', text, { parts: true }).filter(
  ({ step, name }) => step === undefined && !name.includes('the permission'),
);

test('each condition, dependency, environment and output of a job decides something', () => {
  const all = (of: Workflow) => JSON.stringify(scenarios.map(([, scenario]) => flow(of, scenario)));
  const expected = all(workflow);
  const missed = decisive.filter((mutant) => {
    try {
      return all(mutated(workflow, mutant)) === expected;
    } catch {
      // An expression names something that does not exist.
      return false;
    }
  });
  expect(missed.map(({ name }) => name)).toEqual(Object.keys(unnoticed));
});

test('the snapshot of the second of three environments is saved although the first had nothing to apply', () => {
  const three = parse(applyWorkflow(['first', 'staging', 'production'])) as Workflow;
  const [snapshot] = Object.keys(flow(three, { unchanged: ['first'] })).filter((each) =>
    /^snapshot/.test(each),
  );
  expect(snapshot).toBe('snapshot-staging');
  delete (three.jobs['snapshot-staging'] as { if?: string }).if;
  expect(Object.keys(flow(three, { unchanged: ['first'] }))).not.toContain('snapshot-staging');
});
