import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Roster } from '../../src/ci/host.js';
import { runJob, type Task } from '../../src/ci/job.js';
import { planMarkdown } from '../../src/view/markdown/plan-markdown.js';
import {
  type Artifact,
  GithubApi,
  type Pull,
  REPOSITORY,
  type RecordedJob,
  type RecordedRun,
} from '../support/forge/github-api.js';
import { git, Remote } from '../support/repository.js';
import { sampleOf } from '../support/size.js';
import { emptyPlan } from '../unit/view/samples.js';

/**
 * Which pull requests are planned, and whether a plan was reviewed, whatever others write on GitHub. Each test starts git
 * several times, so `npm test` has only some rows of the tables.
 */

const subject = { project: 'pricing', environment: null, file: 'roster.yaml' };
const digest = `sha256:${'d'.repeat(64)}`;

let remote: Remote;
let checkout: string;
/** Commits: of main before, of the pull request, of its merge, squashed, and of its merge with something else in it. */
let commits: Readonly<Record<'before' | 'head' | 'merged' | 'squashed' | 'more', string>>;
let api: GithubApi;
/** A pull request that was merged as the last commit of main, after its plan was shown. */
let pull: Pull;
let record: Artifact;
let run: RecordedRun;
/** A copy of the refs of the remote, as they are before each test. */
let savedRefs: string;

beforeAll(() => {
  remote = new Remote();
  checkout = remote.clone();
  // So a push is a new value of a ref: much faster, because git starts one process for it instead of eight.
  mkdirSync(join(remote.path, 'objects', 'info'), { recursive: true });
  writeFileSync(join(remote.path, 'objects', 'info', 'alternates'), `${join(checkout, '.git', 'objects')}\n`);
  const head = commit('change', () => appendFileSync(join(checkout, 'README'), 'declared: more\n'));
  push(head, 'refs/pull/1/head');
  commits = {
    before: git(checkout, 'rev-parse', 'origin/main'),
    head,
    squashed: commit('squashed', () => git(checkout, 'merge', '--quiet', '--squash', head)),
    more: commit('more', () => {
      git(checkout, 'merge', '--quiet', '--no-ff', '--no-commit', head);
      appendFileSync(join(checkout, 'README'), 'more than was reviewed\n');
    }),
    merged: commit('merged', () => git(checkout, 'merge', '--quiet', '--no-ff', '--no-commit', head)),
  };
  savedRefs = mkdtempSync(join(remote.root, 'refs-'));
  cpSync(join(remote.path, 'refs'), savedRefs, { recursive: true });
});
afterAll(() => remote.remove());

beforeEach(async () => {
  api = new GithubApi();
  await api.listen();
  api.permissions = { actions: 'read', contents: 'read', 'pull-requests': 'read' };
  run = recordedRun({});
  record = recordOf(run, commits.head);
  const names = { number: 1, branch: 'change', base: 'main', fork: false, head: commits.head };
  pull = { ...names, merged_at: api.now(), merge_commit_sha: commits.merged };
  api.pulls.push(pull);
  publish(commits.merged);
});
afterEach(() => {
  api.close();
  if (checkedOut() !== commits.merged) git(checkout, 'checkout', '--quiet', '--detach', commits.merged);
  rmSync(join(remote.path, 'refs'), { recursive: true });
  cpSync(savedRefs, join(remote.path, 'refs'), { recursive: true });
});

/** On a branch from main, which stays checked out. */
function commit(branch: string, change: () => unknown): string {
  git(checkout, 'checkout', '--quiet', '-B', branch, 'origin/main');
  change();
  git(checkout, 'commit', '--quiet', '--all', '-m', branch);
  return git(checkout, 'rev-parse', 'HEAD');
}

