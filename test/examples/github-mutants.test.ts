import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { describe, expect, test } from 'vitest';
import { ciFiles } from '../../src/init/ci-files.js';
import { digestIn } from '../support/forge/author.js';
import type { JobRun } from '../support/forge/github.js';
import { type Mutant, mutantsOf, mutate } from '../support/forge/github-mutants.js';
import { GithubTeam, shops, the } from '../support/forge/github-team.js';
import { roster } from '../support/program.js';
import { git } from '../support/repository.js';
import { isLong } from '../support/size.js';

/**
 * Each step, condition, dependency and permission of the workflows is needed: without it, something that a team sees
 * differs. What does not differ here is listed with the reason.
 */

const hasNode = 'the simulated runner has Node already';
const unnoticed: Readonly<Record<string, string>> = {
  'drift: drift: without the step "actions/setup-node"': hasNode,
  'drift: pull: without the step "actions/setup-node"': hasNode,
  'drift: pull: Open or update the pull request: without `if`':
    'without changed files, the script proposes nothing',
};

/** What a team sees: jobs, comments, checks, artifacts, issues, pull requests and what the service has. */
class Walk {
  private sent = 0;
  constructor(readonly team: GithubTeam) {}

  seen(runs: readonly JobRun[]): unknown {
    const { github, sandbox } = this.team;
    const { checks, comments, artifacts, issues, pulls } = github.api;
    const sent = sandbox.requests.length - this.sent;
    this.sent = sandbox.requests.length;
    return {
      runs: runs.map(({ workflow, job, result, failed }) => [workflow, job, result, failed]),
      checks: checks.map(({ name, conclusion }) => [name, conclusion]),
      comments: comments.map(({ issue, body }) => [issue, body.split('\n')[1], digestIn(body)]),
      artifacts: artifacts.map(({ name }) => name.replace(/[0-9a-f]{40}/, '')),
      issues: issues.map(({ title, state }) => [title, state]),
      pulls: pulls.map(({ branch, title, body }) => [branch, title, body?.split('\n')[0]]),
      groups: [...sandbox.world.groups.values()].map(({ name, description }) => [name, description]),
      sent,
    };
  }

  async pull(branch: string, declared: string, base = 'main'): Promise<[number, unknown]> {
    const { author, github } = this.team;
    author.propose(branch, declared);
    const number = github.openPull(branch, { base });
    return [number, this.seen(await github.pullRequest(number))];
  }

  /** Without the workflows. */
  async release(): Promise<void> {
    const { author, sandbox } = this.team;
    author.propose('release', shops('acme-shop'));
    git(author.folder, 'push', '--quiet', 'origin', 'HEAD:main');
    const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
    const { exit, stderr } = await roster(['apply', '--yes'], { cwd: author.project, env });
    if (exit !== 0) throw new Error(stderr);
  }

  describe(text: string): void {
    for (const group of this.team.sandbox.world.groups.values()) group.description = text;
  }
}

type Stage = (walk: Walk) => Promise<unknown>;

const night: Stage = async (walk) => walk.seen(await walk.team.github.schedule());
const invalid: Stage = async (walk) =>
  (await walk.pull('invalid', 'groups:\n  shops: { membres: [acme-shop] }\n'))[1];
const refused: Stage = async (walk) =>
  (await walk.pull('unknown', 'groups:\n  shops: { members: [nobody] }\n'))[1];
