import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { Author, digestIn } from '../support/forge/author.js';
import { Gitlab, type GitlabRun } from '../support/forge/gitlab-pipeline.js';
import { git } from '../support/repository.js';
import { isLong } from '../support/size.js';

/** The pipeline that `roster init` writes, line by line as GitLab's runners run it. */

/** Each of these takes seconds. */
const inLongRun = test.runIf(isLong);

let sandbox: Sandbox;
let gitlab: Gitlab;
let author: Author;

beforeEach(async () => {
  sandbox = await startSandbox();
  gitlab = new Gitlab({ ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey });
  await gitlab.api.listen();
  author = new Author(gitlab.remote);
  await author.init('gitlab');
});
afterEach(async () => {
  gitlab.remove();
  await sandbox.close();
});

const shops = (members: string) => `groups:\n  shops:\n    name: Shops\n    members: [${members}]\n`;
const planIsEmpty = () => author.planIsEmpty({ ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey });

function results(runs: Readonly<Record<string, GitlabRun>>): Record<string, string> {
  return Object.fromEntries(Object.entries(runs).map(([job, { result }]) => [job, result]));
}

function onlyGroup() {
  const [group] = sandbox.world.groups.values();
  if (group === undefined) throw new Error('there is no group');
  return group;
}

async function planned(branch: string, declared: string): Promise<number> {
  author.propose(branch, declared);
  const iid = gitlab.api.open(branch);
  expect(results(await gitlab.mergeRequest(iid))).toEqual({
    'roster-validate': 'success',
    'roster-plan': 'success',
  });
  return iid;
}

async function release(branch: string, declared: string): Promise<void> {
  gitlab.merge(await planned(branch, declared));
  expect(results(await gitlab.main('push'))).toEqual({ 'roster-apply': 'success' });
}

describe('a merge request', () => {
  test('is checked and planned, its note follows it, and what was reviewed is applied', async () => {
    const iid = await planned('shops', shops('acme-shop'));
    const [note] = structuredClone(gitlab.api.request(iid).notes);
    expect(note?.body).toMatch(/^<!-- roster:[\w-]+: -->\n\*\*Plan: 1 to create\*\*/);

    author.propose('shops', shops('acme-shop, globex'));
    const { 'roster-plan': plan } = await gitlab.mergeRequest(iid);
    expect(plan?.report).toEqual({ create: 1, update: 0, delete: 0 });
    const { notes } = gitlab.api.request(iid);
    expect(notes.map(({ id }) => id)).toEqual([note?.id]);
    expect(digestIn(notes[0]?.body)).not.toBe(digestIn(note?.body));

    gitlab.merge(iid);
    const { 'roster-apply': applied } = await gitlab.main('push');
    expect(applied?.result).toBe('success');
    expect(applied?.log).toContain('Apply complete: 1 created');
    expect(await planIsEmpty()).toBe(true);
  });

  inLongRun('finds its note among those of others, on whatever page', async () => {
    author.propose('shops', shops('acme-shop'));
    const iid = gitlab.api.open('shops');
    gitlab.api.say(iid, gitlab.api.bot, '<!-- roster:other: -->\nof another project');
    for (let n = 0; n < 120; n += 1) gitlab.api.say(iid, 3, `note ${n}`);
    await gitlab.mergeRequest(iid);
    await gitlab.mergeRequest(iid);
    const own = gitlab.api.request(iid).notes.filter((each) => each.author.id === gitlab.api.bot);
    expect(own.map(({ body }) => body.split('\n')[1])).toEqual([
      'of another project',
      expect.stringContaining('**Plan: 1 to create**'),
    ]);
  });

  inLongRun('whose plan apply would refuse fails, and shows the plan all the same', async () => {
    await release('shops', shops('acme-shop'));
    author.propose('none', 'limits: { deletes: 0 }\ngroups:\n  other: { members: [globex] }\n');
    const iid = gitlab.api.open('none');
    const { 'roster-plan': plan } = await gitlab.mergeRequest(iid);
    expect(plan?.result).toBe('failed');
    expect(gitlab.api.request(iid).notes[0]?.body).toContain('`too-many-deletes`');
  });

  inLongRun('of a fork is checked without a variable, and not planned', async () => {
    author.propose('fork', shops('acme-shop'));
    const runs = await gitlab.mergeRequest(gitlab.api.open('fork'), true);
    expect(results(runs)).toEqual({ 'roster-validate': 'success' });
  });
});

