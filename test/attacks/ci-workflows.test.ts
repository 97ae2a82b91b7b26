import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { driftMarkdown } from '../../src/view/markdown/drift-markdown.js';
import { digestIn } from '../support/forge/author.js';
import { GithubApi, REPOSITORY } from '../support/forge/github-api.js';
import { GithubTeam, results, shops, shown, the } from '../support/forge/github-team.js';
import { git } from '../support/repository.js';
import { isLong } from '../support/size.js';

/** Attacks on the workflows that `roster init` writes, run step by step as GitHub runs them. */

/** Each of these takes seconds. */
const inLongRun = test.runIf(isLong);

const tool = fileURLToPath(new URL('../../examples/team/.github/roster-drift.mjs', import.meta.url));

let team: GithubTeam | undefined;
afterEach(async () => {
  await team?.remove();
  team = undefined;
});

describe('a tag with the name of the default branch', () => {
  test.each(['roster apply', 'roster drift'])('does not make "%s" run', async (workflow) => {
    team = await GithubTeam.start();
    team.github.remote.git('tag', 'main', 'main');
    const runs = await team.github.dispatch(workflow, { digest: 'x' }, 'refs/tags/main');
    const own = runs.filter((each) => each.workflow === workflow).map(({ result }) => result);
    expect([...new Set(own)]).toEqual(['skipped']);
  });
});

inLongRun('a comment that a collaborator edits does not make an unseen plan a reviewed one', async () => {
  team = await GithubTeam.start();
  const { github, author, sandbox } = team;
  await team.saveSnapshot();
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
    team = await GithubTeam.start();
    const { github, sandbox } = team;
    await team.saveSnapshot();
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
  'a pull request that changes the workflows and the tool changes nothing that runs with a key',
  async () => {
    team = await GithubTeam.start();
    const { github, author } = team;
    await team.saveSnapshot();
    author.propose('mine', shops('acme-shop'));
    const tools = ['roster.mjs', 'roster-host.mjs', 'roster-request.mjs'];
    for (const path of ['workflows/roster-plan.yml', 'workflows/roster-validate.yml', ...tools]) {
      const file = join(author.folder, '.github', path);
      const text = readFileSync(file, 'utf8').replaceAll('run: |\n', 'run: |\n          echo evil\n');
      writeFileSync(file, path.endsWith('.mjs') ? `console.log('evil');\n${text}` : text);
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

  async function drift(
    of: typeof found | { project: string; environment: null },
    code: string,
  ): Promise<void> {
    const page = driftMarkdown({
      ...of,
      service: 'https://collect.example.com',
      changes: [],
      unmanaged: {},
      resources: 1,
      diagnostics: [],
    });
    const files = { 'drift.json': JSON.stringify(of), 'drift.md': page, 'event.json': '{}' };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    await promisify(execFile)(process.execPath, [tool, 'drift', 'drift.md', 'drift.json', code], {
      cwd: folder,
      env: {
        GH_TOKEN: api.token,
        GITHUB_API_URL: api.url,
        GITHUB_EVENT_PATH: 'event.json',
        GITHUB_REPOSITORY: REPOSITORY,
      },
    });
  }

  test('of a project and environment is not closed by another', async () => {
    await api.listen();
    api.permissions = { issues: 'write' };
    await drift(found, '2');
    for (const other of [
      { ...found, environment: 'production' },
      { ...found, project: 'retail' },
      { ...found, environment: null },
    ]) {
      await drift(other, '2');
      await drift(other, '0');
    }
    expect(api.issues.map(({ state }) => state)).toEqual(['open', 'closed', 'closed', 'closed']);
    expect(new Set(api.issues.map(({ title }) => title)).size).toBe(4);
    await drift(found, '0');
    expect(api.issues[0]?.state).toBe('closed');
  });
});
