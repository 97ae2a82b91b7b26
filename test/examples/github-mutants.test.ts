import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ciFiles } from '../../src/init/ci-files.js';
import { digestIn } from '../support/forge/author.js';
import { mutantsOf } from '../support/forge/github-mutants.js';
import { Replay } from '../support/forge/github-replay.js';
import { GithubTeam, shops, the } from '../support/forge/github-team.js';
import { roster } from '../support/program.js';
import { git } from '../support/repository.js';
import { isLong } from '../support/size.js';

/**
 * Each step, condition, dependency and permission of the workflows is needed: without it, something that a team sees
 * differs. What does not differ here is listed with the reason.
 */

const unnoticed: Readonly<Record<string, string>> = {
  'roster-environment: drift: actions/upload-artifact: without `if`':
    'without a snapshot, the step before it has failed, and so has the job',
};

/** What a team does. */
class Walk {
  constructor(readonly team: GithubTeam) {}

  async pull(branch: string, declared: string, base = 'main'): Promise<number> {
    const { author, github } = this.team;
    author.propose(branch, declared);
    const number = github.openPull(branch, { base });
    await github.pullRequest(number);
    return number;
  }

  /** Without the workflows. */
  async release(): Promise<void> {
    const { author, sandbox } = this.team;
    author.propose('release', shops('globex'));
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

const night: Stage = ({ team }) => team.github.schedule();
const invalid: Stage = (walk) => walk.pull('invalid', 'groups:\n  shops: { membres: [acme-shop] }\n');
const refused: Stage = (walk) => walk.pull('unknown', 'groups:\n  shops: { members: [nobody] }\n');
const elsewhere: Stage = (walk) => {
  walk.team.github.remote.git('branch', '--force', 'other', 'main');
  return walk.pull('elsewhere', shops('acme-shop'), 'other');
};
const applied: Stage = async (walk) => {
  const { github } = walk.team;
  github.merge(await walk.pull('more', shops('acme-shop, globex')));
  await github.push();
};
/** A push without a review, and the same by hand with its digest. */
const unreviewed: Stage = async ({ team: { author, github } }) => {
  author.propose('direct', shops('globex'));
  git(author.folder, 'push', '--quiet', 'origin', 'HEAD:main');
  const digest = digestIn(the('apply/plan', await github.push()).summary) ?? '';
  await github.dispatch('roster', { task: 'apply', digest });
};
const unchanged: Stage = async ({ team: { author, github } }) => {
  author.branch('main');
  appendFileSync(join(author.folder, 'README'), 'more\n');
  author.publish('readme');
  await github.push();
};
/** While somebody approves, there is another commit. */
const overtaken: Stage = async (walk) => {
  const { author, github } = walk.team;
  github.merge(await walk.pull('slow', shops('acme-shop')));
  github.options.approve = (environment) => {
    if (environment !== 'production') return;
    author.branch('main');
    appendFileSync(join(author.folder, 'README'), 'more\n');
    author.publish('meanwhile');
  };
  await github.push();
};
const queue: Stage = async (walk) => {
  await walk.team.github.queue(await walk.pull('queued', shops('acme-shop, initech')));
};
const unrecorded: Stage = async (walk) => {
  const { options } = walk.team.github;
  options.refusedUploads = 'roster-review-';
  await walk.pull('unrecorded', shops('acme-shop, initech'));
  delete options.refusedUploads;
};
const elsewhereStarted: Stage = async ({ team: { github } }) => {
  github.remote.git('branch', '--force', 'topic', 'main');
  const on = (inputs: Readonly<Record<string, string>>) =>
    github.dispatch('roster', inputs, 'refs/heads/topic');
  await on({ task: 'apply', digest: 'none' });
  await on({ task: 'pull' });
};
const drifted: Stage = async (walk) => {
  const { github } = walk.team;
  await walk.release();
  await github.dispatch('roster', { task: 'pull' });
  walk.describe('by hand');
  await github.dispatch('roster', { task: 'pull' });
  walk.describe('');
  await github.schedule();
};

const stages = [
  night,
  invalid,
  refused,
  elsewhere,
  applied,
  unreviewed,
  unchanged,
  overtaken,
  queue,
  unrecorded,
  elsewhereStarted,
  drifted,
];

const facts = {
  install: { from: 'file', path: 'vendor/rosterctl.tgz', version: '1.2.3', integrity: 'sha512-' },
  planWith: 'snapshot',
  verify: 'status',
  project: null,
  environments: [],
  promote: [],
  branch: 'main',
  folder: '.',
  url: null,
} as const;
const all = ['roster', 'roster-plan', 'roster-environment'].flatMap((of) => {
  const file = ciFiles('github', facts).find(({ path }) => path.endsWith(`/${of}.yml`));
  return mutantsOf(of, file?.text ?? '');
});

test('each reason is about a line that exists', () => {
  const names = all.map(({ name }) => name);
  expect(Object.keys(unnoticed).filter((each) => !names.includes(each))).toEqual([]);
});

test.runIf(isLong)(
  'a team notices each step, condition, dependency, permission and output that is left out or inverted',
  async () => {
    const team = await GithubTeam.start(['--verify']);
    const replay = new Replay(team.github, [team.sandbox.world.groups], all);
    try {
      team.github.options.watcher = replay;
      for (const stage of stages) await stage(new Walk(team));
    } finally {
      await team.remove();
    }
    expect([...replay.unnoticed].map(({ name }) => name).sort()).toEqual(Object.keys(unnoticed).sort());
  },
);
