import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { Author, digestIn } from '../support/forge/author.js';
import { Github, type JobRun } from '../support/forge/github.js';
import { results, Saved, shops, the } from '../support/forge/github-team.js';
import { saveWorld } from '../support/sandbox.js';
import { isLong } from '../support/size.js';

/** The workflows of a project with environments, and those of two projects, step by step as GitHub runs them. */

/** Each of these starts dozens of processes. */
const inLongRun = test.runIf(isLong);

let staging: Sandbox;
let production: Sandbox;
let emptied: readonly (() => void)[];
let github: Github;
let author: Author;

const settings = ({ url, apiKey }: Sandbox) => ({
  secrets: { ROSTER_API_KEY: apiKey },
  vars: { ROSTER_URL: url },
});

beforeAll(async () => {
  [staging, production] = await Promise.all([startSandbox(), startSandbox()]);
  emptied = [saveWorld(staging), saveWorld(production)];
});
afterEach(() => github.remove());
afterAll(() => Promise.all([staging.close(), production.close()]));

/** A new repository, of which the services have nothing yet. */
async function newGithub(): Promise<void> {
  for (const empty of emptied) empty();
  github = new Github({}, {});
  await github.api.listen();
}

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

const ofStaging = {
  'apply/plan (staging)': 'success',
  'apply (staging)': 'success',
  'drift (staging)': 'success',
};
const ofProduction = {
  'apply/plan (production)': 'success',
  'apply (production)': 'success',
  'drift (production)': 'success',
};
const ofDrift = { 'drift (staging)': 'success', 'drift (production)': 'success' };