describe('an apply without a valid review is refused:', () => {
  async function isRefused(words: RegExp): Promise<string> {
    const before = structuredClone(sandbox.world.groups);
    const { 'roster-apply': run } = await gitlab.main('push');
    expect(run?.result).toBe('failed');
    expect(run?.log).toMatch(words);
    expect(sandbox.world.groups).toEqual(before);
    const [, digest = ''] = /^ROSTER_DIGEST=(.*)$/m.exec(run?.log ?? '') ?? [];
    expect(run?.log).toContain(`\nDigest: ${digest}\n`);
    return digest;
  }

  inLongRun('a service that was changed since; then by hand, with the new digest', async () => {
    await release('shops', shops('acme-shop'));
    const iid = await planned('more', shops('acme-shop, globex'));
    onlyGroup().description = 'changed by hand';
    gitlab.merge(iid);
    const digest = await isRefused(/^error\[stale-plan\]/m);
    expect(results(await gitlab.main('web', { ROSTER_DIGEST: 'yes' }))).toEqual({ 'roster-apply': 'failed' });
    expect(onlyGroup().description).toBe('changed by hand');
    expect(results(await gitlab.main('web', { ROSTER_DIGEST: digest }))).toEqual({
      'roster-apply': 'success',
    });
    expect(await planIsEmpty()).toBe(true);
  });

  inLongRun('a note of somebody else that says so', async () => {
    await release('shops', shops('acme-shop'));
    const iid = await planned('more', shops('acme-shop, globex'));
    const [own] = gitlab.api.request(iid).notes.splice(0);
    gitlab.api.say(iid, 3, own?.body ?? '');
    gitlab.merge(iid);
    await isRefused(/no reviewed plan for this commit/);
  });

  inLongRun('a note that was changed after the merge', async () => {
    await release('shops', shops('acme-shop'));
    const iid = await planned('more', shops('acme-shop, globex'));
    gitlab.merge(iid);
    await gitlab.mergeRequest(iid);
    expect(digestIn(gitlab.api.request(iid).notes[0]?.body)).toBeDefined();
    await isRefused(/no reviewed plan for this commit/);
  });

  inLongRun('a push without a merge request', async () => {
    await release('shops', shops('acme-shop'));
    author.propose('direct', shops('acme-shop, globex'));
    git(author.folder, 'push', '--quiet', 'origin', 'HEAD:main');
    await isRefused(/no reviewed plan for this commit/);
  });
});

inLongRun('drift opens one issue, which follows it and is closed when it is gone', async () => {
  await release('shops', shops('acme-shop'));
  const { issues } = gitlab.api;
  expect(results(await gitlab.main('schedule'))).toEqual({ 'roster-drift': 'success' });
  expect(issues).toEqual([]);

  onlyGroup().description = 'by ``` @acme/owners <!-- -->';
  await gitlab.main('schedule');
  expect(issues).toMatchObject([{ title: 'Changed outside roster', state: 'opened' }]);
  const shown = issues[0]?.description.split('\n\n').slice(1).join('\n\n') ?? '';
  expect(shown.split('\n').filter((line) => line !== '' && !line.startsWith('    '))).toEqual([]);
  expect(shown).toContain('@acme/owners');

  onlyGroup().isActive = false;
  await gitlab.main('schedule');
  expect(issues).toHaveLength(1);
  expect(issues[0]?.description).toContain('active');

  Object.assign(onlyGroup(), { description: '', isActive: true });
  await gitlab.main('schedule');
  expect(issues.map(({ state }) => state)).toEqual(['closed']);
  expect(issues[0]?.notes[0]?.body).toMatch(/^Resolved, /);
});

inLongRun('without its variables a job says which', async () => {
  const other = new Gitlab({});
  await other.api.listen();
  try {
    git(author.folder, 'remote', 'set-url', 'origin', `file://${other.remote.path}`);
    git(author.folder, 'push', '--quiet', '--force', 'origin', 'HEAD:main');
    author.propose('shops', shops('acme-shop'));
    const { 'roster-plan': plan } = await other.mergeRequest(other.api.open('shops'));
    expect(plan?.result).toBe('failed');
    expect(plan?.log).toContain('ROSTER_URL: is not set');
  } finally {
    other.remove();
  }
});
