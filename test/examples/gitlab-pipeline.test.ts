import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { Author, digestIn } from '../support/forge/author.js';
import { Gitlab, type GitlabRun } from '../support/forge/gitlab-pipeline.js';
import { expectInertMarkdown } from '../support/inert-markdown.js';
import { git } from '../support/repository.js';
import { saveWorld } from '../support/sandbox.js';
import { isLong } from '../support/size.js';

/** The pipeline that `roster init` writes, line by line as GitLab's runners run it. */

/** Each of these takes seconds. */
const inLongRun = test.runIf(isLong);

let sandbox: Sandbox;
let gitlab: Gitlab;
let author: Author;

/** Everything as it was after a first night, with a merge request whose note shows its plan, and after that was applied. */
let withSnapshot: () => void;
let withPlan: (() => void) | null = null;
let withShops: (() => void) | null = null;

beforeAll(async () => {
  sandbox = await startSandbox();
  gitlab = new Gitlab({ ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey });
  await gitlab.api.listen();
  author = new Author(gitlab.remote);
  await author.init('gitlab');
  expect(results(await gitlab.main('schedule'))).toEqual({
    'roster-drift': 'success',
    'roster-pull': 'manual',
  });
  withSnapshot = save();
});
beforeEach(() => goOn(withSnapshot));
afterAll(async () => {
  gitlab.remove();
  await sandbox.close();
});

function save(): () => void {
  const restores = [gitlab.save(), saveWorld(sandbox)];
  return () => {
    for (const restore of restores) restore();
  };
}

function goOn(from: () => void): void {
  from();
  author = new Author(gitlab.remote);
}

/** Goes on from where a merge request that declares one group is planned. */
async function hasPlan(): Promise<number> {
  if (withPlan === null) {
    await planned('shops', shops('acme-shop'));
    withPlan = save();
  }
  goOn(withPlan);
  return gitlab.api.mergeRequests[0]?.iid ?? 0;
}

/** Goes on from where that group is applied. */
async function hasShops(): Promise<void> {
  if (withShops === null) {
    gitlab.merge(await hasPlan());
    await applies();
    withShops = save();
  }
  goOn(withShops);
}

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
  expect(results(await gitlab.webhook(iid))).toEqual({ 'roster-plan': 'success', 'roster-show': 'success' });
  return iid;
}

const firstNote = (iid: number) => gitlab.api.request(iid).notes[0]?.body;
const fate = /<!-- roster: what becomes of it -->\n([\s\S]*?)\n<!-- roster: end -->/;
const fateIn = (iid: number) => fate.exec(firstNote(iid) ?? '')?.[1];

/** The push to main is planned, and applied when somebody starts the job. */
async function applies(): Promise<GitlabRun> {
  expect(results(await gitlab.main('push'))).toEqual({
    'roster-review': 'success',
    'roster-apply': 'manual',
  });
  const run = await gitlab.play('roster-apply');
  expect(run.result).toBe('success');
  return run;
}

