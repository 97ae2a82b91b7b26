import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { Author, digestIn } from '../support/forge/author.js';
import { filledIn } from '../support/forge/expression.js';
import { Github, type JobRun } from '../support/forge/github.js';
import { git } from '../support/repository.js';
import { isLong } from '../support/size.js';

/** The workflows that `roster init` writes, step by step as GitHub runs them. */

/** Each of these takes seconds. */
const inLongRun = test.runIf(isLong);

let sandbox: Sandbox;
let github: Github;
let author: Author;

beforeEach(async () => {
  sandbox = await startSandbox();
  github = new Github({ ROSTER_API_KEY: sandbox.apiKey }, { ROSTER_URL: sandbox.url });
  author = new Author(github.remote);
  await author.init('github');
});
afterEach(async () => {
  github.remove();
  await sandbox.close();
});

const shops = (members: string) => `groups:\n  shops:\n    name: Shops\n    members: [${members}]\n`;

/** A pull request with its plan, merged and applied. */
async function release(branch: string, declared: string): Promise<void> {
  author.propose(branch, declared);
  const number = github.openPull(branch);
  await github.pullRequest(number);
  github.merge(number);
  expect(results(await github.push())).toEqual({ apply: 'success' });
}

function results(runs: readonly JobRun[]): Record<string, string> {
  return Object.fromEntries(runs.map(({ job, result }) => [job, result]));
}

function the(job: string, runs: readonly JobRun[]): JobRun {
  const found = runs.find((each) => each.job === job);
  if (found === undefined) throw new Error(`${job} did not run`);
  return found;
}

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
    expect(results(first)).toEqual({ validate: 'success', plan: 'success' });
    const [comment] = github.comments(number);
    expect(comment?.body).toMatch(/^<!-- roster:[\w-]+: -->\n\*\*Plan: 1 to create\*\*/);
    expect(the('plan', first).summary).toContain('Plan: 1 to create');
    expect(the('plan', first).log).toMatch(/^::notice .*file=roster\.yaml/m);

    author.propose('shops', shops('acme-shop, globex'));
    await github.pullRequest(number);
    const after = github.comments(number);
    expect(after.map(({ id }) => id)).toEqual([comment?.id]);
    expect(digestIn(after[0]?.body)).not.toBe(digestIn(comment?.body));

    github.merge(number);
    const pushed = await github.push();
    expect(results(pushed)).toEqual({ apply: 'success' });
    expect(the('apply', pushed).log).toContain('Apply complete: 1 created');
    expect(the('apply', pushed).outputs['reviewed']).toEqual({ digest: digestIn(after[0]?.body) });
    expect(groups()).toEqual([{ name: 'Shops', description: '' }]);
    expect(await planIsEmpty()).toBe(true);
  });

  inLongRun('whose plan apply would refuse fails, and shows the plan all the same', async () => {
    await release('shops', shops('acme-shop'));
    author.propose('none', 'limits: { deletes: 0 }\ngroups:\n  other: { members: [globex] }\n');
    const number = github.openPull('none');
    const runs = await github.pullRequest(number);
    expect(the('plan', runs)).toMatchObject({ result: 'failure', failed: ['Plan'] });
    expect(github.comments(number)[0]?.body).toContain('`too-many-deletes`');
  });

  inLongRun('with invalid manifests is annotated at the lines, and gets no comment', async () => {
    author.propose('wrong', 'groups:\n  shops: { membres: [acme-shop] }\n');
    const number = github.openPull('wrong');
    const runs = await github.pullRequest(number);
    expect(results(runs)).toEqual({ validate: 'failure', plan: 'failure' });
    const line = readFileSync(join(author.folder, 'roster.yaml'), 'utf8')
      .split('\n')
      .findIndex((each) => each.includes('membres'));
    expect(the('validate', runs).log).toContain(`file=roster.yaml,line=${line + 1}`);
    expect(github.comments(number)).toEqual([]);
  });

  inLongRun('of a fork is checked without a secret, and not planned', async () => {
    author.propose('fork', shops('acme-shop'));
    const runs = await github.pullRequest(github.openPull('fork', true));
    expect(results(runs)).toEqual({ validate: 'success', plan: 'skipped' });
  });

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

  inLongRun('cannot say where the key is sent', async () => {
    const other = new Github({ ROSTER_API_KEY: sandbox.apiKey }, {});
    git(author.folder, 'remote', 'set-url', 'origin', `file://${other.remote.path}`);
    git(author.folder, 'push', '--quiet', '--force', 'origin', 'HEAD:main');
    author.propose('url', `service: { url: ${sandbox.url} }\n${shops('acme-shop')}`);
    const runs = await other.pullRequest(other.openPull('url'));
    expect(the('plan', runs)).toMatchObject({ result: 'failure', failed: ['Plan'] });
    expect(the('plan', runs).log).toContain('ROSTER_URL: is not set');
    other.remove();
  });
});

