import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkDrift } from '../../src/ci/drift.js';
import { GithubHost } from '../../src/ci/github.js';
import type { Roster } from '../../src/ci/host.js';
import { driftMarkdown } from '../../src/view/markdown/drift-markdown.js';
import { digestIn } from '../support/forge/author.js';
import { GithubApi, REPOSITORY } from '../support/forge/github-api.js';
import { GithubTeam, results, Saved, shops, shown, the } from '../support/forge/github-team.js';
import { git } from '../support/repository.js';
import { isLong } from '../support/size.js';

/** Attacks on the workflows that `roster init` writes, run step by step as GitHub runs them. */

/** Each of these takes seconds. */
const inLongRun = test.runIf(isLong);

let first: GithubTeam;
let withSnapshot: Saved;
let team: GithubTeam;

beforeAll(async () => {
  first = await GithubTeam.withSnapshot();
  withSnapshot = await Saved.of(first.github, first.author, [first.sandbox]);
});
beforeEach(async () => {
  const { github, author } = await withSnapshot.next();
  team = new GithubTeam(first.sandbox, github, author);
});
afterEach(() => team.github.remove());
afterAll(async () => {
  withSnapshot.remove();
  await first.remove();
});

describe('a tag with the name of the default branch', () => {
  test.each(['apply', 'drift', 'pull'])('does not make the task "%s" run', async (task) => {
    team.github.remote.git('tag', 'main', 'main');
    const runs = await team.github.dispatch('roster', { task, digest: 'x' }, 'refs/tags/main');
    expect(results(runs)).toEqual({});
  });
});

inLongRun('a comment that a collaborator edits does not make an unseen plan a reviewed one', async () => {
  const { github, author, sandbox } = team;
  const number = await team.propose('more', shops('acme-shop'));
  // A later commit, whose plan never ends up in the comment.
  author.propose('more', shops('acme-shop, globex'));
  const unseen = await author.digest({ ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey });
  const [comment] = github.comments(number);
  if (comment === undefined) throw new Error('there is no comment');
  comment.body = comment.body.replace(digestIn(comment.body) ?? '', unseen);
  github.api.pull(number).head = github.remote.git('rev-parse', 'more');
  github.remote.git('update-ref', `refs/pull/${number}/head`, 'more');
  github.merge(number);
  expect(await team.isRefused()).toBe(unseen);
});

inLongRun(
  'the approver approves a plan that the run has shown, and nothing but that plan is applied',
  async () => {
    const { github, sandbox } = team;
    await team.release('shops', shops('acme-shop'));
    github.merge(await team.propose('more', shops('acme-shop, globex')));
    const [group] = sandbox.world.groups.values();
    const asked: string[] = [];
    github.options.approve = (environment) => {
      asked.push(environment);
      if (environment === 'production' && group !== undefined) group.description = 'changed while approving';
    };
    const runs = await github.push();
    expect(asked.slice(0, 2)).toEqual(['roster-plan', 'production']);
    expect(digestIn(the('apply/plan', runs).summary)).toBeDefined();
    expect(the('apply', runs)).toMatchObject({ result: 'failure' });
    expect(the('apply', runs).log).toMatch(/^error\[stale-plan\]/m);
    expect(group?.description).toBe('changed while approving');
  },
);

inLongRun(
  'a pull request that changes the workflows changes nothing that runs with a token that can write',
  async () => {
    const { github, author } = team;
    author.propose('mine', shops('acme-shop'));
    for (const name of ['roster', 'roster-plan', 'roster-environment']) {
      const file = join(author.folder, '.github/workflows', `${name}.yml`);
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(' run: ', ' run: echo evil; '));
    }
    author.commit('mine');
    git(author.folder, 'push', '--quiet', 'origin', 'mine');
    const runs = await github.pullRequest(github.openPull('mine'));
    expect(results(runs)).toEqual(shown);
    expect(runs.filter(({ log }) => log.includes('evil')).map(({ job }) => job)).toEqual(['validate']);
  },
);

describe('the issue about drift', () => {
  const found = { project: 'pricing', environment: 'staging' };
  const api = new GithubApi();
  const folder = mkdtempSync(join(tmpdir(), 'roster-drift-'));
  afterEach(() => {
    api.close();
    rmSync(folder, { recursive: true });
  });

  async function drift(of: { project: string; environment: string | null }, code: number): Promise<void> {
    const page = driftMarkdown({
      ...of,
      service: 'https://collect.example.com',
      changes: [],
      unmanaged: {},
      resources: 1,
      diagnostics: [],
    });
    const event = join(folder, 'event.json');
    writeFileSync(event, '{}');
    const env = {
      ...{ GITHUB_TOKEN: api.token, GITHUB_API_URL: api.url, GITHUB_EVENT_PATH: event },
      ...{ GITHUB_REPOSITORY: REPOSITORY, GITHUB_SERVER_URL: 'https://github.com', GITHUB_RUN_ID: '7' },
      ...{ GITHUB_SHA: 'f'.repeat(40), GITHUB_REF: 'refs/heads/main', GITHUB_WORKSPACE: folder },
    };
    const host = new GithubHost({ env, temp: folder, log: () => {}, out: () => {} });
    const roster = {
      drift: async (_place: unknown, { markdown = '' }: { markdown?: string }) => {
        writeFileSync(markdown, page);
        return code;
      },
      dataCheck: async () => 0,
      status: async () => 0,
    } as unknown as Roster;
    const subject = { ...of, file: 'roster.yaml' };
    expect(await checkDrift(host, roster, { cwd: folder, env, file: 'roster.yaml' }, subject)).toBe(0);
    await host.close();
  }

  test('of a project and environment is not closed by another', async () => {
    await api.listen();
    api.permissions = { issues: 'write' };
    await drift(found, 2);
    for (const other of [
      { ...found, environment: 'production' },
      { ...found, project: 'retail' },
      { ...found, environment: null },
    ]) {
      await drift(other, 2);
      await drift(other, 0);
    }
    expect(api.issues.map(({ state }) => state)).toEqual(['open', 'closed', 'closed', 'closed']);
    expect(new Set(api.issues.map(({ title }) => title)).size).toBe(4);
    await drift(found, 0);
    expect(api.issues[0]?.state).toBe('closed');
  });
});