describe('a merge request', () => {
  test('is checked and planned, its note follows it, and what was reviewed is applied', async () => {
    const iid = await planned('shops', shops('acme-shop'));
    const [note] = structuredClone(gitlab.api.request(iid).notes);
    expect(note?.body).toMatch(/^<!-- roster:[\w-]+: -->\n\*\*Plan: 1 to create/);

    author.propose('shops', shops('acme-shop, globex'));
    const { 'roster-plan': plan } = await gitlab.mergeRequest(iid);
    expect(plan?.report).toEqual({ create: 1, update: 0, delete: 0 });
    expect(gitlab.api.request(iid).notes).toEqual([note]);
    await gitlab.webhook(iid);
    const { notes } = gitlab.api.request(iid);
    expect(notes.map(({ id }) => id)).toEqual([note?.id]);
    expect(digestIn(notes[0]?.body)).not.toBe(digestIn(note?.body));

    expect(fateIn(iid)).toMatch(/^> After the merge, it is planned again\./);

    gitlab.merge(iid);
    expect((await applies()).log).toContain('Apply complete: 1 created');
    expect(fateIn(iid)).toMatch(/^> \*\*Applied\*\* by `olivia` after the merge: https:/);
    expect(await planIsEmpty()).toBe(true);
  });

  inLongRun('whose apply is not begun, or fails, says so in its note', async () => {
    const iid = await hasPlan();
    gitlab.merge(iid);
    await gitlab.main('push');
    expect(fateIn(iid)).toMatch(/^> Merged\. \*\*Waiting\*\* for a person/);
    sandbox.faults.faults = [{ act: 'status', method: 'POST', path: '/api/search-groups', status: 400 }];
    expect((await gitlab.play('roster-apply')).result).toBe('failed');
    expect(fateIn(iid)).toContain(
      '**Apply failed** (started by `olivia`), and some changes may not have been made: https:',
    );
    sandbox.faults.faults = [];
    expect((await gitlab.play('roster-apply')).result).toBe('success');
    expect(fateIn(iid)).toContain('**Applied**');
  });

  inLongRun('that changes nothing says so in its note after the merge', async () => {
    await hasShops();
    const iid = await planned('comment', `${shops('acme-shop')}# the same\n`);
    gitlab.merge(iid);
    await gitlab.main('push');
    expect(fateIn(iid)).toMatch(/^> Merged\. There was nothing left to apply: /);
  });

  inLongRun('with another commit says what is new since the last one that was shown', async () => {
    const malls = '  malls: { members: [initech] }\n';
    const iid = await planned('since', shops('acme-shop') + malls);
    expect(fateIn(iid)).not.toContain('Since');
    const head = git(author.folder, 'rev-parse', 'origin/since').trim();
    author.propose('since', `${shops('acme-shop, globex')}${malls}  hotels: { members: [globex] }\n`);
    await gitlab.webhook(iid);
    const since = `\n\nSince ${head.slice(0, 7)}: 2 added, 1 gone, 1 the same.`;
    expect(fateIn(iid)).toContain(since);
    await gitlab.webhook(iid);
    expect(fateIn(iid)).toContain(since);

    author.propose('since', 'groups:\n  shops: { membres: [acme-shop] }\n');
    await gitlab.webhook(iid);
    expect(fateIn(iid)).not.toContain('Since');
    const broken = git(author.folder, 'rev-parse', 'origin/since').trim();
    author.propose('since', shops('acme-shop') + malls);
    await gitlab.webhook(iid);
    expect(fateIn(iid)).not.toContain(broken.slice(0, 7));
    expect(fateIn(iid)).toContain('2 gone');
  });

  inLongRun('finds its note among those of others, on whatever page', async () => {
    author.propose('shops', shops('acme-shop'));
    const iid = gitlab.api.open('shops');
    gitlab.api.say(iid, gitlab.api.bot, '<!-- roster:other: -->\nof another project');
    for (let n = 0; n < 120; n += 1) gitlab.api.say(iid, 3, `note ${n}`);
    await gitlab.webhook(iid);
    await gitlab.webhook(iid);
    const own = gitlab.api.request(iid).notes.filter((each) => each.author.id === gitlab.api.bot);
    expect(own.map(({ body }) => body.split('\n')[1])).toEqual([
      'of another project',
      expect.stringContaining('**Plan: 1 to create'),
    ]);
  });

  inLongRun('whose plan apply would refuse fails, and shows the plan all the same', async () => {
    await hasShops();
    author.propose('none', 'limits: { deletes: 0 }\ngroups:\n  other: { members: [globex] }\n');
    const iid = gitlab.api.open('none');
    const { 'roster-plan': plan } = await gitlab.mergeRequest(iid);
    expect(plan?.result).toBe('failed');
    const shown = await gitlab.webhook(iid);
    expect(results(shown)).toEqual({ 'roster-plan': 'failed', 'roster-show': 'success' });
    expect(firstNote(iid)).toContain('`too-many-deletes`');
    expect(fateIn(iid)).toContain('**Merging applies nothing:** roster refuses to apply this plan');
  });

  inLongRun(
    'of a fork is planned without a variable, and its note is written by the default branch',
    async () => {
      author.propose('fork', shops('acme-shop'));
      const iid = gitlab.api.open('fork');
      const runs = await gitlab.mergeRequest(iid, true);
      expect(results(runs)).toEqual({ 'roster-validate': 'success', 'roster-plan': 'success' });
      expect(runs['roster-plan']?.report).toEqual({ create: 1, update: 0, delete: 0 });
      await gitlab.webhook(iid, true);
      expect(firstNote(iid)).toContain('**Plan: 1 to create');
    },
  );

  inLongRun('with invalid manifests gets a note with the errors', async () => {
    author.propose('invalid', 'groups:\n  shops: { membres: [acme-shop] }\n');
    const iid = gitlab.api.open('invalid');
    await gitlab.webhook(iid);
    expect(firstNote(iid)).toContain('membres');
    expect(fateIn(iid)).toMatch(/^> Merging applies nothing: /);
  });

  inLongRun('is planned as it will be merged, and not at all with conflicts', async () => {
    author.propose('one', shops('acme-shop'));
    author.propose('other', shops('globex'));
    const [one, other] = [gitlab.api.open('one'), gitlab.api.open('other')];
    await gitlab.webhook(one);
    gitlab.merge(one);
    const { 'roster-plan': plan } = await gitlab.webhook(other);
    expect(plan).toMatchObject({ result: 'failed', log: expect.stringContaining('has conflicts') });
    expect(firstNote(other)).toMatch(/^<!-- roster:[\w-]+: -->\n\*\*No plan\.\*\* .* has conflicts/);
    expect(fateIn(other)).toMatch(/^> Merging applies nothing: /);
  });

  inLongRun('that is of another project by its files gets the note of its own project', async () => {
    await hasPlan();
    author.branch('renamed');
    const file = join(author.project, 'roster.yaml');
    const own = /^project: (.*)$/m.exec(readFileSync(file, 'utf8'))?.[1];
    for (const text of [
      readFileSync(file, 'utf8').replace(/^project: .*$/m, 'project: billing'),
      'project: billing\ngroups: [',
    ]) {
      writeFileSync(file, text);
      author.commit('renamed');
      git(author.folder, 'push', '--quiet', '--force', 'origin', 'HEAD:renamed');
      const iid = gitlab.api.open('renamed');
      gitlab.api.say(iid, gitlab.api.bot, '<!-- roster:billing: -->\nof another project');
      expect(results(await gitlab.webhook(iid))).toEqual({
        'roster-plan': 'failed',
        'roster-show': 'success',
      });
      expect(gitlab.api.request(iid).notes.map(({ body }) => body)).toEqual([
        '<!-- roster:billing: -->\nof another project',
        expect.stringMatching(
          new RegExp(`^<!-- roster:${own}: -->\n\\*\\*No plan[\\s\\S]*Merging applies nothing`),
        ),
      ]);
    }
  });

  inLongRun('that is closed, merged, or pushed to meanwhile gets no note', async () => {
    author.propose('shops', shops('acme-shop'));
    const iid = gitlab.api.open('shops');
    expect((await gitlab.triggered({ object_kind: 'push' }))['roster-plan']?.log).toContain(
      'nothing to plan',
    );
    gitlab.api.request(iid).state = 'merged';
    expect((await gitlab.webhook(iid))['roster-plan']?.log).toContain('nothing to plan');
    gitlab.api.request(iid).state = 'opened';
    gitlab.options.watcher = {
      around: ({ name, run }) => {
        if (name === 'roster-show') gitlab.api.request(iid).sha = 'f'.repeat(40);
        return run();
      },
    };
    expect((await gitlab.webhook(iid))['roster-show']?.log).toContain('is not the last commit');
    expect(gitlab.api.request(iid).notes).toEqual([]);
  });

  inLongRun('is planned without a key: no job of it sends a request', async () => {
    const before = sandbox.requests.length;
    await planned('shops', shops('acme-shop'));
    expect(sandbox.requests.length).toBe(before);
  });

  inLongRun('without a snapshot fails, and says how to get one', async () => {
    const [ref = ''] = gitlab.remote
      .git('for-each-ref', '--format=%(refname)', 'refs/heads/roster-snap*')
      .split('\n');
    gitlab.remote.git('update-ref', '-d', ref);
    author.propose('shops', shops('acme-shop'));
    const { 'roster-plan': plan } = await gitlab.mergeRequest(gitlab.api.open('shops'));
    expect(plan?.result).toBe('failed');
    expect(plan?.log).toContain('Run a scheduled pipeline of the default branch');
  });
});