describe('a project with environments', () => {
  let withSnapshot: Saved;
  /** With a group that is applied to both environments. */
  let withShops: Saved | null = null;
  const save = () => Saved.of(github, author, [staging, production]);
  const goOn = async (from: Saved) => {
    ({ github, author } = await from.next());
  };

  async function hasShops(): Promise<void> {
    if (withShops === null) {
      github.merge(await propose('shops', shops('acme-shop')));
      expect(results(await github.push())).toEqual({ ...ofStaging, ...ofProduction });
      withShops = await save();
    }
    github.remove();
    await goOn(withShops);
  }

  beforeAll(async () => {
    await newGithub();
    author = await start(promoting);
    expect(results(await github.schedule())).toEqual(ofDrift);
    withSnapshot = await save();
    github.remove();
  });
  beforeEach(() => goOn(withSnapshot));
  afterAll(() => {
    withSnapshot.remove();
    withShops?.remove();
  });

  inLongRun(
    'is planned and commented for each environment, and staging is applied before production',
    async () => {
      const before = staging.requests.length + production.requests.length;
      const number = await propose('shops', shops('acme-shop'));
      expect(staging.requests.length + production.requests.length).toBe(before);
      const comments = github.comments(number).map(({ body }) => body);
      expect(comments).toEqual([
        expect.stringMatching(/^<!-- roster:[\w-]+:staging -->\n\*\*Plan: 1 to create/),
        expect.stringMatching(/^<!-- roster:[\w-]+:production -->\n\*\*Plan: 1 to create/),
      ]);
      expect(new Set(comments.map(digestIn)).size).toBe(2);
      expect(github.api.checks.map((each) => each['name'])).toEqual([
        'roster plan remote (staging)',
        'roster plan remote (production)',
      ]);
      github.merge(number);
      const asked: string[] = [];
      github.options.approve = (environment) => {
        if (environment !== 'production') return;
        asked.push(...names(staging), ...names(production));
      };
      const runs = await github.push();
      expect(results(runs)).toEqual({ ...ofStaging, ...ofProduction });
      // Staging had its group when production was approved.
      expect(asked).toEqual(['Shops']);
      expect(names(production)).toEqual(['Shops']);
    },
  );

  inLongRun('applies nothing to production while staging differs from the reviewed plan', async () => {
    await hasShops();
    const number = await propose('more', shops('acme-shop, globex'));
    describeGroup(staging, 'changed by hand');
    github.merge(number);
    const before = structuredClone(production.world.groups);
    const runs = await github.push();
    expect(results(runs)).toEqual({
      'apply/plan (staging)': 'failure',
      'apply (staging)': 'skipped',
      'drift (staging)': 'success',
    });
    expect(production.world.groups).toEqual(before);

    const digest = digestIn(the('apply/plan (staging)', runs).summary) ?? '';
    const [unchanged, dispatch] = [
      structuredClone(staging.world.groups),
      (environment: string, given: string) =>
        github.dispatch('roster', { environment, task: 'apply', digest: given }),
    ];
    // The digest of staging is no approval of it while production is selected.
    const early = await dispatch('production', digest);
    expect(results(early)).toMatchObject({ 'apply/plan (staging)': 'failure', 'apply (staging)': 'skipped' });
    expect(the('apply/plan (staging)', early).log).toContain('Run this workflow manually for staging first');
    expect(staging.world.groups).toEqual(unchanged);
    expect(results(await dispatch('staging', digest))).toMatchObject(ofStaging);
    const planned = await dispatch('production', digest);
    expect(results(planned)).toMatchObject({ 'apply/plan (production)': 'failure' });
    const late = await dispatch('production', planOf(planned));
    expect(results(late)).toMatchObject({ 'apply (staging)': 'skipped', 'apply (production)': 'success' });
    expect([...production.world.groups.values()][0]?.agentIds).toHaveLength(2);
  });

  inLongRun('plans pull requests with what staging has while production waits for an approval', async () => {
    github.merge(await propose('shops', shops('acme-shop')));
    author.propose('more', shops('acme-shop, globex'));
    const number = github.openPull('more');
    let runs: readonly JobRun[] = [];
    github.options.approve = async (environment) => {
      if (environment !== 'production') return;
      github.options.approve = () => {};
      runs = await github.pullRequest(number);
    };
    expect(results(await github.push())).toMatchObject({ ...ofStaging, ...ofProduction });
    expect(the('plan/plan (staging)', runs).result).toBe('success');
    expect(github.comments(number).map(({ body }) => body)).toEqual([
      expect.stringContaining('**Plan: 1 to update'),
      expect.stringContaining('**Plan: 1 to create'),
    ]);
  });

  inLongRun('continues with production if staging has nothing left to apply', async () => {
    github.merge(await propose('shops', shops('acme-shop')));
    github.options.approve = (environment) => {
      if (environment === 'roster-plan_production') throw new Error('the runner is gone');
    };
    await expect(github.push()).rejects.toThrow('the runner is gone');
    expect([names(staging), names(production)]).toEqual([['Shops'], []]);
    github.options.approve = () => {};
    expect(results(await github.push())).toMatchObject({ 'apply (staging)': 'skipped', ...ofProduction });
    expect(names(production)).toEqual(['Shops']);
  });

  inLongRun('keeps one drift issue for each environment', async () => {
    await hasShops();
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
  return digestIn(the('apply/plan (production)', runs).summary) ?? '';
}

inLongRun('two projects of a repository have names of their own for everything on GitHub', async () => {
  await newGithub();
  const prices = await start(promoting, 'prices');
  prices.propose('main', 'groups: { prices: { name: Prices, members: [globex] } }\n');
  author = await start([], 'stock');
  github.options.environments = {
    ...github.options.environments,
    'roster-plan-stock': settings(staging),
    stock_production: settings(staging),
  };
  const nightly = (await github.schedule()).filter(({ result }) => result !== 'skipped');
  expect(
    nightly.map(({ workflow, job, environment }) => `${workflow}: ${job} ${environment}`).sort(),
  ).toEqual([
    'roster-environment: drift production',
    'roster-environment: drift staging',
    'roster-stock-environment: drift ',
  ]);
  expect(github.api.artifacts.map(({ name }) => name).sort()).toEqual([
    'roster-snapshot-prices_production',
    'roster-snapshot-prices_staging',
    'roster-snapshot-stock',
  ]);
  author.propose('shops', shops('acme-shop'));
  const number = github.openPull('shops');
  await github.pullRequest(number);
  expect(github.api.checks.map((each) => each['name']).sort()).toEqual([
    'roster plan prices (production)',
    'roster plan prices (staging)',
    'roster plan stock',
  ]);
  expect(github.comments(number)).toHaveLength(3);
  github.merge(number);
  const runs = (await github.push()).filter(({ job }) => job === 'apply');
  expect(
    runs.map(({ workflow, environment, result }) => `${workflow}: ${environment} ${result}`).sort(),
  ).toEqual([
    'roster-environment: production success',
    'roster-environment: staging success',
    'roster-stock-environment:  success',
  ]);
  expect(names(staging).sort()).toEqual(['Prices', 'Shops']);
  expect(names(production)).toEqual(['Prices']);
});