const elsewhere: Stage = async (walk) => {
  walk.team.github.remote.git('branch', '--force', 'other', 'main');
  return (await walk.pull('elsewhere', shops('acme-shop'), 'other'))[1];
};
const shown: Stage = async (walk) => (await walk.pull('shown', shops('acme-shop')))[1];
const applied: Stage = async (walk) => {
  const { github } = walk.team;
  const [number] = await walk.pull('more', shops('acme-shop, globex'));
  github.merge(number);
  return walk.seen(await github.push());
};
/** A push without a review, and the same by hand with its digest. */
const unreviewed: Stage = async (walk) => {
  const { author, github } = walk.team;
  author.propose('direct', shops('globex'));
  git(author.folder, 'push', '--quiet', 'origin', 'HEAD:main');
  const pushed = await github.push();
  const first = walk.seen(pushed);
  const digest = digestIn(the('apply/plan', pushed).summary) ?? '';
  return [first, walk.seen(await github.dispatch('roster apply', { digest }))];
};
const unchanged: Stage = async (walk) => {
  const { author, github } = walk.team;
  author.branch('main');
  appendFileSync(join(author.folder, 'README'), 'more\n');
  author.publish('readme');
  return walk.seen(await github.push());
};
/** While somebody approves, there is another commit. */
const overtaken: Stage = async (walk) => {
  const { author, github } = walk.team;
  const [number] = await walk.pull('slow', shops('acme-shop'));
  github.merge(number);
  github.options.approve = (environment) => {
    if (environment !== 'production') return;
    author.branch('main');
    appendFileSync(join(author.folder, 'README'), 'more\n');
    author.publish('meanwhile');
  };
  return walk.seen(await github.push());
};
const elsewhereStarted: Stage = async (walk) => {
  const { github } = walk.team;
  github.remote.git('branch', '--force', 'topic', 'main');
  const on = async (name: string, inputs: Readonly<Record<string, string>>) =>
    walk.seen(await github.dispatch(name, inputs, 'refs/heads/topic'));
  return [await on('roster apply', { digest: 'none' }), await on('roster drift', { pull: 'true' })];
};
const drifted: Stage = async (walk) => {
  const { github } = walk.team;
  await walk.release();
  const calm = walk.seen(await github.dispatch('roster drift', { pull: 'true' }));
  walk.describe('by hand');
  const found = walk.seen(await github.schedule());
  const pulled = walk.seen(await github.dispatch('roster drift', { pull: 'true' }));
  walk.describe('');
  return [calm, found, pulled, walk.seen(await github.schedule())];
};

const stages: Readonly<Record<string, readonly Stage[]>> = {
  validate: [night, invalid, shown],
  plan: [night, shown, refused, invalid, elsewhere],
  apply: [night, applied, unreviewed, unchanged, overtaken, elsewhereStarted],
  drift: [night, drifted, elsewhereStarted],
};

async function walked(
  of: string,
  see: (at: number, seen: unknown) => boolean,
  mutant?: Mutant,
): Promise<void> {
  const team = await GithubTeam.start();
  try {
    if (mutant !== undefined) {
      mutate(team.author.folder, mutant);
      team.author.publish('mutant');
    }
    const walk = new Walk(team);
    for (const [at, stage] of (stages[of] ?? []).entries()) if (!see(at, await stage(walk))) return;
  } finally {
    await team.remove();
  }
}

async function reference(of: string): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  await walked(of, (_, seen) => all.push(seen) > 0);
  return all;
}

/** A stage that cannot even go on is noticed, too. */
async function isNoticed(mutant: Mutant, expected: readonly unknown[]): Promise<boolean> {
  let same = true;
  try {
    await walked(
      mutant.of,
      (at, seen) => {
        same = JSON.stringify(seen) === JSON.stringify(expected[at]);
        return same;
      },
      mutant,
    );
  } catch {
    same = false;
  }
  return !same;
}

const facts = {
  install: { from: 'file', path: 'vendor/rosterctl.tgz', integrity: 'sha512-' },
  planWith: 'snapshot',
  project: null,
  environments: [],
  promote: [],
  branch: 'main',
  folder: '.',
  url: null,
  remoteHost: null,
} as const;
const all = Object.keys(stages).flatMap((of) => {
  const file = ciFiles('github', facts).find(({ path }) => path.endsWith(`roster-${of}.yml`));
  return mutantsOf(of, file?.text ?? '');
});

test('each reason is about a line that exists', () => {
  const names = all.map(({ name }) => name);
  expect(Object.keys(unnoticed).filter((each) => !names.includes(each))).toEqual([]);
});

/** Each of the others takes longer: `ROSTER_MUTANTS=plan npx vitest run --mode long test/examples/github-mutants.test.ts`. */
const asked = process.env['ROSTER_MUTANTS']?.split(',') ?? ['drift'];

describe.runIf(isLong).each(asked)('roster-%s.yml', (of) => {
  test('is seen to have changed if a step, a condition, a dependency or a permission is left out or inverted', async () => {
    const expected = await reference(of);
    const limit = pLimit(2);
    const missed = await Promise.all(
      all
        .filter((mutant) => mutant.of === of)
        .map((mutant) => limit(async () => ((await isNoticed(mutant, expected)) ? [] : [mutant.name]))),
    );
    expect(missed.flat()).toEqual(Object.keys(unnoticed).filter((name) => name.startsWith(`${of}: `)));
  });
});
