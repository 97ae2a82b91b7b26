import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { Author, digestIn } from '../support/forge/author.js';
import { Github, type JobRun } from '../support/forge/github.js';
import { results, shops, the } from '../support/forge/github-team.js';
import { isLong } from '../support/size.js';

/** The workflows of a project with environments, and those of two projects, step by step as GitHub runs them. */

/** Each of these takes seconds. */
const inLongRun = test.runIf(isLong);

let staging: Sandbox;
let production: Sandbox;
let github: Github;
let author: Author;

const settings = ({ url, apiKey }: Sandbox) => ({
  secrets: { ROSTER_API_KEY: apiKey },
  vars: { ROSTER_URL: url },
});

beforeEach(async () => {
  [staging, production] = await Promise.all([startSandbox(), startSandbox()]);
  github = new Github({}, {});
  await github.api.listen();
});
afterEach(async () => {
  github.remove();
  await Promise.all([staging.close(), production.close()]);
});

/** A project in a folder; `ofProject` is part of the names of its environments. */
async function start(flags: readonly string[], inside = '.', ofProject = ''): Promise<Author> {
  const [first, second] = [settings(staging), settings(production)];
  const applying = ofProject === '' ? '' : `${ofProject.slice(1)}_`;
  github.options.environments = {
    ...github.options.environments,
    [`roster-plan${ofProject}_staging`]: first,
    [`${applying}staging`]: first,
    [`roster-plan${ofProject}_production`]: second,
    [`${applying}production`]: second,
  };
  const made = new Author(github.remote, inside);
  await made.init('github', flags);
  return made;
}

const promoting = ['--promote', 'staging,production'];
const names = ({ world }: Sandbox) => [...world.groups.values()].map(({ name }) => name);

/** Both environments of a pull request are planned. */
async function propose(branch: string, declared: string, by = author): Promise<number> {
  by.propose(branch, declared);
  const number = github.openPull(branch);
  const runs = results(await github.pullRequest(number));
  expect(new Set(Object.values(runs))).toEqual(new Set(['success']));
  return number;
}

function describeGroup(sandbox: Sandbox, description: string): void {
  for (const group of sandbox.world.groups.values()) group.description = description;
}

const ofStaging = { 'apply/plan-staging': 'success', 'apply-staging': 'success' };
const ofProduction = { 'apply/plan-production': 'success', 'apply-production': 'success' };
const ofDrift = { 'drift (staging)': 'success', 'drift (production)': 'success' };

