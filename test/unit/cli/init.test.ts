import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createAll, occupantOf } from '../../../src/engine/init/new-files.js';
import { readRemoteUrl } from '../../../src/engine/init/repository-facts.js';
import { kinds } from '../../../src/kinds/index.js';
import { loadProject } from '../../../src/manifest/load.js';
import { jsonOf } from '../../support/json.js';
import { git, initRepository } from '../../support/repository.js';
import { Workspace } from '../../support/roster.js';
import { filesBelow } from '../../support/secrets.js';

let workspace: Workspace;

beforeEach(() => {
  workspace = new Workspace({}, { url: '', apiKey: '' });
});

interface Made {
  readonly written: string[];
  readonly replaced: string[];
  readonly obsolete: string[];
  readonly leftAlone: { readonly path: string; readonly why: string; readonly add: string | null }[];
  readonly ci: { readonly host: string | null; readonly why: string };
  readonly next: string[];
}

/** What CI installs. */
function install(): string[] {
  workspace.write('vendor/rosterctl-1.2.3.tgz', 'a tarball');
  return ['--install', join(workspace.root, 'vendor/rosterctl-1.2.3.tgz')];
}

/** With pipelines, unless the flags say otherwise. */
async function init(...flags: string[]): Promise<Made> {
  const given = flags.includes('--install') || flags.includes('none') ? [] : install();
  const { exit, stdout, stderr } = await workspace.command(['init', '--format', 'json', ...flags, ...given]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return jsonOf<Made>({ stdout });
}

function repository(url: string | null, branch = 'main'): void {
  initRepository(workspace.root, url, branch);
}

const read = (path: string) => readFileSync(join(workspace.root, path), 'utf8');

const ofProject = [
  'roster.yaml',
  'schemas/project.schema.json',
  'schemas/manifest.schema.json',
  '.vscode/settings.json',
  '.gitignore',
];
const ofGithub = [
  ...['roster', 'roster-plan', 'roster-environment'].map((name) => `.github/workflows/${name}.yml`),
  '.github/roster/package.json',
  '.github/roster/package-lock.json',
];
const ofGitlab = [
  '.gitlab-ci.yml',
  '.gitlab/roster.yml',
  '.gitlab/roster/package.json',
  '.gitlab/roster/package-lock.json',
];

/** The project that was written, as every command reads it. */
async function project() {
  expect((await workspace.command(['validate'])).exit).toBe(0);
  expect((await workspace.command(['fmt', '--check'])).exit).toBe(0);
  const options = { cwd: workspace.root, environment: null, env: {}, kinds };
  const { project: loaded, diagnostics } = loadProject(options);
  expect(diagnostics).toEqual([]);
  if (loaded === null) throw new Error('there is no project');
  return loaded;
}

describe('init', () => {
  it('writes a valid project and GitHub workflows into an empty folder', async () => {
    const made = await init();
    expect(made).toMatchObject({
      written: [...ofProject, ...ofGithub],
      leftAlone: [],
      ci: { host: 'github', why: expect.stringContaining('there is no git remote') },
    });
    // A remote that is not there yet keeps nothing.
    expect(made.next).toContainEqual(expect.stringContaining('`inventory: { git: {} }`'));
    expect(await project()).toMatchObject({
      url: null,
      inventory: { file: 'roster.inventory.json' },
      entries: [],
    });
  });

  it.each([
    [{}, [], 'Set `ROSTER_URL` and `ROSTER_API_KEY`.'],
    [{ ROSTER_URL: 'https://collect.example.com' }, [], 'Set `ROSTER_API_KEY`.'],
    [{ ROSTER_API_KEY_FILE: 'key' }, ['--url', 'https://collect.example.com'], 'Run `roster pull`'],
  ])('says to set only what is not set: %j %j', async (env, flags, first) => {
    workspace.env = env;
    const made = await init('--ci', 'none', ...flags);
    expect(made.next[0]).toContain(first);
  });

  it('treats a missing git like a folder without a repository', async () => {
    repository('git@github.com:acme/config.git');
    workspace.env = { PATH: '/nowhere' };
    expect(await init()).toMatchObject({ written: [...ofProject, ...ofGithub], ci: { host: 'github' } });
  });

  it('makes git ignore the files that must not be committed', async () => {
    repository('git@github.com:acme/config.git');
    await init();
    const ignored = ['.secrets/ci.key', 'roster.inventory.json.lock', 'roster.snapshot.json', 'plan.md'];
    const listed = git(workspace.root, 'check-ignore', ...ignored, 'docs/plan.md', 'roster.yaml');
    expect(listed.trim().split('\n')).toEqual(ignored);
  });

  it('writes nothing when git cannot read the repository', async () => {
    workspace.write('.git', 'gitdir: nowhere\n');
    const { exit, stderr } = await workspace.command(['init']);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('git cannot find the repository')]);
    expect(readdirSync(workspace.root)).toEqual(['.git']);
  });

  it.each([
    ['git@github.com:acme/Collect_Config.git', 'github', ofGithub],
    ['https://github.example.com/acme/Collect_Config', 'github', ofGithub],
    ['ssh://git@gitlab.example.com:2222/acme/data/Collect_Config.git', 'gitlab', ofGitlab],
    ['https://oauth2:secret@gitlab.com/acme/Collect_Config.git/', 'gitlab', ofGitlab],
  ])('beside %s is for %s', async (url, host, files) => {
    repository(url);
    const made = await init();
    expect(made).toMatchObject({ written: [...ofProject, ...files], leftAlone: [], ci: { host } });
    expect(JSON.stringify(made)).not.toContain('secret@');
    expect(await project()).toMatchObject({
      name: 'collect-config',
      inventory: { git: { ref: 'refs/heads/roster-inventory', remote: 'origin' } },
    });
  });

  it('chooses the CI host by the files of the repository when the remote is unknown', async () => {
    repository('https://git.example.com/acme/config.git');
    expect((await init()).ci).toMatchObject({ host: null });
    workspace.write('.gitlab-ci.yml', 'stages: [test]\n');
    expect((await init()).ci).toEqual({ host: 'gitlab', why: 'The repository has a file .gitlab-ci.yml.' });
  });

  it('writes pipelines for the host given with --ci', async () => {
    repository('git@github.com:acme/config.git');
    expect((await init('--ci', 'none')).written).toEqual(ofProject);
    expect((await init('--ci', 'gitlab')).written).toEqual(ofGitlab);
    const { exit, stdout } = await workspace.command(['init', '--ci', 'jenkins', '--format', 'json']);
    expect(exit).toBe(1);
    expect(jsonOf({ stdout })).toMatchObject({ diagnostics: [{ code: 'usage' }] });
  });

  it('keeps the inventory in git for CI, even before there is a remote', async () => {
    await init('--ci', 'github');
    expect((await project()).inventory).toEqual({
      git: { ref: 'refs/heads/roster-inventory', remote: 'origin' },
    });
  });

  it('sets the service to --url or ROSTER_URL', async () => {
    await init('--url', 'https://collect.example.com/base/');
    expect((await project()).url).toBe('https://collect.example.com/base');
    rmSync(join(workspace.root, 'roster.yaml'));
    workspace.env = { ...workspace.env, ROSTER_URL: 'https://other.example.com' };
    await init();
    expect((await project()).url).toBe('https://other.example.com');
    const refused = await workspace.command(['init', '--url', 'http://collect.example.com']);
    expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining('error[insecure-url]')]);
  });

  it.each([
    ['main', 'branches: [main]'],
    ['trunk', 'branches: [trunk]'],
    ['on', 'branches: ["on"]'],
  ])('applies what is pushed to %s, where that is the branch there is', async (branch, line) => {
    repository('git@github.com:acme/config.git', branch);
    await init();
    expect(read('.github/workflows/roster.yml')).toContain(line);
  });

  it.each([[], ['refs/heads/origin/release/next'], ['refs/tags/main', 'refs/tags/origin/release/next']])(
    'applies pushes to the default branch of the remote, also beside %s %s',
    async (...others) => {
      repository('git@github.com:acme/config.git');
      git(workspace.root, 'commit', '--quiet', '--allow-empty', '-m', 'first');
      for (const name of ['refs/remotes/origin/release/next', ...others])
        git(workspace.root, 'update-ref', name, 'HEAD');
      git(workspace.root, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/release/next');
      await init();
      expect(read('.github/workflows/roster.yml')).toContain('branches: [release/next]');
    },
  );

  it('chooses origin among several remotes, one of them without a URL', async () => {
    repository('git@gitlab.com:acme/config.git');
    git(workspace.root, 'remote', 'add', 'another', 'git@github.com:acme/other.git');
    git(workspace.root, 'config', 'remote.broken.fetch', '+refs/heads/*:refs/remotes/broken/*');
    git(workspace.root, 'config', 'remote.origin.promisor', 'true');
    git(workspace.root, 'config', 'remote.origin.partialclonefilter', 'blob:none');
    expect((await init()).ci).toMatchObject({ host: 'gitlab' });
  });

  it('in a subfolder of a repository, writes the pipelines at its root, and they run in that subfolder', async () => {
    const top = workspace.root;
    repository('git@gitlab.com:acme/mono.git');
    const inner = join(top, 'data/123');
    mkdirSync(inner, { recursive: true });
    const there = Object.assign(new Workspace({}, { url: '', apiKey: '' }), { root: inner });
    const { exit } = await there.command(['init', ...install()]);
    expect(exit).toBe(0);
    expect(ofGitlab.filter((path) => !existsSync(join(top, path)))).toEqual([]);
    expect(read('.gitlab/roster.yml')).toContain(' ci apply -f data/123/roster.yaml\n');
    expect(read('data/123/roster.yaml')).toContain('project: "123"');
    expect((await there.command(['validate'])).exit).toBe(0);
  });

  it('gives the second project of a repository an inventory branch of its own', async () => {
    repository('git@github.com:team/shop.git');
    await init();
    expect(parse(read('roster.yaml'))).toMatchObject({
      inventory: { git: { ref: 'refs/heads/roster-inventory' } },
    });
    mkdirSync(join(workspace.root, 'prices'));
    const there = Object.assign(new Workspace({}, { url: '', apiKey: '' }), {
      root: join(workspace.root, 'prices'),
    });
    expect((await there.command(['init', ...install()])).exit).toBe(0);
    expect(parse(read('prices/roster.yaml'))).toMatchObject({
      project: 'prices',
      inventory: { git: { ref: 'refs/heads/roster-inventory-prices' } },
    });
  });

  it('writes the commands of a folder with special characters for the shell', async () => {
    const top = workspace.root;
    repository('git@gitlab.com:acme/mono.git');
    const inner = join(top, "it's $HOME");
    mkdirSync(inner);
    const there = Object.assign(new Workspace({}, { url: '', apiKey: '' }), { root: inner });
    expect((await there.command(['init', ...install()])).exit).toBe(0);
    const { 'roster-pull': job } = parse(read('.gitlab/roster.yml')) as { 'roster-pull': { script: string } };
    const script = `printf '%s|' ${job.script.replace(/^.* -f /, '')}`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe("it's $HOME/roster.yaml|");
  });

  it('pins the service to --url on GitLab, and asks for no variable with it', async () => {
    repository('ssh://git@gitlab.example.com:2222/acme/config.git');
    await init('--url', "https://collect.example.com/it's");
    const text = read('.gitlab/roster.yml');
    const jobs = parse(text) as Record<string, { script?: string }>;
    const pinned = Object.keys(jobs).filter((name) =>
      jobs[name]?.script?.includes(" --url 'https://collect.example.com/it'\\''s'"),
    );
    expect(pinned).toEqual(['review', 'apply', 'drift', 'pull'].map((name) => `roster-${name}`));
    expect(text).not.toContain('ROSTER_URL');
  });

  it.each(['we ird ${{ github.token }}', 'a"b', 'a\nb'])(
    'writes nothing for the folder %j, which pipelines could not name',
    async (name) => {
      repository('git@github.com:acme/config.git');
      const inner = join(workspace.root, name);
      mkdirSync(inner);
      const there = Object.assign(new Workspace({}, { url: '', apiKey: '' }), { root: inner });
      const { exit, stderr } = await there.command(['init']);
      expect([exit, stderr]).toEqual([1, expect.stringMatching(/special\s+characters|git cannot/)]);
      expect(readdirSync(inner)).toEqual([]);
    },
  );

  it('writes nothing for a branch that pipelines could not name', async () => {
    repository('git@github.com:acme/config.git', 'a"b');
    expect((await workspace.command(['init'])).exit).toBe(1);
    expect((await workspace.command(['init', '--ci', 'none'])).exit).toBe(0);
  });

  it('names the branch that pipelines apply from', async () => {
    repository('git@github.com:acme/config.git', 'trunk');
    const { stdout } = await workspace.command(['init', ...install()]);
    expect(stdout).toContain('applied from the branch trunk.\nThe CI files contain this name.');
    const json = await workspace.command(['init', '--format', 'json', ...install()]);
    expect(jsonOf(json).branch).toBe('trunk');
    expect(read('.github/workflows/roster.yml')).toContain("if: github.ref == 'refs/heads/trunk'\n");
  });

  it('writes the schemas of this version for editors', async () => {
    await init();
    const settings = JSON.parse(read('.vscode/settings.json')) as { 'yaml.schemas': Record<string, string> };
    for (const path of Object.keys(settings['yaml.schemas'])) {
      const name = path.replace(/^.*\/(\w+)\.schema\.json$/, '$1');
      expect(read(path)).toBe((await workspace.command(['schema', name])).stdout);
    }
    expect(read('roster.yaml')).toMatch(
      /^# yaml-language-server: \$schema=\.\/schemas\/project\.schema\.json\n/,
    );
  });

  it('prints the written files and the next steps', async () => {
    repository('git@github.com:acme/config.git');
    const { stdout } = await workspace.command(['init']);
    expect(stdout).toContain('written     roster.yaml\n');
    expect(stdout).toContain('CI: github, no files yet. The remote origin is on github.com.\n');
    expect((await workspace.command(['init', ...install()])).stdout).toContain(
      'CI: github. The remote origin is on github.com.\n',
    );
    expect(stdout).toMatch(/`ROSTER_URL` and `ROSTER_API_KEY`.*`roster pull`.*`roster plan`/s);
  });
});

