import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { Author } from '../support/forge/author.js';
import type { JobRun } from '../support/forge/github.js';
import { GithubTeam, results, Saved, shops, shown } from '../support/forge/github-team.js';
import { Gitlab } from '../support/forge/gitlab-pipeline.js';
import { git } from '../support/repository.js';
import { startSandbox } from '../support/sandbox.js';
import { isLong } from '../support/size.js';

/** The project's folder becomes files that git takes for a bare repository, whose settings name a program to run. */

const digest = `sha256:${'f'.repeat(64)}`;

let cleanUp: () => unknown = () => {};
afterEach(() => cleanUp());

/** Written by the program: where pipelines look for their results, and next to the remote. */
function forgery(marker: string): string {
  return `touch '${marker}'
if [ -n "$RUNNER_TEMP" ]; then
  mkdir -p "$RUNNER_TEMP/roster-plan-remote"
  echo "<!-- forged -->" > "$RUNNER_TEMP/roster-plan-remote/plan.md"
  echo '{"digest":"${digest}"}' > "$RUNNER_TEMP/roster-plan-remote/plan.json"
fi
exit 1
`;
}

/** Pushes the files to a branch. */
function disguise(author: Author, branch: string, marker: string): void {
  author.propose(branch, shops('acme-shop'));
  const missing = 'd'.repeat(40);
  const files = {
    HEAD: 'ref: refs/heads/main\n',
    'refs/heads/main': `${missing}\n`,
    'objects/.keep': '',
    'x.sh': forgery(marker),
    config: `[core]
\trepositoryformatversion = 1
\tbare = true
\tsshCommand = sh ./x.sh
[extensions]
\tpartialClone = origin
[remote "origin"]
\turl = ssh://x@127.0.0.1/x
\tpromisor = true
\tpartialclonefilter = blob:none
`,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(author.project, path)), { recursive: true });
    writeFileSync(join(author.project, path), text);
  }
  author.commit('a disguise');
  git(author.folder, 'push', '--quiet', 'origin', branch);
}

describe.each([[[]], [['--plan-with', 'key']]])('on GitHub with the flags %j', (flags) => {
  let first: GithubTeam;
  let withSnapshot: Saved;

  beforeAll(async () => {
    first = await GithubTeam.start(flags, { inside: 'data/config' });
    await first.saveSnapshot();
    withSnapshot = await Saved.of(first.github, first.author, [first.sandbox]);
  });
  afterAll(async () => {
    withSnapshot.remove();
    await first.remove();
  });

  async function start(): Promise<{ team: GithubTeam; marker: string }> {
    const { github, author } = await withSnapshot.next();
    cleanUp = () => github.remove();
    const team = new GithubTeam(first.sandbox, github, author);
    return { team, marker: join(github.remote.root, 'was-run') };
  }

  /** Of the pull request, and the marker is removed. */
  async function pullRequest(team: GithubTeam, marker: string): Promise<[number, readonly JobRun[]]> {
    disguise(team.author, 'disguised', marker);
    const number = team.github.openPull('disguised');
    return [number, await team.github.pullRequest(number)];
  }

  test('a pull request runs no program, and shows its real plan or none', async () => {
    const { team, marker } = await start();
    const [number, runs] = await pullRequest(team, marker);
    expect(existsSync(marker)).toBe(false);
    const comments = team.github.comments(number).map(({ body }) => body);
    // With the key, roster looks for the inventory's repository, and refuses this folder.
    if (flags.length > 0)
      expect(comments).toEqual([expect.stringMatching(/^(?!.*\*\*Plan:).*\*\*error\*\*/s)]);
    else expect(comments).toEqual([expect.stringContaining('**Plan: 1 to create')]);
    expect(results(runs)).toMatchObject(
      flags.length > 0 ? { 'plan/plan': 'failure', show: 'success' } : shown,
    );
    expect(team.github.api.artifacts.filter(({ name }) => name.includes('f'.repeat(64)))).toEqual([]);
  });

  test.runIf(isLong)('its merge runs no program with the key', async () => {
    const { team, marker } = await start();
    const [number] = await pullRequest(team, marker);
    rmSync(marker, { force: true });
    team.github.merge(number);
    await team.github.push();
    expect(existsSync(marker)).toBe(false);
  });
});

describe('on GitLab', () => {
  let sandbox: Sandbox;

  test('no pipeline runs a program of the branch', async () => {
    sandbox = await startSandbox();
    const gitlab = new Gitlab(
      { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey },
      { ROSTER_INVENTORY: 'inventory.json' },
    );
    cleanUp = async () => {
      gitlab.remove();
      await sandbox.close();
    };
    await gitlab.api.listen();
    const author = new Author(gitlab.remote, 'data/config');
    await author.init('gitlab');
    const marker = join(gitlab.remote.root, 'was-run');
    disguise(author, 'disguised', marker);
    gitlab.remote.git('update-ref', 'refs/heads/main', 'disguised');
    const { 'roster-drift': drift } = await gitlab.main('schedule');
    expect(existsSync(marker)).toBe(false);
    expect(drift?.result).toBe('success');
    const { 'roster-plan': plan } = await gitlab.mergeRequest(gitlab.api.open('disguised'));
    expect(existsSync(marker)).toBe(false);
    expect(plan?.result).toBe('success');
  });
});