describe('a project with environments', () => {
  beforeEach(async () => {
    author = await start(promoting);
    expect(results(await github.schedule())).toEqual(ofDrift);
  });

  test('is planned for each, in one comment each, and staging is applied before production', async () => {
    const before = staging.requests.length + production.requests.length;
    const number = await propose('shops', shops('acme-shop'));
    expect(staging.requests.length + production.requests.length).toBe(before);
    const comments = github.comments(number).map(({ body }) => body);
    expect(comments).toEqual([
      expect.stringMatching(/^<!-- roster:[\w-]+:staging -->\n\*\*Plan: 1 to create\*\*/),
      expect.stringMatching(/^<!-- roster:[\w-]+:production -->\n\*\*Plan: 1 to create\*\*/),
    ]);
    expect(new Set(comments.map(digestIn)).size).toBe(2);
    expect(github.api.checks.map((each) => each['name'])).toEqual([
      'roster plan (staging)',
      'roster plan (production)',
    ]);
    github.merge(number);
    const asked: string[] = [];
    github.options.approve = (environment) => {
      if (environment === 'production') asked.push(...names(staging), ...names(production));
    };
    const runs = await github.push();
    expect(results(runs)).toEqual({ ...ofStaging, ...ofProduction, ...ofDrift });
    // Staging had its group when production was approved.
    expect(asked).toEqual(['Shops']);
    expect(names(production)).toEqual(['Shops']);
  });

  inLongRun('applies nothing to production while staging is not what was reviewed', async () => {
    github.merge(await propose('shops', shops('acme-shop')));
    await github.push();
    const number = await propose('more', shops('acme-shop, globex'));
    describeGroup(staging, 'changed by hand');
    github.merge(number);
    const before = structuredClone(production.world.groups);
    const runs = await github.push();
    expect(results(runs)).toMatchObject({
      'apply/plan-staging': 'failure',
      'apply-staging': 'skipped',
      'apply/plan-production': 'skipped',
      'apply-production': 'skipped',
    });
    expect(production.world.groups).toEqual(before);

    const digest = digestIn(the('apply/plan-staging', runs).summary) ?? '';
    const early = await github.dispatch('roster apply', { environment: 'production', digest });
    expect(results(early)).toMatchObject({ 'apply/plan-staging': 'success', 'apply-staging': 'success' });
    const late = await github.dispatch('roster apply', { environment: 'production', digest: planOf(early) });
    expect(results(late)).toMatchObject({ 'apply-staging': 'skipped', 'apply-production': 'success' });
    expect([...production.world.groups.values()][0]?.memberAgentIds).toHaveLength(2);
  });

  inLongRun('goes on to production if a failed apply of staging left nothing to apply', async () => {
    github.merge(await propose('shops', shops('acme-shop')));
    await github.push();
    github.merge(await propose('more', shops('acme-shop, globex')));
    github.options.approve = (environment) => {
      // Somebody makes the change of production by hand, and staging needs none later.
      if (environment === 'roster-plan_production') describeGroup(production, 'changed');
    };
    expect(results(await github.push())).toMatchObject({
      ...ofStaging,
      'apply/plan-production': 'failure',
      'apply-production': 'skipped',
    });
    describeGroup(production, '');
    github.options.approve = () => {};
    const runs = await github.push();
    expect(results(runs)).toMatchObject({ 'apply-staging': 'skipped', ...ofProduction });
  });

  inLongRun('keeps one issue about drift for each', async () => {
    github.merge(await propose('shops', shops('acme-shop')));
    await github.push();
    describeGroup(staging, 'changed');
    describeGroup(production, 'changed');
    await github.schedule();
    expect(github.api.issues.map(({ title }) => title)).toEqual([
      expect.stringMatching(/ \(staging\)$/),
      expect.stringMatching(/ \(production\)$/),
    ]);
    describeGroup(staging, '');
    await github.schedule();
    expect(github.api.issues.map(({ state }) => state)).toEqual(['closed', 'open']);
  });
});

function planOf(runs: readonly JobRun[]): string {
  return digestIn(the('apply/plan-production', runs).summary) ?? '';
}

inLongRun('an environment without a promotion does not wait for another', async () => {
  author = await start([]);
  author.propose('main', 'environments: { staging: {}, production: {} }\n');
  for (const path of ['validate', 'plan', 'apply', 'drift'])
    writeFileSync(join(author.folder, `.github/workflows/roster-${path}.yml`), '');
});

describe('two projects of a repository', () => {
  test('have workflows, snapshots, comments and applies of their own', async () => {
    const prices = await start(promoting, 'prices');
    author = await start([], 'stock');
    mkdirSync(join(author.folder, 'unused'), { recursive: true });
    github.options.environments = {
      ...github.options.environments,
      'roster-plan-stock': settings(staging),
      stock_production: settings(staging),
    };
    const drift = await github.schedule();
    expect(drift.map(({ workflow, job, result }) => [workflow, job, result])).toEqual([
      ['roster drift', 'drift (staging)', 'success'],
      ['roster drift', 'drift (production)', 'success'],
      ['roster drift stock', 'drift', 'success'],
    ].sort());
    expect(github.api.artifacts.map(({ name }) => name).sort()).toEqual([
      'roster-snapshot-stock',
      'roster-snapshot_production',
      'roster-snapshot_staging',
    ]);
    expect(prices.inside).toBe('prices');
  });
});