/** As `git update-ref` does, without a process. */
function writeRef(repository: string, ref: string, commit: string): void {
  const file = join(repository, ref);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${commit}\n`);
}

function push(commit: string, ref: string): void {
  writeRef(remote.path, ref, commit);
}

/** As `git rev-parse HEAD` says in the checkout. */
function checkedOut(): string {
  const head = readFileSync(join(checkout, '.git', 'HEAD'), 'utf8').trim();
  const [, ref] = /^ref: (.*)/.exec(head) ?? [];
  return ref === undefined ? head : readFileSync(join(checkout, '.git', ref), 'utf8').trim();
}

/** As the last commit of main. */
function publish(commit: string): void {
  push(commit, 'refs/heads/main');
  writeRef(join(checkout, '.git'), 'refs/remotes/origin/main', commit);
}

/** Instead of by a merge. */
function mergedAs(commit: string): void {
  git(checkout, 'checkout', '--quiet', '--detach', commit);
  pull.merge_commit_sha = commit;
  publish(commit);
}

function recordedRun(other: Partial<RecordedRun>): RecordedRun {
  const made = {
    id: api.next(),
    path: '.github/workflows/roster-plan.yml',
    event: 'workflow_run',
    head_branch: 'main',
    head_sha: commits.before,
    head_repository: { full_name: REPOSITORY },
    ...other,
  };
  api.runs.push(made);
  return made;
}

/** The artifact by which the plan workflow records which plan a pull request showed for this commit. */
function recordOf({ id }: RecordedRun, head: string, shown: object = {}, number = 1): Artifact {
  const made = { project: 'pricing', environment: null, pull: number, head, job: 'show', attempt: 1 };
  const record = { ...made, digest, exit: 0, isWhole: true, ...shown };
  const folder = folderOf({ 'record.json': JSON.stringify(record) });
  const uploaded = artifact(`roster-review-pricing-${number}-${head}`, id, api.now(), folder);
  showIn(id);
  return uploaded;
}

/** The job of an attempt that showed what it had recorded. */
function showIn(
  run: number,
  step: Partial<RecordedJob['steps'][number]> = {},
  job: Partial<RecordedJob> = {},
): void {
  const done = { conclusion: 'success', completed_at: api.now() };
  const steps = [
    { name: 'Run roster ci record', ...done },
    { name: 'roster ci show', ...done, ...step },
  ];
  api.jobs.push({ run, attempt: 1, name: 'show', steps, ...job });
}

function artifact(name: string, run: number, created_at = api.now(), folder = ''): Artifact {
  const made = { id: api.next(), name, workflow_run: { id: run }, expired: false, created_at, folder };
  api.artifacts.push(made);
  return made;
}

/** A folder whose files are an artifact. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(remote.root, 'artifact-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

interface Ended {
  /** What it has printed for people. */
  readonly out: string;
  readonly log: string;
  readonly exit: number;
  /** What it has passed to the next step. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The commands of roster that it has run. */
  readonly ran: readonly (readonly [string, ...unknown[]])[];
}

/** Does a task in the checkout, for an event, as a job of this workflow. Roster itself only notes what it is asked for. */
async function runTask(
  task: Task,
  event: object,
  {
    env = {},
    plan = {},
    workflow = 'roster',
    temp = mkdtempSync(join(remote.root, 'temp-')),
  }: { env?: Record<string, string>; plan?: object; workflow?: string; temp?: string } = {},
): Promise<Ended> {
  const [file, output] = [join(temp, 'event.json'), join(temp, 'output')];
  writeFileSync(file, JSON.stringify({ ...event, repository: { default_branch: 'main' } }));
  writeFileSync(output, '');
  const ran: (readonly [string, ...unknown[]])[] = [];
  const noted =
    (name: string) =>
    (...words: unknown[]) => {
      ran.push([name, ...words]);
      return Promise.resolve(0);
    };
  const roster: Roster = {
    plan: (place, run) => {
      if (run.json !== undefined)
        writeFileSync(run.json, JSON.stringify({ project: 'pricing', environment: null, ...plan }));
      if (run.markdown !== undefined) writeFileSync(run.markdown, '<!-- roster:pricing: -->\nplan\n');
      return noted('plan')(place, run);
    },
    apply: noted('apply'),
    snapshot: noted('snapshot'),
    drift: noted('drift'),
    dataCheck: noted('dataCheck'),
    start: noted('start'),
    status: noted('status'),
    pull: () => Promise.reject(new Error('not here')),
  };
  let [out, log] = ['', ''];
  const exit = await runJob(
    {
      env: {
        PATH: process.env['PATH'],
        GITHUB_ACTIONS: 'true',
        GITHUB_TOKEN: api.token,
        GITHUB_API_URL: api.url,
        GITHUB_EVENT_NAME: 'push',
        GITHUB_EVENT_PATH: file,
        GITHUB_OUTPUT: output,
        GITHUB_JOB: 'show',
        GITHUB_REF: 'refs/heads/main',
        GITHUB_REPOSITORY: REPOSITORY,
        GITHUB_RUN_ID: String(run.id),
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_SHA: checkedOut(),
        GITHUB_TRIGGERING_ACTOR: 'olivia',
        GITHUB_WORKFLOW_REF: `${REPOSITORY}/.github/workflows/${workflow}.yml@refs/heads/main`,
        GITHUB_WORKSPACE: checkout,
        ...env,
      },
      ...{ temp, subject, roster, sleep: async () => {} },
      log: (text) => {
        log += text;
      },
      out: (text) => {
        out += text;
      },
    },
    task,
  );
  const lines = readFileSync(output, 'utf8').split('\n').filter(Boolean);
  return {
    out,
    log,
    exit,
    ran,
    outputs: Object.fromEntries(lines.map((line) => line.split('=') as [string, string])),
  };
}

/** Whether the plan with this digest may be applied. */
async function isReviewed({ asked = '', planned = digest, changes = 1 } = {}): Promise<boolean> {
  const [name, inputs] = asked === '' ? ['push', null] : ['workflow_dispatch', { digest: asked }];
  const { out, exit } = await runTask(
    { do: 'review' },
    { before: commits.before, inputs },
    {
      env: { GITHUB_EVENT_NAME: name },
      plan: { digest: planned, summary: { create: changes, unchanged: 3 } },
    },
  );
  expect(out.startsWith('::error ')).toBe(exit !== 0);
  return exit === 0;
}

/** What the workflow that plans and shows is for: the validation of the pull request, unless something else is given. */
function validated(other: object = {}) {
  const head_repository = { full_name: REPOSITORY, owner: { login: 'acme' } };
  const own = { event: 'pull_request', head_sha: commits.head, head_branch: 'change', head_repository };
  return { workflow_run: { ...own, ...other } };
}

interface Planned extends Ended {
  readonly snapshot: string | null;
  readonly folder: string | null;
  /** What the job that shows is handed. */
  readonly passed: { readonly digest: string | null; readonly exit: number } | null;
  readonly page: string;
  readonly summary: string;
}

/** What was planned of the pull request. */
async function planned(plan: object = {}, event: object = validated()): Promise<Planned> {
  const summary = join(mkdtempSync(join(remote.root, 'temp-')), 'summary');
  writeFileSync(summary, '');
  const ended = await runTask({ do: 'plan', live: false }, event, {
    env: { GITHUB_SHA: commits.before, GITHUB_STEP_SUMMARY: summary },
    plan: { digest, ...plan },
    workflow: 'roster-plan',
  });
  const artifact = ended.outputs['folder'] ?? '';
  const [, place, how] = ended.ran[0] ?? [];
  const { snapshot = null } = (how ?? {}) as { snapshot?: string };
  const { cwd = null } = (place ?? {}) as { cwd?: string };
  return {
    ...ended,
    snapshot: snapshot && readFileSync(snapshot, 'utf8'),
    folder: cwd,
    passed: artifact === '' ? null : JSON.parse(readFileSync(join(artifact, 'plan.json'), 'utf8')),
    page: artifact === '' ? '' : readFileSync(join(artifact, 'plan.md'), 'utf8'),
    summary: readFileSync(summary, 'utf8'),
  };
}

describe('a pull request is planned', () => {
  const snapshotOf = (id: number, created_at: string) =>
    artifact('roster-snapshot-pricing', id, created_at, folderOf({ 'roster.snapshot.json': `of run ${id}` }));
  const nightlyRun = () => recordedRun({ path: '.github/workflows/roster.yml', event: 'schedule' });

  beforeEach(() => {
    pull.merged_at = null;
    push(commits.merged, 'refs/pull/1/merge');
    api.isAncestor = (commit, of) => commit === of;
  });

  test('if it is open, has this commit and goes into the default branch', async () => {
    snapshotOf(nightlyRun().id, '2026-10-01T00:00:00Z');
    const { outputs, folder } = await planned();
    expect(outputs['artifact']).toBe('roster-plan-pricing');
    expect(git(folder ?? '', 'rev-parse', 'HEAD')).toBe(commits.merged);
    pull.head = commits.squashed;
    expect((await planned()).ran).toEqual([]);
    api.pulls.splice(0, 1, { ...pull, head: commits.head, base: 'dev' });
    expect((await planned()).ran).toEqual([]);
  });

  test('unless another commit was pushed between the check and the checkout', async () => {
    snapshotOf(nightlyRun().id, '2026-10-01T00:00:00Z');
    push(commits.squashed, 'refs/pull/1/merge');
    const { exit, out, ran } = await planned();
    expect([exit, out, ran]).toEqual([1, expect.stringContaining('has a newer commit'), []]);
  });

  /** Refuses to plan, and tells the job that shows. */
  async function isNotPlanned(because: string, plan = {}): Promise<void> {
    snapshotOf(nightlyRun().id, '2026-10-01T00:00:00Z');
    const { exit, out, passed, page } = await planned(plan);
    expect([exit, out]).toEqual([1, expect.stringContaining(because)]);
    expect(passed).toEqual({ head: commits.head, digest: null, exit: 1, facts: null });
    expect(page).toMatch(/^<!-- roster:pricing: -->\n\*\*No plan\.\*\* /);
  }

  test('unless it was given another base between the check and the checkout', async () => {
    // The author's own branch, with a commit that is not on main.
    const parents = ['-p', commits.squashed, '-p', commits.head];
    const merged = git(checkout, 'commit-tree', `${commits.merged}^{tree}`, ...parents, '-m', 'merged');
    push(merged, 'refs/pull/1/merge');
    await isNotPlanned('is not a commit of main: the base of the pull request was changed');
  });

  test.each(sampleOf(['refs/heads/a/refs/pull/1/merge', 'refs/heads/refs/pull/1/merge'], 1))(
    'unless there is no test merge of it, also if there is %s',
    async (name) => {
      remote.git('update-ref', '-d', 'refs/pull/1/merge');
      push(commits.merged, name);
      await isNotPlanned('no test merge');
    },
  );

  test.each(sampleOf([{ project: 'billing' }, { environment: 'production' }], 1))(
    'unless its files are of another project or environment: %j',
    (plan) => isNotPlanned('but this job is for pricing', plan),
  );

  test('and has errors, whatever project its files name', async () => {
    snapshotOf(nightlyRun().id, '2026-10-01T00:00:00Z');
    const { exit, passed } = await planned({ digest: null, project: 'billing' });
    expect([exit, passed]).toEqual([0, { head: commits.head, digest: null, exit: 0, facts: null }]);
  });

  test('without the token of the job, and with nothing that it could write', async () => {
    snapshotOf(nightlyRun().id, '2026-10-01T00:00:00Z');
    const [, place] = (await planned()).ran[0] ?? [];
    const { env } = place as { env: Record<string, string> };
    expect(Object.values(env)).not.toContain(api.token);
    expect(env['GITHUB_OUTPUT']).toBeUndefined();
  });

  test('against the newest snapshot of the default branch, whatever other branches upload', async () => {
    const path = '.github/workflows/roster.yml';
    const nightly = nightlyRun();
    snapshotOf(nightly.id, '2026-10-01T00:00:00Z');
    const later = [
      { path, event: 'push', head_branch: 'change' },
      { path, event: 'workflow_dispatch', head_branch: 'change' },
      { path, event: 'pull_request' },
      { path, event: 'schedule', head_repository: { full_name: 'mallory/x' } },
      { path: '.github/workflows/other.yml', event: 'schedule' },
      { path: '.github/workflows/roster-plan.yml', event: 'workflow_run' },
    ];
    for (const other of later) snapshotOf(recordedRun(other).id, '2026-10-02T00:00:00Z');
    expect((await planned()).snapshot).toBe(`of run ${nightly.id}`);
  });

  test.each(sampleOf(['workflow_dispatch', 'push'], 1))(
    'against a snapshot of a %s, unless a tag with the name of the default branch ran it',
    async (event) => {
      const manual = { path: '.github/workflows/roster.yml', event };
      const wanted = recordedRun({ ...manual, head_sha: commits.before });
      snapshotOf(wanted.id, '2026-10-01T00:00:00Z');
      snapshotOf(recordedRun({ ...manual, head_sha: commits.head }).id, '2026-10-02T00:00:00Z');
      expect((await planned()).snapshot).toBe(`of run ${wanted.id}`);
    },
  );

  test('against a snapshot on a later page of artifacts', async () => {
    const other = recordedRun({ path: '.github/workflows/other.yml' });
    for (let n = 0; n < 120; n += 1) snapshotOf(other.id, '2026-09-01T00:00:00Z');
    const nightly = nightlyRun();
    snapshotOf(nightly.id, '2026-10-01T00:00:00Z');
    expect((await planned()).snapshot).toBe(`of run ${nightly.id}`);
  });

  test('unless there is no snapshot: then the log says how to get one', async () => {
    const { exit, out } = await planned();
    expect([exit, out]).toEqual([1, expect.stringContaining('Run the workflow "roster"')]);
  });

  test('unless its fork was deleted', async () => {
    const workflow_run = { head_sha: commits.head, head_branch: 'change', head_repository: null };
    const { exit, log } = await runTask({ do: 'plan', live: false }, { workflow_run });
    expect([exit, log]).toEqual([0, expect.stringContaining('nothing to plan')]);
  });
});

describe('a plan is reviewed if', () => {
  test('its pull request showed it before it was merged', async () => {
    expect(await isReviewed()).toBe(true);
  });

  test('the pull request was squashed', async () => {
    mergedAs(commits.squashed);
    expect(await isReviewed()).toBe(true);
  });

  test('its digest was given by hand, and no other digest', async () => {
    api.artifacts.splice(0);
    expect(await isReviewed({ asked: digest })).toBe(true);
    expect(await isReviewed({ asked: `sha256:${'e'.repeat(64)}` })).toBe(false);
  });

  test('it changes nothing', async () => {
    api.artifacts.splice(0);
    expect(await isReviewed({ changes: 0 })).toBe(true);
  });
});

describe('a plan is not reviewed because', () => {
  test('a comment says so, whoever wrote or edited it', async () => {
    api.artifacts.splice(0);
    const body = `<!-- roster:pricing: -->\n**Plan: 1 to create**. Digest \`${digest}\``;
    const updated_at = '2026-10-01T00:00:00Z';
    api.comments.push({ id: 1, issue: 1, user: { login: 'github-actions[bot]' }, body, updated_at });
    expect(await isReviewed()).toBe(false);
  });

  test('a check says so, which any workflow can write', async () => {
    api.artifacts.splice(0);
    api.checks.push({ name: 'roster plan', head_sha: pull.head, output: { title: digest } });
    expect(await isReviewed()).toBe(false);
  });

  const otherRuns: readonly [string, Partial<RecordedRun>][] = [
    ['a push to a branch', { event: 'push', head_branch: 'change' }],
    [
      'a branch with the name of the default branch, in a fork',
      { head_repository: { full_name: 'mallory/x' } },
    ],
    ['a pull request', { event: 'pull_request', head_branch: 'change' }],
    ['a manual run', { event: 'workflow_dispatch' }],
    ['another workflow', { path: '.github/workflows/roster.yml' }],
    ['a workflow with a similar name', { path: '.github/workflows/roster-plan.yml.yml' }],
  ];
  test.each(sampleOf(otherRuns, 2))('an artifact of %s has the name of the record', async (_, other) => {
    api.artifacts.splice(0);
    const forged = recordOf(recordedRun(other), pull.head);
    forged.created_at = '2026-10-31T00:00:00Z';
    expect(await isReviewed()).toBe(false);
  });

  test('it was shown for another commit of the pull request', async () => {
    api.artifacts.splice(0);
    recordOf(run, commits.before).created_at = '2026-10-31T00:00:00Z';
    expect(await isReviewed()).toBe(false);
  });

  test('another pull request with the same commit showed it', async () => {
    api.artifacts.splice(0);
    recordOf(run, commits.head, {}, 2).created_at = '2026-10-31T00:00:00Z';
    expect(await isReviewed()).toBe(false);
  });

  test('another plan of the same commit was shown', async () => {
    expect(await isReviewed({ planned: `sha256:${'e'.repeat(64)}` })).toBe(false);
  });

  const shownLater: readonly [string, object][] = [
    ['another one', { digest: `sha256:${'0'.repeat(64)}` }],
    ['one with errors', { digest: null, exit: 1 }],
    ['one that apply would refuse', { exit: 4 }],
    ['one that was too long for a comment', { isWhole: false }],
  ];
  test.each(sampleOf(shownLater, 1))(
    'of the same pull request and commit, %s was shown after it',
    async (_, shown) => {
      record.created_at = '2026-10-30T00:00:00Z';
      const newer = recordOf(recordedRun({}), commits.head, shown);
      newer.created_at = '2026-10-31T00:00:00Z';
      expect(await isReviewed()).toBe(false);
      newer.created_at = record.created_at;
      expect(await isReviewed()).toBe(false);
      recordOf(recordedRun({}), commits.head).created_at = '2026-10-31T00:00:01Z';
      pull.merged_at = api.now();
      expect(await isReviewed()).toBe(true);
    },
  );

  const steps: readonly [string, ((run: number) => void) | null][] = [
    ['no step', null],
    ['a cancelled step', (id) => showIn(id, { conclusion: 'cancelled' })],
    ['a skipped step', (id) => showIn(id, { conclusion: 'skipped' })],
    ['a step that goes on', (id) => showIn(id, { conclusion: '' })],
    ['a failed step', (id) => showIn(id, { conclusion: 'failure' })],
    ['a step of another attempt', (id) => showIn(id, {}, { attempt: 2 })],
    ['a step for another environment', (id) => showIn(id, {}, { name: 'show (staging)' })],
    ['a step of another job', (id) => showIn(id, {}, { name: 'plan' })],
    [
      'a step that ended in the second of the merge',
      (id) => showIn(id, { completed_at: pull.merged_at ?? '' }),
    ],
  ];
  test.each(sampleOf(steps, 2))('it was recorded to be shown, and %s of the run shows it', async (_, end) => {
    api.jobs.splice(0);
    end?.(run.id);
    expect(await isReviewed()).toBe(false);
  });

  test('another one, which was shown, is not the newest that was recorded', async () => {
    record.created_at = '2026-10-30T00:00:00Z';
    const other = recordedRun({});
    recordOf(other, commits.head, { digest: `sha256:${'0'.repeat(64)}` }).created_at = '2026-10-31T00:00:00Z';
    api.jobs.splice(api.jobs.findIndex((each) => each.run === other.id));
    expect(await isReviewed()).toBe(false);
  });

  test('another one was shown in the second of the merge', async () => {
    recordOf(recordedRun({}), commits.head, { digest: null }).created_at = pull.merged_at ?? '';
    expect(await isReviewed()).toBe(false);
  });

  test('it was shown in the second of the merge, or later', async () => {
    record.created_at = pull.merged_at ?? '';
    expect(await isReviewed()).toBe(false);
    record.created_at = api.now();
    expect(await isReviewed()).toBe(false);
  });

  test('a pull request into another branch showed it', async () => {
    api.pulls.splice(0, 1, { ...pull, base: 'dev' });
    expect(await isReviewed()).toBe(false);
  });

  test('a push that contains more than the pull request counts as its merge', async () => {
    mergedAs(commits.more);
    expect(await isReviewed()).toBe(false);
    const event = { before: commits.before };
    const { out } = await runTask({ do: 'review' }, event, { plan: { digest, summary: { create: 1 } } });
    expect(out).toContain(
      'contains more than pull request #1, and changes that were not reviewed together are not',
    );
  });

  test('a newer commit was pushed, even if its digest is given by hand', async () => {
    publish(commits.more);
    expect(await isReviewed()).toBe(false);
    expect(await isReviewed({ asked: digest })).toBe(false);
    const { exit, out, ran } = await runTask({ do: 'apply', digest, verify: null }, {});
    expect([exit, out, ran]).toEqual([
      1,
      expect.stringMatching(/^::error title=Skipped%2C because a newer commit was pushed/),
      [],
    ]);
  });

  test.each([
    [null, ['apply']],
    ['status', ['apply', 'status']],
    ['start', ['apply', 'start', 'status']],
  ] as const)('after it was applied, it is verified by %s', async (verify, commands) => {
    const { exit, ran } = await runTask({ do: 'apply', digest, verify }, {});
    expect([exit, ran.map(([name]) => name)]).toEqual([0, commands]);
    const started = ran.find(([name]) => name === 'start');
    expect(started?.[2]).toBe(verify === 'start' ? commits.merged : undefined);
  });

  const named = ['refs/heads/a/refs/heads/main', 'refs/heads/0/refs/heads/main', 'refs/tags/refs/heads/main'];
  test.each(sampleOf(named, 1))('a newer commit was pushed, although %s has this one', async (name) => {
    publish(commits.more);
    push(commits.merged, name);
    expect(await isReviewed()).toBe(false);
    const { exit, ran } = await runTask({ do: 'apply', digest, verify: null }, {});
    expect([exit, ran]).toEqual([1, []]);
  });

  test('one of several pull requests that were merged as this commit did not show it', async () => {
    push(commits.head, 'refs/pull/2/head');
    const twin = { ...pull, number: 2, branch: 'twin' };
    for (const pulls of [
      [pull, twin],
      [twin, pull],
    ]) {
      api.pulls.splice(0, 2, ...pulls);
      expect(await isReviewed()).toBe(false);
    }
    recordOf(run, commits.head, {}, 2).created_at = '2026-10-31T00:00:00Z';
    for (const { steps } of api.jobs) steps[1] = { ...steps[0], name: 'roster ci show' } as (typeof steps)[0];
    for (const each of api.pulls) each.merged_at = api.now();
    expect(await isReviewed()).toBe(true);
  });

  test('it is closed and not merged', async () => {
    pull.merged_at = null;
    expect(await isReviewed()).toBe(false);
  });
});