describe('init --install', () => {
  const hash = `sha512-${'A'.repeat(86)}==`;
  const digest = `sha256:${'a'.repeat(64)}`;
  const installed = () => read('.github/roster/package.json') + read('.github/roster/package-lock.json');

  beforeEach(() => repository('git@github.com:acme/config.git'));

  it('writes the path and the hash of a tarball in the repository', async () => {
    workspace.write('vendor/rosterctl-1.2.3.tgz', 'a tarball');
    expect((await init('--install', './vendor/rosterctl-1.2.3.tgz')).next.join()).not.toContain('--install');
    expect(installed()).toContain('"rosterctl": "file:../../vendor/rosterctl-1.2.3.tgz"');
    const expected = createHash('sha512').update('a tarball').digest('base64');
    expect(installed()).toContain(`"integrity": "sha512-${expected}"`);
  });

  it('finds a tarball of the repository from a subfolder', async () => {
    workspace.write('vendor/roster.tgz', 'a tarball');
    const inner = join(workspace.root, 'data');
    mkdirSync(inner);
    const there = Object.assign(new Workspace({}, { url: '', apiKey: '' }), { root: inner });
    expect((await there.command(['init', '--install', '../vendor/roster.tgz'])).exit).toBe(0);
    expect(installed()).toContain('"resolved": "file:../../vendor/roster.tgz"');
  });

  it.each([
    [`https://example.com/a/roster.tgz#${hash}`, '"resolved": "https://example.com/a/roster.tgz"'],
    // No address: the registry that npm is configured for may be a mirror.
    [`npm:rosterctl@1.2.3-rc.1#${hash}`, '"version": "1.2.3-rc.1",\n      "integrity"'],
  ])('accepts %s, and shows its hash', async (source, line) => {
    const { stdout } = await workspace.command(['init', '--install', source]);
    expect(stdout).toMatch(new RegExp(`^Jobs install rosterctl .* with the hash ${hash.slice(0, 20)}`, 'm'));
    expect(installed()).toContain(line);
    expect(installed()).toContain(`"integrity": "${hash}"`);
  });

  it('accepts an image, in which nothing is installed', async () => {
    const source = `ghcr.io/acme/roster:1@${digest}`;
    const { written } = await init('--install', source);
    expect(written.filter((path) => path.endsWith('.json'))).toEqual(
      ofProject.filter((path) => path.endsWith('.json')),
    );
    const text = read('.github/workflows/roster.yml');
    expect(text).toContain(`    container: ${source}\n`);
    expect(text).not.toContain('npm');
  });

  it.each([
    'rosterctl',
    'rosterctl@1.2.3',
    'npm:rosterctl',
    `npm:rosterctl@latest#${hash}`,
    `npm:rosterctl@^1.2.3#${hash}`,
    `npm:roster@1.2.3#${hash}`,
    `npm:rosterctl@1.2.3#sha1-${'A'.repeat(27)}=`,
    'https://example.com/roster.tgz',
    `http://example.com/roster.tgz#${hash}`,
    `https://user:secret@example.com/roster.tgz#${hash}`,
    `https://example.com/'; touch marker; '.tgz#${hash}`,
    'ghcr.io/acme/roster:1',
    'vendor/missing.tgz',
    '../outside.tgz',
    "vendor/it's.tgz",
    'linked.tgz',
    '',
  ])('refuses "%s", which it could not check, and writes nothing', async (source) => {
    workspace.write("vendor/it's.tgz", 'a tarball');
    symlinkSync("vendor/it's.tgz", join(workspace.root, 'linked.tgz'));
    const { exit, stderr } = await workspace.command(['init', '--install', source]);
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/^error\[(usage|unreadable-file)\]/)]);
    expect(existsSync(join(workspace.root, 'roster.yaml'))).toBe(false);
  });

  it('is part of the next steps until it was used: without it, nothing is written that fails later', async () => {
    const { stdout } = await workspace.command(['init', '--format', 'json']);
    const made = jsonOf<Made>({ stdout });
    expect(made.written).toEqual(ofProject);
    expect((await workspace.command(['init'])).stdout).toMatch(/^CI: github, no files yet\. The remote/m);
    expect(made.next).toContainEqual(expect.stringContaining('`roster init --install SOURCE`'));
    expect((await init()).written).toEqual(ofGithub);
  });

  it('copies no schema into a project that has roster installed: the editor reads it from there', async () => {
    const installed = 'node_modules/rosterctl/schemas/project.schema.json';
    workspace.write(installed, '{}');
    expect((await init('--ci', 'none')).written).toEqual([
      'roster.yaml',
      '.vscode/settings.json',
      '.gitignore',
    ]);
    expect(read('roster.yaml')).toContain(`# yaml-language-server: $schema=./${installed}\n`);
    expect(Object.keys(JSON.parse(read('.vscode/settings.json'))['yaml.schemas'])[0]).toBe(`./${installed}`);
  });

  it('asks for at most five steps', async () => {
    for (const flags of [[], ['--ci', 'gitlab'], ['--ci', 'none'], ['--promote', 'staging,production']]) {
      expect((await init(...flags)).next.length).toBeLessThanOrEqual(5);
      rmSync(join(workspace.root, 'roster.yaml'));
    }
  });

  it('again replaces the files that nobody has changed, and names the others', async () => {
    await init();
    const changed = '.github/workflows/roster-plan.yml';
    workspace.write(changed, `${read(changed)}# mine\n`);
    workspace.write('vendor/rosterctl-1.3.0.tgz', 'another');
    workspace.write('.github/roster.mjs', '// of 0.2\n');
    const made = await init('--install', 'vendor/rosterctl-1.3.0.tgz', '--verify');
    expect(made.replaced).toEqual([
      '.github/workflows/roster-environment.yml',
      '.github/roster/package.json',
      '.github/roster/package-lock.json',
    ]);
    expect(made.obsolete).toEqual(['.github/roster.mjs']);
    expect(made.leftAlone).toContainEqual({
      path: changed,
      why: 'file',
      add: expect.stringContaining('was changed'),
    });
    expect(installed()).toContain('rosterctl-1.3.0.tgz');
    expect(read('.github/workflows/roster-environment.yml')).toContain(' --verify\n');
  });
});

