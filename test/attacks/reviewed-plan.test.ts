import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { planMarkdown } from '../../src/view/markdown/plan-markdown.js';
import {
  type Artifact,
  GithubApi,
  type Pull,
  REPOSITORY,
  type RecordedRun,
} from '../support/forge/github-api.js';
import { git, Remote } from '../support/repository.js';
import { emptyPlan } from '../unit/view/samples.js';

/** Which pull requests are planned, and whether a plan was reviewed, whatever others write on GitHub. */

const tool = fileURLToPath(new URL('../../examples/team/.github/roster.mjs', import.meta.url));
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

beforeAll(() => {
  remote = new Remote();
  checkout = remote.clone();
  const head = commit('change', () => appendFileSync(join(checkout, 'README'), 'declared: more\n'));
  git(checkout, 'push', '--quiet', 'origin', 'HEAD:refs/pull/1/head');
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
  git(checkout, 'checkout', '--quiet', '--detach', commits.merged);
});

/** On a branch from main, which stays checked out. */
function commit(branch: string, change: () => unknown): string {
  git(checkout, 'checkout', '--quiet', '-B', branch, 'origin/main');
  change();
  git(checkout, 'commit', '--quiet', '--all', '-m', branch);
  return git(checkout, 'rev-parse', 'HEAD');
}

/** As the last commit of main. */
function publish(commit: string): void {
  git(checkout, 'push', '--quiet', '--force', 'origin', `${commit}:refs/heads/main`);
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

/** The artifact by which the plan workflow records that it showed a plan of this commit. */
function recordOf({ id }: RecordedRun, head: string, of = digest): Artifact {
  const name = `roster-review-${head}-${of.replace('sha256:', '')}`;
  const made = { name, workflow_run: { id }, expired: false, created_at: api.now(), folder: '' };
  api.artifacts.push(made);
  return made;
}

/** Runs a command of the tool in the checkout, for an event. Returns its exit code and what it printed. */
async function runTool(
  command: string,
  event: object,
  env: Readonly<Record<string, string>>,
  ...words: string[]
) {
  const file = join(remote.root, 'event.json');
  writeFileSync(file, JSON.stringify({ ...event, repository: { default_branch: 'main' } }));
  const child = spawn(process.execPath, [tool, command, ...words], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      GH_TOKEN: api.token,
      GITHUB_API_URL: api.url,
      GITHUB_EVENT_PATH: file,
      GITHUB_REF: 'refs/heads/main',
      GITHUB_REPOSITORY: REPOSITORY,
      GITHUB_WORKSPACE: checkout,
      ...env,
    },
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, errors, exit] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect(errors).toBe('');
  return { out, exit };
}

/** Whether the plan with this digest may be applied. */
async function isReviewed(env: Readonly<Record<string, string>> = {}): Promise<boolean> {
  const { out, exit } = await runTool(
    'reviewed',
    { before: commits.before },
    {
      GITHUB_SHA: git(checkout, 'rev-parse', 'HEAD'),
      PLANNED: digest,
      HAS_CHANGES: 'true',
      ASKED: '',
      ...env,
    },
  );
  expect(out.startsWith('::error ')).toBe(exit !== 0);
  return exit === 0;
}

/** What the tool outputs for the plan of the pull request. */
async function found(): Promise<string> {
  const head_repository = { full_name: REPOSITORY, owner: { login: 'acme' } };
  const workflow_run = { head_sha: commits.head, head_branch: 'change', head_repository };
  const output = join(remote.root, 'output');
  writeFileSync(output, '');
  expect(
    (await runTool('find', { workflow_run }, { GITHUB_OUTPUT: output, GITHUB_SHA: commits.before })).exit,
  ).toBe(0);
  return readFileSync(output, 'utf8');
}