describe('a plan that is shown', () => {
  const PLAN = '<!-- roster:p: -->\nplan\n';
  const comments = () => api.comments.map(({ body }) => body);

  beforeEach(() => {
    api.artifacts.splice(0);
    api.permissions = { actions: 'read', checks: 'write', 'pull-requests': 'write' };
    pull.merged_at = null;
  });

  interface Shown {
    readonly head?: string;
    readonly exit?: number;
    readonly event?: object;
    /** The result of the step that uploads the record. */
    readonly upload?: string;
    /** The plan is that of an earlier attempt of the run. */
    readonly earlier?: boolean;
    /** What the job that plans says of it. */
    readonly facts?: object;
  }

  /** What is recorded and shown of the plan that an earlier job of this run has passed on, or that has failed. */
  async function shown(plan: string | null, more: Shown = {}): Promise<Ended & { readonly last: Ended }> {
    const { head = commits.head, exit = 0, event = validated(), upload = 'success', earlier = false } = more;
    const { facts = { verdict: '2 to update · 1 risk', refusals: [], changes: ['a0', 'b0'] } } = more;
    const files = { 'plan.md': plan ?? '', 'plan.json': JSON.stringify({ head, digest, exit, facts }) };
    const passed = plan === null ? null : artifact('roster-plan-pricing', run.id, api.now(), folderOf(files));
    const how = { workflow: 'roster-plan', temp: mkdtempSync(join(remote.root, 'temp-')) };
    const artifacts = passed === null || earlier ? '' : `7 ${passed.id}`;
    const recorded = await runTask({ do: 'record', artifacts }, event, how);
    // What is shown comes after the record. Until then, a required check blocks the merge.
    for (const { status, head_sha } of api.checks) expect([status, head_sha]).toEqual(['in_progress', head]);
    expect(comments().join()).not.toContain('exactly this plan');
    return { ...recorded, last: await runTask({ do: 'show', recorded: upload }, event, how) };
  }

  const recordIn = ({ outputs }: Ended): object =>
    JSON.parse(readFileSync(join(outputs['folder'] ?? '', 'record.json'), 'utf8'));

  test('is recorded, then in the check and the comment', async () => {
    const ended = await shown(PLAN);
    expect(ended.outputs['record']).toBe(record.name);
    expect(recordIn(ended)).toMatchObject({ pull: 1, head: commits.head, digest, exit: 0, isWhole: true });
    expect(readFileSync(join(ended.outputs['folder'] ?? '', 'plan.md'), 'utf8')).toContain('plan');
    expect(comments()).toEqual([expect.stringContaining('After the merge, a job applies exactly this plan')]);
    expect(api.checks).toMatchObject([{ conclusion: 'success', output: { title: '2 to update · 1 risk' } }]);
  });

  describe('for a second commit', () => {
    const first = 'f'.repeat(40);
    /** What the workflow has recorded for the first commit, and what the comment says. */
    const comment = `old\n<!-- roster: shown ${first} -->\n`;
    const showedBefore = (changes: readonly string[] | null, body = comment, made = recordedRun({})) => {
      const facts = { verdict: '1 to update', refusals: [], changes };
      recordOf(made, first, { facts });
      const old = { id: api.next(), issue: 1, user: { login: 'github-actions[bot]' }, updated_at: '' };
      api.comments.push({ ...old, body: `<!-- roster:pricing: -->\n${body}` });
    };

    test.each<[string, readonly string[] | null, RegExp | null]>([
      ['two changes that it did not have', [], /^Since fffffff: 2 added\.$/m],
      ['one more and one less', ['a0', 'c0'], /^Since fffffff: 1 added, 1 gone, 1 the same\.$/m],
      ['the same changes', ['a0', 'b0'], /^Since fffffff: 2 the same\.$/m],
      ['too many changes', null, null],
    ])('says what is new since %s', async (_, changes, says) => {
      showedBefore(changes);
      await shown(PLAN);
      const [shownNow = ''] = comments();
      if (says === null) expect(shownNow).not.toContain('Since');
      else expect(shownNow).toMatch(says);
      expect(shownNow).toMatch(new RegExp(`<!-- roster: shown ${commits.head} ${first} -->\n$`));
    });

    test('says the same when the job runs again', async () => {
      showedBefore(['a0']);
      await shown(PLAN);
      api.checks.length = 0;
      await shown(PLAN);
      expect(comments()[0]).toContain('Since fffffff: 1 added, 1 the same.');
    });

    test('believes no record but that of the workflow of the default branch, whatever a comment says', async () => {
      showedBefore(['a0', 'b0'], comment, recordedRun({ event: 'pull_request', head_branch: 'change' }));
      await shown(PLAN);
      expect(comments()[0]).not.toContain('Since');
      expect(comments()[0]).toContain('exactly this plan');
    });

    test.each([
      ['that notes nothing', 'old\n'],
      ['that notes something else', `old\n<!-- roster: shown ${first}/../x -->\n`],
      ['that notes a commit in its middle', `<!-- roster: shown ${first} -->\nrest\n`],
    ])('says nothing of a comment %s', async (_, body) => {
      showedBefore(['a0'], body);
      await shown(PLAN);
      expect(comments()[0]).not.toContain('Since');
    });
  });

  test('is in the comment of the project of the job, whatever project its page names', async () => {
    const other = { id: api.next(), issue: 1, user: { login: 'github-actions[bot]' }, updated_at: '' };
    api.comments.push({ ...other, body: '<!-- roster:billing: -->\nbilling\n' });
    await shown('<!-- roster:billing: -->\nplan\n');
    expect(comments()).toEqual([
      '<!-- roster:billing: -->\nbilling\n',
      expect.stringMatching(/^<!-- roster:pricing: -->\nplan\n/),
    ]);
  });

  test('takes the place of an earlier one, whose comment promises nothing from then on', async () => {
    const promised =
      '<!-- roster:pricing: -->\nold\n\n<!-- roster: what becomes of it -->\n> exactly this plan';
    const old = { id: api.next(), issue: 1, user: { login: 'github-actions[bot]' }, updated_at: '' };
    api.comments.push({ ...old, body: `${promised}\n<!-- roster: end -->\nrest\n` });
    await shown(PLAN);
    expect(comments()).toEqual([
      expect.stringMatching(/^<!-- roster:pricing: -->\nplan\n[\s\S]*exactly this plan/),
    ]);
  });

  test('is not promised if it could not be recorded', async () => {
    await shown(PLAN, { upload: 'failure' });
    expect(comments()).toEqual([
      expect.stringMatching(
        /does not count as reviewed.*an earlier plan that was shown .*may still be applied/,
      ),
    ]);
    expect(api.checks).toMatchObject([{ conclusion: 'failure' }]);
    expect(comments().join()).not.toContain('Merging applies nothing');
  });

  test('is recorded although the comment of an earlier one cannot be changed', async () => {
    const old = { id: api.next(), issue: 1, user: { login: 'github-actions[bot]' }, updated_at: '' };
    api.comments.push({ ...old, body: '<!-- roster:pricing: -->\nold\n' });
    api.permissions = { actions: 'read', checks: 'write', 'pull-requests': 'read' };
    const how = { workflow: 'roster-plan' };
    const ended = await runTask({ do: 'record', artifacts: '' }, validated(), how);
    expect([ended.exit, ended.outputs['record']]).toEqual([0, record.name]);
    expect(ended.log).toContain('The comment was not updated: ');
    expect(api.checks).toMatchObject([{ status: 'in_progress', head_sha: commits.head }]);
  });

  test('is not promised if its check cannot be written, and the job fails', async () => {
    api.permissions = { actions: 'read', 'pull-requests': 'write' };
    await expect(shown(PLAN)).rejects.toThrow('403');
    expect(comments()).toEqual([expect.stringContaining('The check of this plan could not be written')]);
    expect(comments().join()).not.toContain('exactly this plan');
  });

  test('is recorded as one that does not count if apply would refuse it, and merging applies nothing', async () => {
    const facts = {
      verdict: '9 to delete · 9 risks',
      refusals: ['too-many-deletes', 'protected'],
      changes: [],
    };
    expect(recordIn(await shown(PLAN, { exit: 4, facts }))).toMatchObject({ exit: 4 });
    expect(comments()).toEqual([
      expect.stringContaining(
        '**Merging applies nothing:** roster refuses to apply this plan: `too-many-deletes`, `protected`. The reasons are below.',
      ),
    ]);
    expect(api.checks).toMatchObject([
      { conclusion: 'failure', output: { title: '9 to delete · 9 risks · refused' } },
    ]);
  });

  test.each([
    ['', null, {}],
    [', and an earlier attempt has not', PLAN, { earlier: true }],
  ])('is recorded as one that does not count if the job that plans has failed%s', async (_, plan, more) => {
    const ended = await shown(plan, more);
    expect(ended.outputs['record']).toBe(record.name);
    expect(recordIn(ended)).toMatchObject({ digest: null, exit: 1 });
    expect(comments()).toEqual([expect.stringMatching(/^<!-- roster:pricing: -->\n\*\*No plan\.\*\*/)]);
  });

  test('is recorded as one that does not count if it is too long to show in full', async () => {
    const findings = Array.from({ length: 900 }, (_, n) => ({
      severity: 'warning' as const,
      code: 'not-in-snapshot' as const,
      message: `warning ${n}`,
    }));
    const text = planMarkdown({ ...emptyPlan, findings });
    expect(text).toContain('Too long to show in full');
    expect(recordIn(await shown(text))).toMatchObject({ isWhole: false });
    expect(comments()).toEqual([expect.stringContaining('does not count as reviewed')]);
  });

  test('is not shown for another commit than that of the run', async () => {
    const { outputs, log, last } = await shown(PLAN, { head: commits.squashed });
    expect([outputs, log, last.log, api.comments]).toEqual([
      {},
      expect.stringContaining('no longer the newest commit'),
      'There is no plan to show.\n',
      [],
    ]);
  });

  test('is shown of a merge queue in a check alone', async () => {
    const event = validated({
      event: 'merge_group',
      head_branch: `gh-readonly-queue/main/pr-1-${commits.before}`,
    });
    const { outputs } = await shown(PLAN, { event, upload: 'skipped' });
    expect(outputs['record']).toBeUndefined();
    expect([comments(), api.checks]).toMatchObject([[], [{ conclusion: 'success', head_sha: commits.head }]]);
  });

  test('needs workflow files that record it first', async () => {
    await expect(
      runTask({ do: 'show', recorded: undefined }, validated(), { workflow: 'roster-plan' }),
    ).rejects.toThrow('another version of roster');
  });
});

