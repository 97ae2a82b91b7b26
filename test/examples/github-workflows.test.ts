import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { type Author, digestIn } from '../support/forge/author.js';
import type { Github } from '../support/forge/github.js';
import {
  applied,
  GithubTeam,
  refused,
  results,
  Saved,
  shops,
  shown,
  the,
} from '../support/forge/github-team.js';
import { expectInertMarkdown } from '../support/inert-markdown.js';
import { git } from '../support/repository.js';
import { isLong } from '../support/size.js';

/** The workflows that `roster init` writes, step by step as GitHub runs them. */

/** Each of these takes seconds. */
const inLongRun = test.runIf(isLong);

let first: GithubTeam;
let withSnapshot: Saved;
let withShops: Saved | null = null;
let team: GithubTeam;
let sandbox: Sandbox;
let github: Github;
let author: Author;

async function goOn(from: Saved): Promise<void> {
  ({ github, author } = await from.next());
  team = new GithubTeam(sandbox, github, author);
}

/** Goes on from where the project declares one group, and is applied. */
async function hasShops(): Promise<void> {
  if (withShops === null) {
    await team.release('shops', shops('acme-shop'));
    withShops = await Saved.of(github, author, [sandbox]);
  }
  github.remove();
  await goOn(withShops);
}

beforeAll(async () => {
  first = await GithubTeam.withSnapshot();
  sandbox = first.sandbox;
  withSnapshot = await Saved.of(first.github, first.author, [sandbox]);
});
beforeEach(() => goOn(withSnapshot));
afterEach(() => github.remove());
afterAll(async () => {
  withSnapshot.remove();
  withShops?.remove();
  await first.remove();
});

/** What the service has, as far as a person would see it. */
const groups = () =>
  [...sandbox.world.groups.values()].map(({ name, description }) => ({ name, description }));

function onlyGroup() {
  const [group] = sandbox.world.groups.values();
  if (group === undefined) throw new Error('there is no group');
  return group;
}

const planIsEmpty = () => author.planIsEmpty({ ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey });

