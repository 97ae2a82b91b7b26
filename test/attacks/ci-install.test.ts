import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import type { CiFacts, Install } from '../../src/init/ci-facts.js';
import { ciFiles } from '../../src/init/ci-files.js';
import { installCommand } from '../../src/init/install-files.js';
import type { Sandbox } from '../../src/sandbox/index.js';
import { Author } from '../support/forge/author.js';
import { applied, GithubTeam, results, shops, shown, the } from '../support/forge/github-team.js';
import { Gitlab } from '../support/forge/gitlab-pipeline.js';
import { Machine } from '../support/forge/runner.js';
import { roster } from '../support/program.js';
import { git } from '../support/repository.js';
import { startSandbox } from '../support/sandbox.js';
import { isLong } from '../support/size.js';

/** What pipelines install, and what can change it. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const integrity = `sha512-${'A'.repeat(86)}==`;
const sources: readonly Install[] = [
  { from: 'file', path: 'vendor/rosterctl.tgz', version: '1.2.3', integrity },
  { from: 'url', url: 'https://example.com/rosterctl.tgz', version: '1.2.3', integrity },
  { from: 'npm', version: '1.2.3', integrity },
  { from: 'image', image: `registry.example.com/roster@sha256:${'a'.repeat(64)}` },
];
const facts: Omit<CiFacts, 'install'> = {
  planWith: 'snapshot',
  verify: null,
  project: null,
  environments: [],
  promote: [],
  branch: 'main',
  folder: '.',
  url: null,
};

describe.each(sources)('the generated files with an install from $from', (install) => {
  const hosts = ['github', 'gitlab'] as const;
  const of = (host: (typeof hosts)[number]) => ciFiles(host, { ...facts, install });

  test('name no package but in the lockfile', () => {
    const files = hosts.flatMap(of);
    const packages = files.flatMap(({ text }) => text.match(/[\w-]+@\d+\.\d+\.\d+/g) ?? []);
    expect(packages).toEqual([]);
    expect(manifest.name).toBe('rosterctl');
  });

  test.each(hosts)('install nothing on %s but one package from a lockfile, with its hash', (host) => {
    const npmLines = of(host).flatMap(({ text }) => text.match(/\bnpm .*$/gm) ?? []);
    const command = `npm ci --ignore-scripts --no-audit --no-fund --prefix .${host}/roster`;
    const locked = of(host).map(({ text }) => text);
    if (install.from === 'npm') expect(locked.join()).not.toMatch(/"resolved"|registry/);
    expect(new Set(npmLines)).toEqual(new Set(install.from === 'image' ? [] : [command]));
    const locks = of(host).filter(({ path }) => path === `.${host}/roster/package-lock.json`);
    const packages = locks.flatMap(({ text }) => Object.entries(JSON.parse(text).packages));
    expect(packages.filter(([name]) => name !== '')).toEqual(
      install.from === 'image' ? [] : [['node_modules/rosterctl', expect.objectContaining({ integrity })]],
    );
  });

  test.each(hosts)('run on %s in the image that was named by its digest, or in none of roster', (host) => {
    const files = of(host).filter(({ path }) => path.startsWith(`.${host}/`) && path.endsWith('.yml'));
    const images = files.flatMap(({ text }) => text.match(/^ *(?:container|image): .*$/gm) ?? []);
    const own = host === 'gitlab' ? ['node:24'] : [];
    expect(new Set(images.map((each) => each.replace(/^ *\w+: /, '')))).toEqual(
      new Set(install.from === 'image' ? [install.image] : own),
    );
  });
});

describe('a version that is in a registry', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roster-registry-'));
  const path = `/${manifest.name}/-/${manifest.name}-${manifest.version}.tgz`;
  let tarball: Buffer;
  /** What the registry sends for the tarball. */
  let sent: Buffer;
  let hashes: { readonly integrity?: string };
  let registry: Server;
  let url: string;

  beforeAll(async () => {
    const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
    execFileSync('npm', args, { cwd: root, stdio: 'ignore' });
    tarball = readFileSync(join(folder, `${manifest.name}-${manifest.version}.tgz`));
    // A mirror below a path, for those who have a token.
    registry = createServer((request, response) => {
      if (request.headers.authorization !== 'Bearer of-the-mirror') return void response.writeHead(401).end();
      if (request.url === `/mirror${path}`) return void response.end(sent);
      const { name, version } = manifest;
      const dist = { tarball: `${url}${path}`, shasum: 'a'.repeat(40), ...hashes };
      const versions = { [version]: { name, version, dist } };
      const known = { name, 'dist-tags': { latest: version }, versions };
      if (request.url === `/mirror/${name}`) response.end(JSON.stringify(known));
      else response.writeHead(404).end('{}');
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/mirror`;
  });
  beforeEach(() => {
    sent = tarball;
    hashes = { integrity: hashOf(tarball) };
  });
  afterAll(() => {
    registry.close();
    rmSync(folder, { recursive: true });
  });

  const hashOf = (bytes: Buffer) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

  /** A runner with the files that `roster init` writes for this version of the registry. */
  async function runner(host: 'github' | 'gitlab', version: string = manifest.version) {
    const machine = new Machine(undefined, { realNpm: true });
    onTestFinished(() => machine.remove());
    git(machine.workspace, 'init', '--quiet', '--initial-branch=main');
    const token = `${url.replace('http:', '')}/:_authToken=of-the-mirror`;
    const settings = [`registry=${url}/`, token, `cache=${machine.home}/cache`];
    writeFileSync(join(machine.workspace, '.npmrc'), `${settings.join('\n')}\n`);
    const cwd = join(machine.workspace, 'data');
    mkdirSync(cwd);
    const words = ['init', '--ci', host, '--install', `npm:${manifest.name}@${version}`];
    const made = await roster(words, { cwd });
    // The registry of the job is that of the file.
    const install = () => machine.run(installCommand(host), '.', { npm_config_registry: '' });
    const program = join(machine.workspace, `.${host}/roster/node_modules/.bin/roster`);
    return { machine, made, install, program };
  }

  test.each(['github', 'gitlab'] as const)(
    'is installed on %s through a mirror that the `.npmrc` of the repository names, with the hash of the registry',
    async (host) => {
      const { machine, made, install, program } = await runner(host);
      expect(made).toMatchObject({ exit: 0, stdout: expect.stringContaining(hashOf(tarball)) });
      expect((await install()).exit).toBe(0);
      expect(await machine.run(`'${program}' --version`, '.', {})).toMatchObject({
        exit: 0,
        log: expect.stringContaining(manifest.version),
      });
    },
  );

  test('is not installed if the registry sends something else later', async () => {
    const { install, program } = await runner('github');
    sent = Buffer.concat([tarball, Buffer.from('\n')]);
    const { exit, log } = await install();
    expect([exit === 0, log]).toEqual([false, expect.stringContaining('EINTEGRITY')]);
    expect(existsSync(program)).toBe(false);
  });

  test('without a sha512 hash is an error of init that says so', async () => {
    hashes = {};
    const { made } = await runner('github');
    expect(made).toMatchObject({ exit: 1, stderr: expect.stringMatching(/not\s+its\s+sha512/) });
  });

  test('that does not exist is an error of init, which writes no file for CI', async () => {
    const { machine, made } = await runner('github', '9.9.9');
    expect(made).toMatchObject({ exit: 1, stderr: expect.stringContaining('npm does not know') });
    expect(existsSync(join(machine.workspace, '.github'))).toBe(false);
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
        expect(failed).toEqual([expect.stringMatching(/; npm ci /)]);
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
    const { 'roster-drift': drift } = await gitlab.main('schedule', given());
    expect(drift).toMatchObject({
      result: 'failed',
      log: expect.stringContaining('CI_API_V4_URL is not on'),
    });
    expect(received).toEqual([]);
  });
});