describe('a merge queue', () => {
  /** Two pull requests, the second one on top of the first one. */
  let second: string;
  const queue = (base: string, number: number, on: string) => `gh-readonly-queue/${base}/pr-${number}-${on}`;

  beforeEach(() => {
    artifact(
      'roster-snapshot-pricing',
      recordedRun({ path: '.github/workflows/roster.yml', event: 'schedule' }).id,
      api.now(),
      folderOf({ 'roster.snapshot.json': 'snapshot' }),
    );
    publish(commits.before);
    second = commit('second', () => {
      git(checkout, 'reset', '--quiet', '--hard', commits.merged);
      appendFileSync(join(checkout, 'README'), 'second\n');
    });
    const branches: (readonly [at: string, name: string])[] = [
      [commits.merged, queue('main', 1, commits.before)],
      [second, queue('main', 2, commits.merged)],
      [second, queue('main', 2, commits.merged).replace('gh-', 'a/gh-')],
      [commits.merged, queue('other', 7, commits.before)],
    ];
    for (const [at, name] of branches) push(at, `refs/heads/${name}`);
  });

  const plannedOf = (head_branch: string, head_sha: string) =>
    planned({}, validated({ event: 'merge_group', head_branch, head_sha }));

  test('is planned as a whole, and the summary says which pull requests it holds', async () => {
    const { summary, folder, passed } = await plannedOf(queue('main', 2, commits.merged), second);
    expect(summary).toContain(
      'for #1 and #2 (2 commits), merged into `main` together. It does not count as reviewed',
    );
    expect(git(folder ?? '', 'rev-parse', 'HEAD')).toBe(second);
    expect(passed).toMatchObject({ head: second, digest, exit: 0 });
    const first = await plannedOf(queue('main', 1, commits.before), commits.merged);
    expect(first.summary).toContain('for #1 (1 commit),');
  });

  test('is not planned if it is one of another branch, or has another commit by now', async () => {
    expect((await plannedOf(queue('other', 7, commits.before), commits.merged)).ran).toEqual([]);
    expect(await plannedOf(queue('main', 2, commits.merged), commits.merged)).toMatchObject({
      exit: 1,
      ran: [],
    });
  });
});