describe('a pull request', () => {
  test('is checked and planned, its comment follows it, and what was reviewed is applied', async () => {
    author.propose('shops', shops('acme-shop'));
    const number = github.openPull('shops');
    const first = await github.pullRequest(number);
    expect(results(first)).toEqual(shown);
    const [comment] = github.comments(number);
    expect(comment?.body).toMatch(/^<!-- roster:[\w-]+: -->\n\*\*Plan: 1 to create/);
    expect(the('plan/plan', first).summary).toContain('Plan: 1 to create');
    expect(comment?.body).toContain('Rehearsed on a copy of the service: 1 call, nothing left to do;');
    const check = { head_sha: github.api.pull(number).head, conclusion: 'success' };
    // The comment also names the commit that it was shown for.
    const summary = comment?.body.replace(/\n<!-- roster: shown [0-9a-f]{40} -->\n$/, '');
    expect(github.api.checks).toMatchObject([{ ...check, output: { title: '1 to create', summary } }]);
    const saved = github.api.artifacts.find(({ name }) => name === 'roster-plan-remote')?.folder ?? '';
    expect(readFileSync(join(saved, 'roster-plan-remote.html'), 'utf8')).toContain('Shops');

    author.propose('shops', shops('acme-shop, globex'));
    const before = comment?.body;
    await github.pullRequest(number);
    const after = github.comments(number);
    expect(after.map(({ id }) => id)).toEqual([comment?.id]);
    expect(digestIn(after[0]?.body)).not.toBe(digestIn(before));

    github.merge(number);
    const pushed = await github.push();
    expect(results(pushed)).toEqual(applied);
    expect(digestIn(the('apply/plan', pushed).summary)).toBe(digestIn(after[0]?.body));
    expect(the('apply', pushed).log).toContain('Apply complete: 1 created');
    expect(groups()).toEqual([{ name: 'Shops', description: '' }]);
    expect(await planIsEmpty()).toBe(true);
  });

  inLongRun('whose plan apply would refuse fails, and shows the plan all the same', async () => {
    await hasShops();
    author.propose('none', 'limits: { deletes: 0 }\ngroups:\n  other: { members: [globex] }\n');
    const number = github.openPull('none');
    const runs = await github.pullRequest(number);
    expect(the('plan/plan', runs)).toMatchObject({
      result: 'failure',
      failed: [expect.stringMatching(/ ci plan /)],
    });
    expect(github.comments(number)[0]?.body).toContain('`too-many-deletes`');
    expect(github.api.checks.at(-1)).toMatchObject({ conclusion: 'failure' });
  });

  inLongRun('whose plan is too long for a comment gets one that says where the page is', async () => {
    const many = Array.from(
      { length: 700 },
      (_, n) => `  ${'g'.repeat(40)}-${n}: { members: [acme-shop] }\n`,
    );
    author.propose('many', `groups:\n${many.join('')}`);
    const number = github.openPull('many');
    await github.pullRequest(number);
    const run = github.api.runs.findLast(({ path }) => path.endsWith('roster-plan.yml'))?.id;
    expect(github.comments(number)[0]?.body).toMatch(
      new RegExp(`Too long to show in full.*https://github.com/acme/collect-config/actions/runs/${run}\\b`),
    );
  });

  test('whose run is cancelled before it shows what it has recorded is not applied', async () => {
    author.propose('shops', shops('acme-shop'));
    const number = github.openPull('shops');
    github.options.isCancelledAfter = (job, { id }) => job === 'show' && id === 'upload';
    await github.pullRequest(number);
    delete github.options.isCancelledAfter;
    expect(github.api.artifacts.map(({ name }) => name)).toContainEqual(
      expect.stringContaining('roster-review-'),
    );
    expect(github.api.checks).toMatchObject([{ status: 'in_progress' }]);
    github.merge(number);
    expect(results(await github.push())).toEqual(refused);
    expect(groups()).toEqual([]);
  });

  inLongRun('with errors that only a plan finds fails, and shows them in the comment', async () => {
    author.propose('unknown', 'groups:\n  shops: { members: [nobody] }\n');
    const number = github.openPull('unknown');
    const runs = await github.pullRequest(number);
    expect(the('plan/plan', runs).result).toBe('failure');
    expect(github.comments(number)[0]?.body).toContain('unknown-agent');
    expect(github.api.checks.at(-1)).toMatchObject({ conclusion: 'failure' });
  });

  inLongRun('with invalid manifests is annotated at the lines, and gets no comment', async () => {
    author.propose('wrong', 'groups:\n  shops: { membres: [acme-shop] }\n');
    const number = github.openPull('wrong');
    const runs = await github.pullRequest(number);
    expect(results(runs)).toEqual({ validate: 'failure', 'plan/plan': 'skipped', show: 'skipped' });
    const line = readFileSync(join(author.folder, 'roster.yaml'), 'utf8')
      .split('\n')
      .findIndex((each) => each.includes('membres'));
    expect(the('validate', runs).log).toContain(`file=roster.yaml,line=${line + 1}`);
    expect(github.comments(number)).toEqual([]);
  });

  inLongRun('of a fork is planned like any other, and its plan is applied', async () => {
    author.propose('fork', shops('acme-shop'));
    const number = github.openPull('fork', { fork: true });
    expect(results(await github.pullRequest(number))).toEqual(shown);
    github.merge(number);
    expect(results(await github.push())).toEqual(applied);
  });

  inLongRun.each(['squash', 'rebase'] as const)('may be merged with a %s', async (how) => {
    author.propose('shops', shops('acme-shop'));
    author.propose('shops', shops('acme-shop, globex'));
    const number = github.openPull('shops');
    await github.pullRequest(number);
    github.merge(number, how);
    expect(results(await github.push())).toEqual(applied);
  });

  inLongRun('is planned without a key: no job of it sends a request', async () => {
    const before = sandbox.requests.length;
    author.propose('shops', shops('acme-shop'));
    expect(results(await github.pullRequest(github.openPull('shops')))).toEqual(shown);
    expect(sandbox.requests.length).toBe(before);
  });

  inLongRun('is judged by the policies of the default branch, whatever it makes of their file', async () => {
    const write = (file: string, text: string) => writeFileSync(join(author.folder, file), text);
    const required =
      'policies: { described: { require: { required: [description] }, message: Say what. } }\n';
    const workflow = '.github/workflows/roster-plan.yml';
    author.branch('main');
    write('company.yaml', required);
    const text = readFileSync(join(author.folder, workflow), 'utf8');
    write(workflow, text.replace(/(id: plan\n.*\n +env:\n)/, '$1          ROSTER_POLICIES: company.yaml\n'));
    author.publish('policies');
    author.branch('weaker');
    write('company.yaml', 'policies: {}\n');
    author.propose('weaker', shops('acme-shop'));
    const number = github.openPull('weaker');
    expect(the('plan/plan', await github.pullRequest(number)).result).toBe('failure');
    expect(github.comments(number)[0]?.body).toMatch(/would refuse this plan.*Say what/s);
  });

  inLongRun('without a snapshot fails, and says how to get one', async () => {
    github.api.artifacts.splice(0);
    author.propose('shops', shops('acme-shop'));
    const runs = await github.pullRequest(github.openPull('shops'));
    expect(the('plan/plan', runs).log).toContain('Run the workflow "roster"');
    expect(results(runs)).toMatchObject({ 'plan/plan': 'failure', show: 'success' });
    expect(github.api.comments.map(({ body }) => body)).toEqual([
      expect.stringMatching(/\n\*\*No plan\.\*\* There is no snapshot of .*\n[\s\S]*Merging applies nothing/),
    ]);
    expect(github.api.checks).toMatchObject([{ conclusion: 'failure' }]);
  });

  inLongRun('that gets another base is planned again', async () => {
    github.remote.git('branch', 'other', 'main');
    author.propose('shops', shops('acme-shop'));
    const number = github.openPull('shops', { base: 'other' });
    expect(results(await github.pullRequest(number))).toMatchObject({ show: 'success' });
    expect(github.api.comments).toEqual([]);
    Object.assign(github.api.pull(number), { base: 'main' });
    expect(results(await github.pullRequest(number, 'edited'))).toEqual(shown);
    expect(github.comments(number)[0]?.body).toContain('Plan: 1 to create');
  });

  inLongRun('whose plan could not be recorded says so, and is not applied', async () => {
    github.options.refusedUploads = 'roster-review-';
    author.propose('shops', shops('acme-shop'));
    const number = github.openPull('shops');
    expect(results(await github.pullRequest(number))).toMatchObject({ show: 'failure' });
    expect(github.comments(number)[0]?.body).toContain('This plan does not count as reviewed');
    github.merge(number);
    await team.isRefused();
  });

  inLongRun(
    'whose newest plan is another one applies nothing, although its first plan is made again',
    async () => {
      await hasShops();
      const number = await team.propose('more', shops('acme-shop, globex'));
      const first = digestIn(github.comments(number)[0]?.body);
      const back = github.remote.git('rev-parse', 'main');
      github.merge(await team.propose('same', shops('acme-shop, globex')));
      await github.push();
      await github.pullRequest(number, 'reopened');
      expect(github.comments(number)[0]?.body).toContain('No changes');
      author.branch('main');
      git(author.folder, 'checkout', '--quiet', back, '--', '.');
      author.publish('back');
      const digest = digestIn(the('apply/plan', await github.push()).summary) ?? '';
      await github.dispatch('roster', { task: 'apply', digest });
      github.merge(number);
      expect(await team.isRefused()).toBe(first);
    },
  );

  inLongRun('finds its comment among those of others', async () => {
    author.propose('shops', shops('acme-shop'));
    const number = github.openPull('shops');
    for (const text of ['one', 'two']) github.say(number, 'somebody', text);
    github.say(number, 'github-actions[bot]', '<!-- roster:other: -->\nof another project');
    await github.pullRequest(number);
    const comment = github.comments(number).at(-1);
    github.say(number, 'mallory', comment?.body ?? '');
    await github.pullRequest(number);
    expect(github.comments(number)[2]?.body).toContain('of another project');
    expect(github.comments(number).map(({ user }) => user.login)).toEqual([
      'somebody',
      'somebody',
      'github-actions[bot]',
      'github-actions[bot]',
      'mallory',
    ]);
  });
});