inLongRun('a service that changed after the plan was shown is not applied to', async () => {
  await hasShops();
  gitlab.merge(await planned('more', shops('acme-shop, globex')));
  expect(results(await gitlab.main('push'))).toMatchObject({ 'roster-apply': 'manual' });
  onlyGroup().description = 'changed by hand';
  const { result, log } = await gitlab.play('roster-apply');
  expect(result).toBe('failed');
  expect(log).toMatch(/^error\[stale-plan\]/m);
  expect(onlyGroup().description).toBe('changed by hand');
  await applies();
  expect(await planIsEmpty()).toBe(true);
});

inLongRun('a plan of an older commit is not applied, although the service has not changed', async () => {
  const first = await hasPlan();
  gitlab.merge(first);
  await gitlab.main('push');
  const older = gitlab.last;
  gitlab.merge(await planned('readme', `${shops('acme-shop')}# a comment\n`));
  const { result, log } = await gitlab.play('roster-apply', older);
  expect([result, log]).toEqual([
    'failed',
    expect.stringContaining('Skipped, because a newer commit was pushed'),
  ]);
  expect(fateIn(first)).toContain('**Not applied:** the job that applies it did not begin: ');
  expect(sandbox.world.groups.size).toBe(0);
  await applies();
});

inLongRun('a plan of an older commit waits for nobody, whatever other branches are called', async () => {
  const iid = await hasPlan();
  gitlab.merge(iid);
  gitlab.options.watcher = {
    around: ({ name, run }) => {
      if (name === 'roster-review') {
        gitlab.remote.git('update-ref', 'refs/heads/a/refs/heads/main', 'main');
        author.branch('main');
        git(author.folder, 'commit', '--quiet', '--allow-empty', '-m', 'newer');
        git(author.folder, 'push', '--quiet', 'origin', 'HEAD:main');
      }
      return run();
    },
  };
  const { 'roster-review': review } = await gitlab.main('push');
  expect(review).toMatchObject({
    result: 'failed',
    log: expect.stringContaining('Skipped, because a newer commit was pushed'),
  });
  expect(fateIn(iid)).toContain('**Not applied:** a newer commit was pushed');
});

