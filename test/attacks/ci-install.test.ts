import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import type { CiFacts, Install } from '../../src/init/ci-facts.js';
import { ciFiles } from '../../src/init/ci-files.js';
import type { Sandbox } from '../../src/sandbox/index.js';
import { Author } from '../support/forge/author.js';
import { applied, GithubTeam, results, shops, shown, the } from '../support/forge/github-team.js';
import { Gitlab } from '../support/forge/gitlab-pipeline.js';
import { startSandbox } from '../support/sandbox.js';
import { isLong } from '../support/size.js';

/** What pipelines install, and what can change it. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const integrity = `sha512-${'A'.repeat(86)}==`;
const sources: readonly Install[] = [
  { from: 'file', path: 'vendor/rosterctl.tgz', version: '1.2.3', integrity },
  { from: 'url', url: 'https://example.com/rosterctl.tgz', version: '1.2.3', integrity },
  {
    from: 'npm',
    version: '1.2.3',
    resolved: `https://registry.npmjs.org/${manifest.name}/-/${manifest.name}-1.2.3.tgz`,
    integrity,
  },
  { from: 'image', image: `registry.example.com/roster@sha256:${'a'.repeat(64)}` },
];
const facts: Omit<CiFacts, 'install'> = {
  planWith: 'snapshot',
  verify: false,
  project: null,
  environments: [],
  promote: [],
  branch: 'main',
  folder: '.',
  url: null,
};

describe.each(sources)('the generated files with an install from $from', (install) => {
  const ofGithub = ciFiles('github', { ...facts, install });
  const ofGitlab = ciFiles('gitlab', { ...facts, install });
  const files = [...ofGithub, ...ofGitlab];

  test('name no package but that of package.json, and only with its exact version', () => {
    const packages = files.flatMap(({ text }) => text.match(/[\w-]+@\d+\.\d+\.\d+/g) ?? []);
    expect(new Set(packages)).toEqual(new Set(install.from === 'npm' ? ['rosterctl@1.2.3'] : []));
    expect(manifest.name).toBe('rosterctl');
  });

  test('install nothing on GitLab but a file, after its hash was checked', () => {
    const npmLines = ofGitlab.flatMap(({ text }) => text.match(/^.*\bnpm (?!pack`).*$/gm) ?? []);
    const installs = npmLines.filter((line) => line.includes('npm install'));
    expect(
      installs.filter((line) => !/npm install --global --ignore-scripts --offline .*"\$tarball"$/.test(line)),
    ).toEqual([]);
    for (const { text } of ofGitlab.filter((each) => each.text.includes('npm install'))) {
      const [checked = ''] = text.split('npm install');
      expect(checked).toContain(`!= '${integrity}'`);
    }
    expect(installs.length > 0).toBe(install.from !== 'image');
  });

  test('install nothing on GitHub but one package from a lockfile, with its hash', () => {
    const npmLines = ofGithub.flatMap(({ text }) => text.match(/\bnpm .*$/gm) ?? []);
    const command = 'npm ci --ignore-scripts --no-audit --no-fund --prefix .github/roster';
    expect(new Set(npmLines)).toEqual(new Set(install.from === 'image' ? [] : [command]));
    const locks = ofGithub.filter(({ path }) => path === '.github/roster/package-lock.json');
    const packages = locks.flatMap(({ text }) => Object.entries(JSON.parse(text).packages));
    expect(packages.filter(([name]) => name !== '')).toEqual(
      install.from === 'image' ? [] : [['node_modules/rosterctl', expect.objectContaining({ integrity })]],
    );
  });
});

describe('a tarball that `npm pack` makes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roster-pack-'));
  const tarball = join(folder, `${manifest.name}-${manifest.version}.tgz`);
  let team: GithubTeam;

  beforeAll(() => {
    const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
    execFileSync('npm', args, { cwd: root, stdio: 'ignore' });
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(async () => {
    team = await GithubTeam.start([], { tarball });
  });
  afterEach(() => team.remove());

  test('is installed in CI without a registry', async () => {
    team.author.propose('shops', 'groups: { shops: { members: x } }\n');
    const runs = await team.github.pullRequest(team.github.openPull('shops'));
    expect(the('validate', runs)).toMatchObject({
      result: 'failure',
      failed: [expect.stringMatching(/ validate /)],
    });
    expect(the('validate', runs).log).toContain('::error file=roster.yaml');
  });

  test('is not installed if a byte of it differs', async () => {
    team.author.branch('main');
    appendFileSync(join(team.author.folder, 'vendor/rosterctl.tgz'), '\n');
    team.author.publish('changed');
    for (const runs of [await team.github.push(), await team.github.schedule()]) {
      const started = runs.filter(({ result }) => result !== 'skipped');
      expect(started.length).toBeGreaterThan(0);
      for (const { failed, log } of started) {
        expect(failed).toEqual([expect.stringMatching(/^npm ci /)]);
        expect(log).toContain('EINTEGRITY');
      }
    }
    expect(team.sandbox.requests).toEqual([]);
  });

  test.runIf(isLong)('takes a change from the pull request to the service', async () => {
    await team.saveSnapshot();
    team.author.propose('shops', shops('acme-shop'));
    const number = team.github.openPull('shops');
    expect(results(await team.github.pullRequest(number))).toEqual(shown);
    team.github.merge(number);
    expect(results(await team.github.push())).toEqual(applied);
    expect(team.sandbox.world.groups.size).toBe(1);
  });
});

describe('on GitLab, the variables of a pipeline', () => {
  let sandbox: Sandbox;
  let gitlab: Gitlab;
  /** A server of an attacker. */
  let other: Server;
  const received: string[] = [];

  beforeEach(async () => {
    sandbox = await startSandbox();
    gitlab = new Gitlab({ ROSTER_API_KEY: sandbox.apiKey });
    await gitlab.api.listen();
    other = createServer((request, response) => {
      received.push(`${request.method} ${request.url}`);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('[]');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const author = new Author(gitlab.remote);
    await author.init('gitlab', ['--url', sandbox.url]);
    author.propose('main', shops('acme-shop'));
  });
  afterEach(async () => {
    other.close();
    gitlab.remove();
  });

  const given = () => {
    const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const tarball = { ROSTER_PACKAGE: 'roster@9.9.9', ROSTER_FOLDER: '/' };
    return { ROSTER_URL: elsewhere, CI_API_V4_URL: `${elsewhere}/api/v4`, ...tarball };
  };

  test('start no job in a manual pipeline', async () => {
    expect(await gitlab.main('web', given())).toEqual({});
  });

  test('decide neither the package nor the service nor the API', async () => {
    const disguised = await gitlab.main('web', { ...given(), CI_PIPELINE_SOURCE: 'push' });
    expect(disguised['roster-review']?.result).toBe('success');
    expect((await gitlab.main('schedule', given()))['roster-drift']?.result).toBe('success');
    expect(received).toEqual([]);
    expect(gitlab.api.requests.length).toBeGreaterThan(0);
  });
});