inLongRun('a merge queue is planned as a whole; what was not reviewed together is not applied', async () => {
  await hasShops();
  const one = await team.propose('one', shops('acme-shop, globex'));
  author.branch('two');
  appendFileSync(join(author.folder, 'README'), 'more\n');
  author.commit('two');
  git(author.folder, 'push', '--quiet', 'origin', 'HEAD:two');
  const two = github.openPull('two');
  await github.pullRequest(two);
  const queued = await github.queue(one, two);
  expect(queued.flatMap(({ summary }) => /for #.* commits?\)/.exec(summary)?.[0] ?? [])).toEqual([
    `for #${one} (1 commit)`,
    `for #${one} and #${two} (2 commits)`,
  ]);
  expect(github.api.checks.slice(-2)).toMatchObject([{ conclusion: 'success' }, { conclusion: 'success' }]);
  github.mergeQueue(one, two);
  const runs = await github.push();
  expect(results(runs)).toEqual(refused);
  expect(the('apply/plan', runs).log).toContain(`contains more than pull request #${two}`);
  const digest = digestIn(the('apply/plan', runs).summary) ?? '';
  expect(results(await github.dispatch('roster', { task: 'apply', digest }))).toEqual(applied);
});

describe('with --plan-with key, a pull request', () => {
  let live: GithubTeam;
  afterEach(() => live.remove());

  inLongRun('is planned against the service, if it is not from a fork', async () => {
    live = await GithubTeam.start(['--plan-with', 'key']);
    await live.propose('shops', shops('acme-shop'));
    expect(live.sandbox.requests.length).toBeGreaterThan(0);
    const ofFork = await live.github.pullRequest(live.github.openPull('shops', { fork: true }));
    expect(results(ofFork)).toEqual({ validate: 'success', 'plan/plan': 'skipped', show: 'skipped' });
  });

  inLongRun('cannot say where the key is sent', async () => {
    live = await GithubTeam.start(['--plan-with', 'key'], { hasUrl: false });
    live.author.propose('url', `service: { url: ${live.sandbox.url} }\n${shops('acme-shop')}`);
    const runs = await live.github.pullRequest(live.github.openPull('url'));
    expect(the('plan/plan', runs)).toMatchObject({
      result: 'failure',
      failed: [expect.stringMatching(/ ci plan /)],
    });
    expect(the('plan/plan', runs).log).toContain('ROSTER_URL: is not set');
    expect(live.sandbox.requests).toEqual([]);
  });
});