describe('init --plan-with', () => {
  it('is snapshot by default, so that no job of a pull request has a key', async () => {
    await init('--ci', 'github');
    expect(read('.github/workflows/roster-plan.yml')).not.toContain('ROSTER_API_KEY');
  });

  it('key plans branches of the repository with the key', async () => {
    await init('--ci', 'github', '--plan-with', 'key');
    expect(read('.github/workflows/roster-plan.yml')).toContain('secrets.ROSTER_API_KEY');
  });

  it('accepts nothing else', async () => {
    const { exit, stderr } = await workspace.command(['init', '--plan-with', 'keys']);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('One of: snapshot, key.')]);
  });
});

describe('init for several environments or projects', () => {
  beforeEach(() => repository('git@github.com:acme/config.git'));

  const inFolder = (name: string) => {
    mkdirSync(join(workspace.root, name), { recursive: true });
    return Object.assign(new Workspace({}, { url: '', apiKey: '' }), { root: join(workspace.root, name) });
  };
  const applyJobs = (path = '.github/workflows/roster.yml') =>
    Object.keys((parse(read(path)) as { jobs: object }).jobs);

  it('writes jobs for each environment that roster.yaml declares', async () => {
    workspace.write('roster.yaml', 'project: pricing\nenvironments: { staging: {}, production: {} }\n');
    const { next } = await init();
    expect(applyJobs()).toEqual(['validate', 'each']);
    const { jobs } = parse(read('.github/workflows/roster-plan.yml')) as {
      jobs: Record<'plan' | 'show', { strategy: { matrix: object } }>;
    };
    for (const { strategy } of [jobs.plan, jobs.show])
      expect(strategy.matrix).toEqual({ environment: ['staging', 'production'] });
    expect(next.join()).toContain(
      '`roster-plan_staging`, `roster-plan_production`, `staging` and `production`, all restricted',
    );
  });

  it('with --promote in an empty folder, declares these environments', async () => {
    await init('--promote', 'staging,production');
    expect(parse(read('roster.yaml'))).toMatchObject({ environments: { staging: {}, production: {} } });
    await project();
    expect(applyJobs()).toEqual(['validate', 'to-staging', 'to-production']);
  });

  it.each([
    ['production', 'usage'],
    ['staging,staging', 'usage'],
    ['staging,', 'usage'],
    ['staging,$x', 'usage'],
    ['staging,live', 'unknown-environment'],
  ])('refuses --promote %s, and writes nothing', async (flag, code) => {
    workspace.write('roster.yaml', 'project: pricing\nenvironments: { staging: {}, production: {} }\n');
    const { exit, stderr } = await workspace.command(['init', '--promote', flag]);
    expect([exit, stderr]).toEqual([1, expect.stringContaining(`error[${code}]`)]);
    expect(existsSync(join(workspace.root, '.github'))).toBe(false);
  });

  it('refuses an environment whose name is a placeholder of the templates', async () => {
    workspace.write('roster.yaml', 'project: pricing\nenvironments: { x__REF__: {} }\n');
    expect((await workspace.command(['init'])).stderr).toContain('cannot use the environment "x__REF__"');
  });

  it.each([
    ['{ staging: {}, "my env": {} }', 'error[schema]: roster.yaml: "my env" is not a valid name'],
    ['{ Staging: {}, staging: {} }', 'GitHub does not distinguish the environments "Staging" and "staging"'],
  ])('refuses environments %s, and writes nothing', async (environments, message) => {
    workspace.write('roster.yaml', `project: pricing\nenvironments: ${environments}\n`);
    const { exit, stderr } = await workspace.command(['init']);
    expect([exit, stderr.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(message)]);
    expect(readdirSync(workspace.root).sort()).toEqual(['.git', 'roster.yaml']);
  });

  it('on GitLab, tells environments apart by the case of their names', async () => {
    workspace.write('roster.yaml', 'project: pricing\nenvironments: { Staging: {}, staging: {} }\n');
    expect((await init('--ci', 'gitlab')).written).toContain('.gitlab/roster.yml');
  });

  it.each([
    ['github', 'the first', ['prices']],
    ['github', 'a further', ['stock', 'prices']],
    ['gitlab', 'the first', ['prices']],
    ['gitlab', 'a further', ['stock', 'prices']],
  ])(
    'on %s, refuses a project with the name of %s one, and writes nothing',
    async (host, _which, folders) => {
      for (const each of folders) await inFolder(each).command(['init', '--ci', host, ...install()]);
      const before = filesBelow(workspace.root);
      const second = inFolder('eu/prices');
      const { exit, stderr } = await second.command(['init', '--ci', host, ...install()]);
      expect([exit, stderr.replace(/\s+/g, ' ')]).toEqual([
        1,
        expect.stringContaining(
          'the project in the folder "prices" of this repository has the name "prices", too',
        ),
      ]);
      expect(filesBelow(workspace.root)).toEqual(before);
      second.write('roster.yaml', 'project: eu-prices\n');
      expect((await second.command(['init', '--ci', host, ...install()])).exit).toBe(0);
    },
  );

  it('names a project after its folder, without the accents', async () => {
    await inFolder('ümlaut').command(['init', '--ci', 'none']);
    expect(read('ümlaut/roster.yaml')).toContain('project: umlaut\n');
  });

  it('on GitLab, asks for variables of a further project in environment scopes of its own', async () => {
    for (const each of ['a', 'b']) await inFolder(each).command(['init', '--ci', 'gitlab', ...install()]);
    expect(read('.gitlab/roster-b.yml')).toContain(
      'in the environment scopes roster-plan-b and b_production\n',
    );
  });

  it.each([
    ['github', '.github/workflows/roster-prices-environment.yml'],
    ['gitlab', '.gitlab/roster-prices.yml'],
  ])(
    'on %s, names the files of a second project after it, whichever is written again',
    async (host, path) => {
      expect((await inFolder('stock').command(['init', '--ci', host, ...install()])).exit).toBe(0);
      const before = filesBelow(workspace.root);
      expect((await inFolder('prices').command(['init', '--ci', host, ...install()])).exit).toBe(0);
      expect(read(path)).toContain('# The project is in the folder prices of the repository.');
      const both = filesBelow(workspace.root);
      for (const name of ['stock', 'prices'])
        await inFolder(name).command(['init', '--ci', host, ...install()]);
      expect(filesBelow(workspace.root)).toEqual(both);
      const changed = [...before].filter(([name, text]) => both.get(name) !== text);
      expect(changed).toEqual([]);
    },
  );

  it('of a second project leaves the workflows of the first, and names its own in the steps', async () => {
    await inFolder('stock').command(['init', '--ci', 'github', ...install()]);
    workspace.write('.github/roster.mjs', '// of an earlier version of both\n');
    const made = jsonOf<Made>(
      await inFolder('prices').command(['init', '--ci', 'github', '--format', 'json', ...install()]),
    );
    expect(made.obsolete).toEqual([]);
    expect(made.next.at(-1)).toContain('run the workflow "roster-prices" once');
  });

  it('refuses a project whose workflow would be one of another project', async () => {
    await inFolder('stock').command(['init', '--ci', 'github', ...install()]);
    const { exit, stderr } = await inFolder('plan').command(['init', '--ci', 'github', ...install()]);
    expect([exit, stderr.replace(/\s+/g, ' ')]).toEqual([
      1,
      expect.stringContaining('roster-plan.yml is a file of the project in the folder "stock"'),
    ]);
  });

  it('on GitHub, two projects share nothing that one could take from the other', async () => {
    await inFolder('stock').command(['init', '--ci', 'github', ...install()]);
    await inFolder('prices').command(['init', '--ci', 'github', ...install()]);
    const namesOf = (name: string) =>
      ['', '-plan', '-environment'].flatMap((each) => {
        const text = read(`.github/workflows/${name}${each}.yml`);
        return (
          text.match(/^ *(?:name|group|environment|workflows|uses): .*roster.*$|environment: .*$/gm) ?? []
        );
      });
    const first = namesOf('roster');
    const second = namesOf('roster-prices');
    expect(first.length).toBeGreaterThan(8);
    expect(second.filter((each) => !each.includes('prices'))).toEqual([]);
    expect(first.filter((each) => each.includes('prices'))).toEqual([]);
  });
});