describe('the comment', () => {
  const body = '<!-- roster:pricing: -->\n**Plan: 1 to create**\n\nrest\n';
  const comment = () => api.comments[0]?.body ?? '';

  beforeEach(() => {
    const made = { id: api.next(), issue: 1, user: { login: 'github-actions[bot]' }, body, updated_at: '' };
    api.comments.push(made);
    api.permissions = { actions: 'read', contents: 'read', issues: 'write', 'pull-requests': 'write' };
  });

  test('says what becomes of the plan, one after the other', async () => {
    expect(await isReviewed()).toBe(true);
    expect(comment()).toMatch(
      /to create\*\*\n\n.*\n> Merged\. \*\*Waiting\*\* .*actions\/runs\/\d+\n.*\n\nrest\n$/,
    );
    await runTask({ do: 'drift', applied: 'success' }, {}).catch(() => undefined);
    expect(comment()).toMatch(/to create\*\*\n\n.*\n> \*\*Applied\*\* .*\n.*\n\nrest\n$/);
    expect(comment()).not.toContain('Waiting');
  });

  test('says who merged or started it, and who approved it, and mentions nobody', async () => {
    api.approvals.push(
      ...['peter', 'build[bot]`@all', 'peter'].map((login) => ({ state: 'approved', user: { login } })),
      { state: 'rejected', user: { login: 'mallory' } },
    );
    await runTask({ do: 'drift', applied: 'success' }, {}).catch(() => undefined);
    expect(comment()).toContain(
      '> **Applied** by `olivia`, approved by `peter` and `build[bot]all` after the merge: ',
    );
    api.permissions = { contents: 'read', issues: 'write', 'pull-requests': 'write' };
    await runTask({ do: 'drift', applied: 'failure' }, {}).catch(() => undefined);
    expect(comment()).toContain(
      '> **Apply failed** (started by `olivia`), and some changes may not have been made: ',
    );
  });

  test('says that nothing was applied, and why', async () => {
    api.artifacts.splice(0);
    expect(await isReviewed()).toBe(false);
    expect(comment()).toContain('**Not applied:** not the reviewed plan');
  });

  test('of somebody else with the same first line is left alone', async () => {
    api.comments[0] = { ...(api.comments[0] as (typeof api.comments)[0]), user: { login: 'mallory' } };
    expect(await isReviewed()).toBe(true);
    expect(comment()).toBe(body);
  });

  test.each([403, 502])(
    'that cannot be found (%i) does not keep the snapshot from being saved',
    async (status) => {
      api.broken.set(`commits/${commits.merged}/pulls`, status);
      const { ran, outputs, log } = await runTask({ do: 'drift', applied: 'success' }, {});
      expect([ran[0]?.[0], outputs['artifact']]).toEqual(['snapshot', 'roster-snapshot-pricing']);
      expect(log).toContain('The comment was not updated: ');
      expect(comment()).toBe(body);
    },
  );

  test('that cannot be written does not keep a reviewed plan from being applied', async () => {
    api.permissions = { actions: 'read', contents: 'read', 'pull-requests': 'read' };
    expect(await isReviewed()).toBe(true);
    expect(comment()).toBe(body);
  });
});