describe('a plan that was not reviewed is not applied:', () => {
  inLongRun('a service that was changed since; then by hand, with the new digest', async () => {
    await hasShops();
    const number = await team.propose('more', shops('acme-shop, globex'));
    onlyGroup().description = 'changed by hand';
    github.merge(number);
    const planned = await team.isRefused();

    const wrong = await github.dispatch('roster', { task: 'apply', digest: `sha256:${'0'.repeat(64)}` });
    expect(results(wrong)).toEqual(refused);
    expect(results(await github.dispatch('roster', { task: 'apply', digest: 'yes' }))).toEqual(refused);
    expect(groups()).toEqual([{ name: 'Shops', description: 'changed by hand' }]);

    expect(results(await github.dispatch('roster', { task: 'apply', digest: planned }))).toEqual(applied);
    expect(groups()).toEqual([{ name: 'Shops', description: '' }]);
    expect(await planIsEmpty()).toBe(true);
  });

  inLongRun('a push without a pull request', async () => {
    await hasShops();
    author.propose('direct', shops('acme-shop, globex'));
    git(author.folder, 'push', '--quiet', 'origin', 'HEAD:main');
    await team.isRefused();
  });

  inLongRun('except that a push that changes nothing needs no review', async () => {
    await hasShops();
    author.branch('readme');
    appendFileSync(join(author.folder, 'README'), 'more\n');
    author.commit('readme');
    git(author.folder, 'push', '--quiet', 'origin', 'HEAD:main');
    const runs = await github.push();
    expect(results(runs)).toEqual({ 'apply/plan': 'success', apply: 'skipped', drift: 'success' });
    expect(the('apply/plan', runs).log).toContain('No changes.');
  });
});