inLongRun('drift opens one issue, which follows it and is closed when it is gone', async () => {
  await hasShops();
  const { issues } = gitlab.api;
  expect(results(await gitlab.main('schedule'))).toEqual({
    'roster-drift': 'success',
    'roster-pull': 'manual',
  });
  expect(issues).toEqual([]);

  onlyGroup().description = 'by ``` @acme/owners <!-- -->';
  await gitlab.main('schedule');
  expect(issues).toMatchObject([
    { title: expect.stringMatching(/^Changed outside roster: /), state: 'opened' },
  ]);
  const shown = issues[0]?.description ?? '';
  expectInertMarkdown(shown.replace(/\nFound by .*\n$/, ''), gitlab.api.url);
  expect(shown).toContain('@acme/owners');
  expect(shown).toMatch(/^\| never run \| `group\/shops` \| drifted \|.*\n\nFound by/m);

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
  const { ROSTER_URL: _, ...others } = gitlab.scoped['roster-plan'] ?? {};
  gitlab.scoped['roster-plan'] = others;
  const { 'roster-drift': drift } = await gitlab.main('schedule');
  expect(drift).toMatchObject({ result: 'failed', log: expect.stringContaining('ROSTER_URL: is not set') });
  gitlab.scoped['roster-*'] = {};
  author.propose('shops', shops('acme-shop'));
  const { 'roster-show': show } = await gitlab.webhook(gitlab.api.open('shops'));
  expect(show?.result).toBe('failed');
  expect(show?.log).toContain('the variable ROSTER_GITLAB_TOKEN is not set');
});

inLongRun('with --plan-with key, only the default branch plans with the key, and no fork', async () => {
  const other = new Gitlab({ ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey });
  await other.api.listen();
  try {
    const live = new Author(other.remote);
    await live.init('gitlab', ['--plan-with', 'key']);
    live.propose('shops', shops('acme-shop'));
    const iid = other.api.open('shops');
    const before = sandbox.requests.length;
    expect(results(await other.mergeRequest(iid))).toEqual({ 'roster-validate': 'success' });
    expect((await other.webhook(iid, true))['roster-plan']?.log).toContain('is from a fork');
    expect(sandbox.requests.length).toBe(before);
    await other.webhook(iid);
    expect(sandbox.requests.length).toBeGreaterThan(before);
    expect(other.api.request(iid).notes[0]?.body).toContain('**Plan: 1 to create');
  } finally {
    other.remove();
  }
});

inLongRun(
  'the job roster-pull opens one merge request that accepts the changes, and updates it',
  async () => {
    await hasShops();
    await gitlab.main('schedule');
    expect((await gitlab.play('roster-pull')).log).toContain('Nothing that is declared was changed');
    expect(gitlab.pushed()).toEqual([]);

    for (const description of ['by ``` @acme </pre>', 'again']) {
      onlyGroup().description = description;
      expect((await gitlab.play('roster-pull')).result).toBe('success');
    }
    const [first = [], second = []] = gitlab.pushed();
    expect(first.slice(0, 2)).toEqual(['merge_request.create', 'merge_request.target=main']);
    expect(first[2]).toMatch(/^merge_request.title=Accept changes made outside roster: /);
    expect(first[3]).toMatch(
      /^merge_request.description=<p>[^<]*<code>roster pull<\/code>[^<]*<\/p><pre>[\w &#;,.:/-]+<\/pre><p>Made by/,
    );
    expect(second[3]).toContain('group/shops');
    const [branch = ''] = gitlab.remote
      .git('for-each-ref', '--format=%(refname)', 'refs/heads/roster-pull')
      .split('\n');
    expect(gitlab.remote.git('diff', '--unified=0', `main...${branch}`)).toContain('description: again');
  },
);
