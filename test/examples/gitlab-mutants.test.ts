import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ciFiles } from '../../src/init/ci-files.js';
import { startSandbox } from '../../src/sandbox/index.js';
import { Author } from '../support/forge/author.js';
import { Gitlab, type GitlabJob, jobsIn } from '../support/forge/gitlab-pipeline.js';
import { GitlabReplay, gitlabMutants } from '../support/forge/gitlab-replay.js';
import { ruleHolds } from '../support/forge/gitlab-rules.js';
import { isLong } from '../support/size.js';

/** Each rule, command, artifact and dependency of the pipeline is needed: without it, something that a team sees differs. */

const facts = {
  install: { from: 'file', path: 'vendor/rosterctl.tgz', version: '1.2.3', integrity: 'sha512-' },
  planWith: 'snapshot',
  verify: null,
  project: null,
  environments: [],
  promote: [],
  branch: 'main',
  folder: '.',
  url: null,
} as const;

const folder = mkdtempSync(join(tmpdir(), 'roster-gitlab-'));
afterAll(() => rmSync(folder, { recursive: true }));
for (const { path, text } of ciFiles('gitlab', facts)) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
const jobs = jobsIn(folder);

const pipelines = ['push', 'web', 'api', 'schedule', 'trigger', 'merge_request_event'].flatMap((source) =>
  ['main', 'topic'].flatMap((branch) =>
    ['true', 'false'].map((isProtected) => ({
      CI_PIPELINE_SOURCE: source,
      ...(source === 'merge_request_event' ? {} : { CI_COMMIT_BRANCH: branch }),
      CI_COMMIT_REF_PROTECTED: isProtected,
    })),
  ),
);

/** The pipelines that a job is part of. */
function runsIn({ rules }: Pick<GitlabJob, 'rules'>): readonly string[] {
  const of = pipelines.flatMap((variables) => {
    const rule = rules?.find((each) => ruleHolds(each.if, variables));
    if (rules !== undefined && rule === undefined) return [];
    const { CI_PIPELINE_SOURCE: source, CI_COMMIT_BRANCH: branch = 'none' } = variables;
    const state = variables.CI_COMMIT_REF_PROTECTED === 'true' ? 'protected' : 'unprotected';
    return [
      `${source} ${branch} ${source === 'merge_request_event' ? '' : state} ${rule?.when ?? ''}`.trim(),
    ];
  });
  return [...new Set(of.map((each) => each.replace(/ +/g, ' ')))];
}

const inMergeRequests = ['merge_request_event none'];
const expected: Readonly<Record<string, readonly string[]>> = {
  'roster-validate': inMergeRequests,
  'roster-plan': ['trigger main protected', ...inMergeRequests],
  'roster-show': ['trigger main protected'],
  'roster-review': ['push main protected'],
  'roster-apply': ['push main protected manual'],
  'roster-drift': ['push main protected', 'schedule main protected'],
  'roster-pull': ['schedule main protected manual'],
};

describe('rules', () => {
  test('run each job in the pipelines that it is meant for, and with the key only on the protected default branch', () => {
    expect(Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, runsIn(job)]))).toEqual(
      expected,
    );
  });

  test('and needs put what was planned before what shows or applies it, and the snapshot after it', () => {
    const needs = ['show', 'apply', 'drift'].map((each) => jobs[`roster-${each}`]?.needs);
    expect(needs).toEqual([['roster-plan'], ['roster-review'], [{ job: 'roster-apply', optional: true }]]);
  });

  test('the job that reads files of others has no environment, and so no secret; only that which shows has the token alone', () => {
    const of = (name: string) => jobs[name]?.environment;
    expect([of('roster-validate'), of('roster-plan')]).toEqual([undefined, undefined]);
    expect(of('roster-show')).toEqual({ name: 'roster-show', action: 'verify' });
    expect(of('roster-apply')).toBe('production');
  });

  const parts = Object.entries(jobs).flatMap(([name, { rules = [] }]) =>
    rules.flatMap(({ if: condition, when }, at) => {
      const all = condition.split(' && ');
      const without = (part: string) => all.filter((each) => each !== part).join(' && ');
      const kept = when === undefined ? {} : { when };
      return [
        ...all
          .filter((part) => without(part) !== '')
          .map((part) => [name, part, rules.with(at, { if: without(part), ...kept })] as const),
        ...(when === undefined ? [] : [[name, `when: ${when}`, rules.with(at, { if: condition })] as const]),
        [name, condition, undefined] as const,
      ];
    }),
  );
  test.each(parts)('of %s need "%s"', (name, _, rules) => {
    expect(runsIn(rules === undefined ? {} : { rules })).not.toEqual(expected[name]);
  });
});

/** What no team notices here, with the reason. */
const unnoticed: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(jobs).map((name) => [
    `${name}: without variables`,
    'the history is so short here that its last commit is enough',
  ]),
);

const shops = (members: string) => `groups:\n  shops:\n    name: Shops\n    members: [${members}]\n`;

/** What no team noticed. */
async function unnoticedByTeam(): Promise<readonly string[]> {
  const sandbox = await startSandbox();
  const gitlab = new Gitlab({ ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey });
  await gitlab.api.listen();
  const describeGroups = (text: string) => {
    for (const group of sandbox.world.groups.values()) group.description = text;
  };
  try {
    const author = new Author(gitlab.remote);
    await author.init('gitlab');
    const replay = new GitlabReplay(gitlab, sandbox.world.groups, gitlabMutants(jobsIn(author.folder)));
    gitlab.options.watcher = replay;
    author.propose('early', shops('acme-shop'));
    const merge = async (branch: string, declared: string) => {
      author.propose(branch, declared);
      const iid = gitlab.api.open(branch);
      await gitlab.mergeRequest(iid);
      await gitlab.webhook(iid);
      gitlab.merge(iid);
      await gitlab.main('push');
      return gitlab.play('roster-apply');
    };
    await gitlab.mergeRequest(gitlab.api.open('early'));
    await gitlab.main('schedule');
    author.propose('invalid', 'groups:\n  shops: { membres: [acme-shop] }\n');
    const invalid = gitlab.api.open('invalid');
    await gitlab.mergeRequest(invalid);
    await gitlab.webhook(invalid);
    author.propose('fork', shops('globex'));
    await gitlab.mergeRequest(gitlab.api.open('fork'), true);
    expect((await merge('shops', shops('acme-shop'))).result).toBe('success');
    await gitlab.main('schedule');
    await gitlab.play('roster-pull');
    describeGroups('by hand');
    await gitlab.main('schedule');
    await gitlab.play('roster-pull');
    describeGroups('');
    await gitlab.main('schedule');
    return [...replay.unnoticed].map(({ name }) => name).sort();
  } finally {
    gitlab.remove();
    await sandbox.close();
  }
}

test.runIf(isLong)('a team notices each command, artifact and dependency that is left out', async () => {
  expect(await unnoticedByTeam()).toEqual(Object.keys(unnoticed).sort());
});