inLongRun('drift opens one issue, which follows it and is closed when it is gone', async () => {
  await hasShops();
  const { issues } = github.api;
  expect(results(await github.schedule())).toEqual({ drift: 'success' });
  expect(issues).toEqual([]);

  onlyGroup().description = 'by ``` @acme/owners <!-- -->';
  await github.schedule();
  const [issue] = issues;
  expect(issue).toMatchObject({ title: expect.stringMatching(/^Changed outside roster: /), state: 'open' });
  expect(issue?.body).toContain('by ``` @acme/owners <!-- -->');
  expectInertMarkdown(
    issue?.body?.replace(/\nFound by .*\n$/, '') ?? '',
    'https://github.com/acme/collect-config',
  );
  expect(issue?.body).toMatch(/^\| never run \| `group\/shops` \| drifted \|.*\n\nFound by/m);
  expect(issue?.body).toMatch(/https:\/\/github\.com\/acme\/collect-config\/actions\/runs\/\d+/);

  onlyGroup().isActive = false;
  expect(results(await github.dispatch('roster', { task: 'drift' }))).toEqual({ drift: 'success' });
  expect(issues).toHaveLength(1);
  expect(issue?.body).toContain('active');

  Object.assign(onlyGroup(), { description: '', isActive: true });
  await github.schedule();
  expect(issues.map(({ state }) => state)).toEqual(['closed']);
  expect(github.comments(issue?.number ?? 0)[0]?.body).toMatch(/^Resolved, /);

  onlyGroup().description = 'again';
  await github.schedule();
  expect(issues.map(({ state }) => state)).toEqual(['closed', 'open']);
});

inLongRun(
  'a manual run of drift opens one pull request that accepts the changes, and updates it',
  async () => {
    await team.release(
      'shops',
      `vars: { about: ours }\ngroups:
  shops: { name: Shops, members: [acme-shop] } # a comment
  more: { name: More, description: "\${var.about}", members: [globex] }\n`,
    );
    expect(results(await github.dispatch('roster', { task: 'pull' }))).toMatchObject({
      pull: 'success',
    });
    expect(github.api.pulls).toHaveLength(1);

    for (const each of sandbox.world.groups.values()) each.description = 'by ``` @acme/owners <b>';
    expect(the('pull', await github.dispatch('roster', { task: 'drift' })).result).toBe('skipped');
    expect(results(await github.dispatch('roster', { task: 'pull' }))).toMatchObject({
      pull: 'success',
    });
    const [, pull] = github.api.pulls;
    expect(pull).toMatchObject({
      base: 'main',
      title: expect.stringMatching(/^Accept changes made outside roster: /),
    });
    expect(pull?.branch).toMatch(/^roster-pull\/[\w-]+$/);
    expect(pull?.body).toMatch(
      /could not write all values.*\n\n(```+)text\n[\s\S]*group\/more[\s\S]*\n\1\n\nMade by https/,
    );
    const changed = () => github.remote.git('diff', '--unified=0', `main...${pull?.branch}`);
    expect(changed()).toContain(
      '+  shops: { name: Shops, members: [acme-shop], description: "by ``` @acme/owners <b>" } # a comment',
    );
    expect(changed()).not.toContain('more:');

    for (const each of sandbox.world.groups.values()) each.description = 'again';
    await github.dispatch('roster', { task: 'pull' });
    expect(github.api.pulls).toHaveLength(2);
    expect(changed()).toContain('description: again');
    expect(pull?.body).not.toContain('@acme');
  },
);

inLongRun('a manual run of drift opens no pull request if no change can be written, and fails', async () => {
  await team.release(
    'shops',
    'vars: { about: ours }\ngroups:\n  shops: { description: "${var.about}", members: [acme-shop] }\n',
  );
  onlyGroup().description = 'by hand';
  const runs = await github.dispatch('roster', { task: 'pull' });
  expect(the('pull', runs)).toMatchObject({
    result: 'failure',
    failed: [expect.stringMatching(/ ci pull /)],
  });
  expect(the('pull', runs).log).toContain('there is nothing to propose');
  expect(github.api.pulls).toHaveLength(1);
});