describe('an existing file', () => {
  it('is left unchanged, so that a second run changes nothing', async () => {
    repository('git@github.com:acme/config.git');
    const { written } = await init();
    const before = filesBelow(workspace.root);
    const again = await init();
    expect(again.written).toEqual([]);
    expect(again.leftAlone).toEqual(written.map((path) => ({ path, why: 'file', add: null })));
    expect(filesBelow(workspace.root)).toEqual(before);
  });

  it('is listed with what to add to it manually', async () => {
    const files = {
      'roster.yaml': 'project: mine\n',
      '.gitignore': 'node_modules\n',
      '.gitlab-ci.yml': 'test: { script: [make] }\n',
      '.vscode/settings.json': '{}\n',
      '.gitlab/roster.yml': 'old: {}\n',
    };
    for (const [path, text] of Object.entries(files)) workspace.write(path, text);
    repository('git@gitlab.com:acme/config.git');
    const { leftAlone } = await init();
    expect(Object.fromEntries(leftAlone.map(({ path, add }) => [path, add]))).toEqual({
      'roster.yaml': expect.stringContaining('`inventory: { git: {} }`'),
      '.gitignore': expect.stringContaining('`.secrets/`'),
      '.gitlab-ci.yml': expect.stringContaining('`local: .gitlab/roster.yml`'),
      '.vscode/settings.json': expect.stringContaining('yaml.schemas'),
      '.gitlab/roster.yml': expect.stringContaining('was changed after'),
    });
    for (const [path, text] of Object.entries(files)) expect(read(path)).toBe(text);
    const { stdout } = await workspace.command(['init']);
    expect(stdout).toContain('skipped     roster.yaml (exists; add `inventory: { git: {} }`');
  });

  it.each([
    ['', null],
    ['stages: [build, test, deploy]\n', null],
    ['stages:\n  # all\n  - "test" # of all\n  - deploy\n', null],
    ['stages: [build]\n', '`test`, `deploy`'],
    ['stages:\n- build\n- test\nunit: { script: [deploy] }\n', '`deploy`'],
  ])('on GitLab, with %j, is told which stages of the jobs it lacks: %s', async (text, missing) => {
    workspace.write('.gitlab-ci.yml', `${text}include:\n  - local: .gitlab/roster.yml\n`);
    repository('git@gitlab.com:acme/config.git');
    const { leftAlone } = await init();
    const { add } = leftAlone.find(({ path }) => path === '.gitlab-ci.yml') ?? {};
    expect(add).toBe(missing === null ? null : `add ${missing} to its \`stages\``);
  });

  it('is not followed when it is a link', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'roster-elsewhere-'));
    try {
      writeFileSync(join(elsewhere, 'ignored'), 'mine\n');
      symlinkSync(elsewhere, join(workspace.root, '.github'));
      symlinkSync(join(elsewhere, 'ignored'), join(workspace.root, '.gitignore'));
      symlinkSync(join(elsewhere, 'nowhere'), join(workspace.root, 'roster.yaml'));
      const { written, leftAlone } = await init('--ci', 'github');
      expect(written).toEqual(ofProject.slice(1, -1));
      expect(leftAlone.map(({ path, why }) => [path, why])).toEqual(
        ['roster.yaml', '.gitignore', ...ofGithub].map((path) => [path, 'link']),
      );
      expect(readdirSync(elsewhere)).toEqual(['ignored']);
      expect(readFileSync(join(elsewhere, 'ignored'), 'utf8')).toBe('mine\n');
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it('is left alone when it is a folder instead of a file, or a file instead of a folder', async () => {
    mkdirSync(join(workspace.root, 'roster.yaml'));
    workspace.write('schemas', 'a file\n');
    const { written, leftAlone } = await init();
    expect(written).toEqual([...ofProject.slice(3), ...ofGithub]);
    expect(leftAlone.map(({ why }) => why)).toEqual(['other', 'other', 'other']);
    expect(occupantOf(workspace.root, 'schemas/x/y')).toBe('other');
  });
});