describe('an apply without a valid review is refused:', () => {
  /** Merged with a plan, after which somebody else does this. */
  async function merged(meanwhile: (number: number) => unknown): Promise<number> {
    await release('shops', shops('acme-shop'));
    author.propose('more', shops('acme-shop, globex'));
    const number = github.openPull('more');
    await github.pullRequest(number);
    await meanwhile(number);
    return number;
  }

  async function isRefused(words: RegExp): Promise<string> {
    const before = structuredClone(sandbox.world.groups);
    const run = the('apply', await github.push());
    expect(run.result).toBe('failure');
    expect(run.log).toMatch(words);
    expect(sandbox.world.groups).toEqual(before);
    const planned = run.outputs['plan']?.['digest'] ?? '';
    expect(run.log).toMatch(new RegExp(`^::error .*manually with its digest, ${planned}$`, 'm'));
    expect(digestIn(run.summary)).toBe(planned);
    return planned;
  }

  inLongRun('a service that was changed since; then by hand, with the new digest', async () => {
    github.merge(
      await merged(() => {
        onlyGroup().description = 'changed by hand';
      }),
    );
    const planned = await isRefused(/^error\[stale-plan\]/m);

    const wrong = await github.dispatch('roster apply', { digest: `sha256:${'0'.repeat(64)}` });
    expect(results(wrong)).toEqual({ apply: 'failure' });
    expect(results(await github.dispatch('roster apply', { digest: 'yes' }))).toEqual({ apply: 'failure' });
    expect(groups()).toEqual([{ name: 'Shops', description: 'changed by hand' }]);

    expect(results(await github.dispatch('roster apply', { digest: planned }))).toEqual({ apply: 'success' });
    expect(groups()).toEqual([{ name: 'Shops', description: '' }]);
    expect(await planIsEmpty()).toBe(true);
  });

  inLongRun('a comment of somebody else, or about another project, that says so', async () => {
    const number = await merged((pull) => {
      const [own] = github.comments(pull);
      github.change((state) => {
        state.comments.splice(
          0,
          state.comments.length,
          ...state.comments.filter((each) => each.issue !== pull),
        );
      });
      github.say(pull, 'mallory', own?.body ?? '');
      const ofAnother = own?.body.replace(/^<!-- roster:/, '<!-- roster:other-') ?? '';
      github.say(pull, 'github-actions[bot]', ofAnother);
    });
    github.merge(number);
    await isRefused(/No reviewed plan, nothing was changed/);
  });

  inLongRun('a comment that was changed after the merge', async () => {
    const number = await merged(() => undefined);
    github.merge(number);
    await github.pullRequest(number);
    expect(digestIn(github.comments(number)[0]?.body)).toBeDefined();
    await isRefused(/No reviewed plan, nothing was changed/);
  });

  inLongRun('a push without a pull request', async () => {
    await release('shops', shops('acme-shop'));
    author.propose('direct', shops('acme-shop, globex'));
    git(author.folder, 'push', '--quiet', 'origin', 'HEAD:main');
    await isRefused(/No reviewed plan, nothing was changed/);
  });

  inLongRun('except that a push that changes nothing needs no review', async () => {
    await release('shops', shops('acme-shop'));
    author.branch('readme');
    appendFileSync(join(author.folder, 'README'), 'more\n');
    author.commit('readme');
    git(author.folder, 'push', '--quiet', 'origin', 'HEAD:main');
    const run = the('apply', await github.push());
    expect(run.result).toBe('success');
    expect(run.log).toContain('No changes.');
  });
});

test('git gets the token of the job from the environment of its step', () => {
  const steps = github
    .workflowsOf('refs/heads/main')
    .flatMap(({ jobs }) => Object.values(jobs).flatMap((job) => job.steps));
  const asking = steps.filter(({ run }) => /\broster (plan|apply|drift)\b/.test(run ?? ''));
  expect(asking.map(({ name }) => name).sort()).toEqual(['Apply', 'Check for drift', 'Plan', 'Plan']);
  for (const { env = {} } of asking) {
    const contexts = {
      github: { token: 'of-the-job', server_url: 'https://github.com' },
      secrets: {},
      vars: {},
    };
    const own = Object.entries(env).filter(([name]) => name.startsWith('G'));
    const filled = own.map(([name, value]) => [name, filledIn(String(value), contexts)]);
    const said = execFileSync('git', ['credential', 'fill'], {
      input: 'protocol=https\nhost=github.com\n\n',
      env: { PATH: process.env['PATH'], ...Object.fromEntries(filled) },
      encoding: 'utf8',
    });
    expect(said).toContain('username=x-access-token\npassword=of-the-job\n');
  }
});

inLongRun('drift opens one issue, which follows it and is closed when it is gone', async () => {
  await release('shops', shops('acme-shop'));
  expect(results(await github.schedule())).toEqual({ drift: 'success' });
  expect(github.state.issues).toEqual([]);

  onlyGroup().description = 'by ``` @acme/owners <!-- -->';
  await github.schedule();
  const [issue] = github.state.issues;
  expect(issue).toMatchObject({ title: 'Changed outside roster', state: 'open' });
  expect(issue?.body).toMatch(/^ {4}.*@acme\/owners/m);
  expect(issue?.body).toContain('https://github.com/acme/collect-config/actions/runs/4711');

  onlyGroup().isActive = false;
  expect(results(await github.dispatch('roster drift'))).toEqual({ drift: 'success' });
  const [same, ...others] = github.state.issues;
  expect([same?.number, others]).toEqual([issue?.number, []]);
  expect(same?.body).toContain('active');

  Object.assign(onlyGroup(), { description: '', isActive: true });
  await github.schedule();
  expect(github.state.issues.map(({ state }) => state)).toEqual(['closed']);
  expect(github.comments(issue?.number ?? 0)[0]?.body).toMatch(/^Resolved, /);

  onlyGroup().description = 'again';
  await github.schedule();
  expect(github.state.issues.map(({ state }) => state)).toEqual(['closed', 'open']);
});
