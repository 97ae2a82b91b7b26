import { appendFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { Author, digestIn } from '../support/forge/author.js';
import { shops } from '../support/forge/github-team.js';
import { Gitlab, type GitlabRun } from '../support/forge/gitlab-pipeline.js';
import { isLong } from '../support/size.js';

/** The pipeline of a project with environments, line by line as GitLab's runners run it. */

/** Each of these takes seconds. */
const inLongRun = test.runIf(isLong);

let staging: Sandbox;
let production: Sandbox;
let gitlab: Gitlab;

const settings = ({ url, apiKey }: Sandbox) => ({ ROSTER_URL: url, ROSTER_API_KEY: apiKey });
const names = ({ world }: Sandbox) => [...world.groups.values()].map(({ name }) => name);

beforeEach(async () => {
  [staging, production] = await Promise.all([startSandbox(), startSandbox()]);
  gitlab = new Gitlab({});
  await gitlab.api.listen();
});
afterEach(async () => {
  gitlab.remove();
  await Promise.all([staging.close(), production.close()]);
});

async function start(inside: string, ofProject = ''): Promise<Author> {
  const applying = ofProject === '' ? '' : `${ofProject.slice(1)}_`;
  for (const [name, sandbox] of Object.entries({ staging, production })) {
    gitlab.scoped[`roster-plan${ofProject}_${name}`] = settings(sandbox);
    gitlab.scoped[`${applying}${name}`] = settings(sandbox);
  }
  const author = new Author(gitlab.remote, inside);
  await author.init('gitlab', ['--promote', 'staging,production']);
  return author;
}

function results(runs: Readonly<Record<string, GitlabRun>>): Record<string, string> {
  return Object.fromEntries(Object.entries(runs).map(([job, { result }]) => [job, result]));
}

inLongRun(
  'a merge request has a note for each environment, and production is planned after staging was applied',
  async () => {
    const author = await start('.');
    const drift = { 'roster-drift_staging': 'success', 'roster-drift_production': 'success' };
    expect(results(await gitlab.main('schedule'))).toEqual({
      ...drift,
      'roster-pull_staging': 'manual',
      'roster-pull_production': 'manual',
    });
    author.propose('shops', shops('acme-shop'));
    const iid = gitlab.api.open('shops');
    expect(results(await gitlab.mergeRequest(iid))).toEqual({
      'roster-validate': 'success',
      'roster-plan_staging': 'success',
      'roster-plan_production': 'success',
    });
    expect(results(await gitlab.webhook(iid))).toEqual({
      'roster-plan_staging': 'success',
      'roster-show_staging': 'success',
      'roster-plan_production': 'success',
      'roster-show_production': 'success',
    });
    const notes = gitlab.api.request(iid).notes.map(({ body }) => body);
    expect(notes).toEqual([
      expect.stringMatching(/^<!-- roster:[\w-]+:staging -->\n\*\*Plan: 1 to create/),
      expect.stringMatching(/^<!-- roster:[\w-]+:production -->\n\*\*Plan: 1 to create/),
    ]);
    expect(new Set(notes.map(digestIn)).size).toBe(2);

    gitlab.merge(iid);
    const waiting = { 'roster-review_staging': 'success', 'roster-apply_staging': 'manual' };
    expect(results(await gitlab.main('push'))).toEqual(waiting);
    expect((await gitlab.play('roster-apply_staging')).result).toBe('success');
    expect([names(staging), names(production)]).toEqual([['Shops'], []]);
    expect(results(gitlab.later)).toEqual({
      'roster-drift_staging': 'success',
      'roster-review_production': 'success',
      'roster-apply_production': 'manual',
    });
    expect((await gitlab.play('roster-apply_production')).result).toBe('success');
    expect(names(production)).toEqual(['Shops']);
  },
);

inLongRun(
  'production is not planned after staging could not be applied, and is once a retry has applied it',
  async () => {
    const author = await start('.');
    await gitlab.main('schedule');
    author.propose('shops', shops('acme-shop'));
    const iid = gitlab.api.open('shops');
    await gitlab.mergeRequest(iid);
    gitlab.merge(iid);
    await gitlab.main('push');
    staging.faults.faults = [{ act: 'status', method: 'POST', path: '/api/search-groups', status: 400 }];
    expect((await gitlab.play('roster-apply_staging')).result).toBe('failed');
    expect(results(gitlab.later)).toEqual({ 'roster-drift_staging': 'success' });
    staging.faults.faults = [];
    expect((await gitlab.play('roster-apply_staging')).result).toBe('success');
    expect(gitlab.later).toHaveProperty('roster-review_production');
  },
);

inLongRun('two projects of a repository have names of their own for everything on GitLab', async () => {
  await start('prices');
  const author = await start('stock', '-stock');
  author.branch('main');
  const file = `${author.folder}/.gitlab-ci.yml`;
  appendFileSync(
    file,
    ['staging', 'production, after: staging']
      .map((each) => `  - { local: .gitlab/roster-stock.yml, inputs: { environment: ${each} } }\n`)
      .join(''),
  );
  author.publish('include both');
  expect(Object.keys(await gitlab.main('schedule')).sort()).toEqual([
    'roster-drift-stock_production',
    'roster-drift-stock_staging',
    'roster-drift_production',
    'roster-drift_staging',
    'roster-pull-stock_production',
    'roster-pull-stock_staging',
    'roster-pull_production',
    'roster-pull_staging',
  ]);
  const branches = gitlab.remote.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/roster-snap*');
  expect(branches.split('\n')).toEqual([
    'roster-snapshot-prices_production',
    'roster-snapshot-prices_staging',
    'roster-snapshot-stock_production',
    'roster-snapshot-stock_staging',
  ]);
});