describe('a pull request is planned', () => {
  const snapshotOf = (id: number, created_at: string) =>
    api.artifacts.push({
      name: 'roster-snapshot',
      workflow_run: { id },
      expired: false,
      created_at,
      folder: '',
    });

  test('if it is open, has this commit and goes into the default branch', async () => {
    pull.merged_at = null;
    expect(await found()).toBe('number=1\n');
    pull.head = commits.squashed;
    expect(await found()).toBe('');
    api.pulls.splice(0, 1, { ...pull, head: commits.head, base: 'dev' });
    expect(await found()).toBe('');
  });

  test('against the newest snapshot of the default branch, whatever other branches upload', async () => {
    pull.merged_at = null;
    const path = '.github/workflows/roster-drift.yml';
    const nightly = recordedRun({ path, event: 'schedule' });
    snapshotOf(nightly.id, '2026-10-01T00:00:00Z');
    const later = [
      { path, event: 'push', head_branch: 'change' },
      { path, event: 'workflow_dispatch', head_branch: 'change' },
      { path, event: 'workflow_run', head_repository: { full_name: 'mallory/x' } },
      { path: '.github/workflows/other.yml', event: 'schedule' },
    ];
    for (const other of later) snapshotOf(recordedRun(other).id, '2026-10-02T00:00:00Z');
    expect(await found()).toBe(`number=1\nsnapshot=${nightly.id}\n`);
  });

  test.each([
    ['a manual run', { path: '.github/workflows/roster-drift.yml', event: 'workflow_dispatch' }],
    ['an apply', { path: '.github/workflows/roster-apply.yml', event: 'push' }],
  ])(
    'against a snapshot of %s, unless a tag with the name of the default branch ran it',
    async (_, manual) => {
      pull.merged_at = null;
      const wanted = recordedRun({ ...manual, head_sha: commits.before });
      snapshotOf(wanted.id, '2026-10-01T00:00:00Z');
      snapshotOf(recordedRun({ ...manual, head_sha: commits.head }).id, '2026-10-02T00:00:00Z');
      api.isAncestor = (commit, of) => commit === of;
      expect(await found()).toBe(`number=1\nsnapshot=${wanted.id}\n`);
    },
  );

  test('against a snapshot on a later page of artifacts', async () => {
    pull.merged_at = null;
    const path = '.github/workflows/roster-drift.yml';
    const other = recordedRun({ path: '.github/workflows/other.yml' });
    for (let n = 0; n < 120; n += 1) snapshotOf(other.id, '2026-09-01T00:00:00Z');
    const nightly = recordedRun({ path, event: 'schedule' });
    snapshotOf(nightly.id, '2026-10-01T00:00:00Z');
    expect(await found()).toBe(`number=1\nsnapshot=${nightly.id}\n`);
  });

  test('unless its fork was deleted', async () => {
    const workflow_run = { head_sha: commits.head, head_branch: 'change', head_repository: null };
    const { exit, out } = await runTool('find', { workflow_run }, {});
    expect([exit, out]).toEqual([0, expect.stringContaining('nothing to plan')]);
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
    expect(await isReviewed({ ASKED: digest })).toBe(true);
    expect(await isReviewed({ ASKED: `sha256:${'e'.repeat(64)}` })).toBe(false);
  });

  test('it changes nothing', async () => {
    api.artifacts.splice(0);
    expect(await isReviewed({ HAS_CHANGES: 'false' })).toBe(true);
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

  test.each<[string, Partial<RecordedRun>]>([
    ['a push to a branch', { event: 'push', head_branch: 'change' }],
    [
      'a branch with the name of the default branch, in a fork',
      { head_repository: { full_name: 'mallory/x' } },
    ],
    ['a pull request', { event: 'pull_request', head_branch: 'change' }],
    ['a manual run', { event: 'workflow_dispatch' }],
    ['another workflow', { path: '.github/workflows/roster-validate.yml' }],
    ['a workflow with a similar name', { path: '.github/workflows/roster-plan.yml.yml' }],
  ])('an artifact of %s has the name of the record', async (_, other) => {
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

  test('another plan of the same commit was shown', async () => {
    expect(await isReviewed({ PLANNED: `sha256:${'e'.repeat(64)}` })).toBe(false);
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
  });

  test('a newer commit was pushed, even if its digest is given by hand', async () => {
    publish(commits.more);
    expect(await isReviewed()).toBe(false);
    expect(await isReviewed({ ASKED: digest })).toBe(false);
    const { exit, out } = await runTool('newest', {}, { GITHUB_SHA: commits.merged });
    expect([exit, out]).toEqual([1, expect.stringMatching(/^::error title=Not the newest commit/)]);
  });

  test('it is closed and not merged', async () => {
    pull.merged_at = null;
    expect(await isReviewed()).toBe(false);
  });
});

describe('a plan that is shown', () => {
  /** What the tool outputs. */
  async function recorded(plan: string): Promise<string> {
    api.permissions = { checks: 'write', 'pull-requests': 'write' };
    const [output, file] = [join(remote.root, 'output'), join(remote.root, 'plan.md')];
    writeFileSync(output, '');
    writeFileSync(file, plan);
    const env = { GITHUB_OUTPUT: output, NUMBER: '1', DIGEST: digest, RESULT: 'success' };
    expect((await runTool('show', { workflow_run: { head_sha: commits.head } }, env, file)).exit).toBe(0);
    return readFileSync(output, 'utf8');
  }

  test('is recorded as reviewed', async () => {
    expect(await recorded('<!-- roster:p: -->\nplan\n')).toBe(`record=${record.name}\n`);
  });

  test('is not recorded if it is too long to show in full, and the comment says so', async () => {
    const diagnostics = Array.from({ length: 900 }, (_, n) => ({
      severity: 'warning' as const,
      code: 'not-in-snapshot' as const,
      message: `warning ${n}`,
    }));
    const text = planMarkdown({ ...emptyPlan, diagnostics });
    expect(text).toContain('Too long to show in full');
    expect(await recorded(text)).toBe('');
    expect(api.comments[0]?.body).toContain('does not count as reviewed');
  });
});