describe('a file that cannot be written', () => {
  it('makes init remove the files written before it', () => {
    workspace.write('blocked', 'a file\n');
    const at = (path: string) => ({ path: join(workspace.root, path), text: 'new\n' });
    const write = () => createAll([at('one'), at('deep/down/two'), at('blocked/three')]);
    expect(write).toThrow(
      expect.objectContaining({ diagnostics: [expect.objectContaining({ code: 'unwritable-file' })] }),
    );
    expect(readdirSync(workspace.root)).toEqual(['blocked']);
  });

  it('is not overwritten when it has just been created', () => {
    workspace.write('late', 'mine\n');
    const at = (path: string) => ({ path: join(workspace.root, path), text: 'new\n' });
    expect(() => createAll([at('one'), at('late')])).toThrow('EEXIST');
    expect(readdirSync(workspace.root)).toEqual(['late']);
    expect(read('late')).toBe('mine\n');
  });
});

describe('the address of a remote', () => {
  it.each([
    ['git@github.com:acme/config.git', 'github.com', 'config'],
    ['github.com:acme/config', 'github.com', 'config'],
    ['https://github.com/acme/config.git', 'github.com', 'config'],
    ['https://user:t@GitLab.example.com:8443/a/b/config.git', 'gitlab.example.com', 'config'],
    ['ssh://git@gitlab.example.com:22/acme/config', 'gitlab.example.com', 'config'],
    ['git://gitlab.example.com/config.git', 'gitlab.example.com', 'config'],
    ['/srv/git/github.com/config.git', '', 'config'],
    ['../github/config', '', 'config'],
    ['file:///srv/github/config.git', '', 'config'],
    ['C:\\git\\github\\config.git', '', 'config'],
  ])('%s is on "%s" and called %s', (url, host, name) => {
    expect(readRemoteUrl(url)).toEqual({ host, name });
  });
});
