import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parseSeed, type Sandbox, type SeedKey } from '../../src/sandbox/index.js';
import { changesOf, fsFaults, preload } from '../faults/support/fs-faults.js';
import { command } from '../support/command.js';
import { jsonOf } from '../support/json.js';
import { type Ended, roster } from '../support/program.js';
import { git } from '../support/repository.js';
import { startSandbox, type Variant } from '../support/sandbox.js';
import { sampleOf } from '../support/size.js';

/** New API keys: where they go, who sees them, and what is left of a delivery that failed. */

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

interface Options {
  readonly scopes?: readonly string[];
  readonly keys?: readonly SeedKey[];
  readonly variants?: readonly Variant[];
  readonly rotateAfter?: string;
}

class KeyProject {
  readonly root = mkdtempSync(join(tmpdir(), 'roster-keys-'));
  env: Record<string, string>;

  constructor(
    readonly sandbox: Sandbox,
    private readonly options: Options,
  ) {
    this.env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
  }

  static async of(deliver: object, options: Options = {}): Promise<KeyProject> {
    const { variants = [], keys = [] } = options;
    const seed = parseSeed(JSON.stringify({ scopes: ['agents.run'], keys }));
    const project = new KeyProject(await startSandbox({ seed, variants }), options);
    cleanups.push(
      () => project.sandbox.close(),
      () => rmSync(project.root, { recursive: true, force: true }),
    );
    project.declare(deliver);
    return project;
  }

  declare(deliver: object): void {
    const { scopes = ['agents.run'], rotateAfter } = this.options;
    const rotation = rotateAfter === undefined ? {} : { rotateAfter };
    const manifest = { project: 'k', scopes, keys: { ci: { scopes, deliver, ...rotation } } };
    this.write('roster.yaml', JSON.stringify(manifest));
  }

  write(name: string, text: string, mode = 0o644): void {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
  }

  path(name: string): string {
    return join(this.root, name);
  }

  run(...words: string[]): Promise<Ended> {
    return command(words, { cwd: this.root, env: this.env });
  }

  apply(): Promise<Ended> {
    return this.run('apply', '--yes', '--allow-self-revoke');
  }

  /** For deliveries that kill the process of roster, or see its environment. */
  applyAsProcess(): Promise<Ended> {
    return roster(['apply', '--yes', '--allow-self-revoke'], { cwd: this.root, env: this.env });
  }

  /** The run that follows uses the newest key. */
  useNewKey(): void {
    this.env = { ...this.env, ROSTER_API_KEY: this.key };
  }

  get key(): string {
    return this.sandbox.world.apiKey;
  }

  get creations(): number {
    return this.sandbox.requests.filter(({ method, path }) => method === 'POST' && path === '/api/api-keys')
      .length;
  }

  /** The files that hold the newest key, relative to the project. */
  holders(): string[] {
    return readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && !each.parentPath.includes('/.git/'))
      .map((each) => join(each.parentPath, each.name))
      .filter((path) => readFileSync(path, 'utf8').includes(this.key))
      .map((path) => path.slice(this.root.length + 1));
  }

  async expectNothingLeft(): Promise<void> {
    this.useNewKey();
    const plan = await this.run('plan', '--detailed-exitcode');
    expect([plan.exit, plan.stdout, plan.stderr]).toEqual([0, expect.stringContaining('No changes.'), '']);
  }
}

const flat = (text: string) => text.replace(/\s+/g, ' ');
const all = ({ stdout, stderr }: Ended) => flat(stdout + stderr);
const file = { file: '.secrets/ci.key' };
const script = (code: string) => [process.execPath, '-e', code];
/** Reads the key and writes it and its own environment to files. */
const recorder = script(
  'const fs=require("node:fs");fs.writeFileSync("got.key",fs.readFileSync(0));fs.writeFileSync("got.json",JSON.stringify(process.env))',
);
const oldKey = `svc_live_${'0'.repeat(40)}`;

describe('a key whose delivery failed', () => {
  test('is kept in a private folder that git ignores', async () => {
    const project = await KeyProject.of({ command: ['false'] });
    git(project.root, 'init', '--quiet');
    const ran = await project.apply();
    const [kept = '', ...others] = project.holders();
    expect([ran.exit, kept, others], all(ran)).toEqual([
      3,
      expect.stringMatching(/^\.roster\/rescued\/[^/]+$/),
      [],
    ]);
    expect(ran.stderr.replace(/\s+/g, '')).toContain(kept);
    expect(statSync(project.path(kept)).mode & 0o777).toBe(0o600);
    expect(statSync(project.path('.roster/rescued')).mode & 0o777).toBe(0o700);
    git(project.root, 'add', '--all');
    expect(git(project.root, 'ls-files')).not.toContain('.roster');
  });

  test('is part of the next plan, is delivered by the next apply, and is then removed', async () => {
    const project = await KeyProject.of({ command: ['false'] });
    expect((await project.apply()).exit).toBe(3);
    project.useNewKey();
    project.declare(file);
    const plan = await project.run('plan', '--format', 'json');
    const [change, ...others] = jsonOf(plan).changes;
    expect([change.address, change.action, change.calls, others]).toEqual(['key/ci', 'update', [], []]);
    expect(change.fields.map(({ path, after }: { path: string; after: unknown }) => [path, after])).toEqual([
      ['deliver', file],
    ]);
    const again = await project.run('apply', '--yes');
    expect([again.exit, project.creations, project.holders()], all(again)).toEqual([0, 1, [file.file]]);
    expect(statSync(project.path(file.file)).mode & 0o777).toBe(0o600);
    await project.expectNothingLeft();
  });

  test('stays where it is while its delivery fails again', async () => {
    const project = await KeyProject.of({ command: ['false'] });
    await project.apply();
    const before = project.holders();
    project.useNewKey();
    const again = await project.run('apply', '--yes');
    expect([again.exit, project.creations, project.holders()], all(again)).toEqual([3, 1, before]);
  });

  test('is reported by every run', async () => {
    const project = await KeyProject.of({ command: ['false'] });
    await project.apply();
    project.useNewKey();
    const [kept = ''] = project.holders();
    const plan = await project.run('plan');
    expect(plan.stderr.replace(/\s+/g, '')).toContain(kept);
  });

  test('is delivered only where its plan was reviewed', async () => {
    const project = await KeyProject.of({ command: ['false'] });
    await project.apply();
    project.useNewKey();
    project.declare({ command: recorder });
    const { digest } = jsonOf(await project.run('plan', '--format', 'json'));
    project.declare({ file: 'elsewhere.key' });
    const ran = await project.run('apply', '--expect', digest);
    expect([ran.exit, existsSync(project.path('elsewhere.key')), all(ran)]).toEqual([
      4,
      false,
      expect.stringContaining('stale-plan'),
    ]);
  });

  test('is delivered to its own environment only', async () => {
    const project = await KeyProject.of({ command: ['false'] });
    await project.apply();
    project.useNewKey();
    const manifest = JSON.parse(readFileSync(project.path('roster.yaml'), 'utf8'));
    project.write('roster.yaml', JSON.stringify({ ...manifest, environments: { other: {} } }));
    rmSync(project.path('roster.inventory.json'));
    const plan = await project.run('plan', '-e', 'other', '--format', 'json');
    expect(jsonOf(plan).changes).toMatchObject([{ address: 'key/ci', action: 'adopt' }]);
  });

  test('is never a file that other users can read or that holds another key', async () => {
    const project = await KeyProject.of({ command: ['false'] });
    await project.apply();
    project.useNewKey();
    const [kept = ''] = project.holders();
    project.declare(file);
    for (const [text, mode] of [
      [`${project.key}\n`, 0o644],
      [`${oldKey}\n`, 0o600],
      [`${project.key}\nmore\n`, 0o600],
    ] as const) {
      writeFileSync(project.path(kept), text);
      chmodSync(project.path(kept), mode);
      const again = await project.run('apply', '--yes');
      expect([again.exit, existsSync(project.path(file.file))], all(again)).toEqual([0, false]);
      expect(again.stderr.replace(/\s+/g, '')).toContain(kept);
    }
  });

  const untrusted: [string, (root: string) => void][] = [
    ['a link', (root) => symlinkSync(tmpdir(), join(root, '.roster'))],
    ['a link to nothing', (root) => symlinkSync(join(root, 'nothing'), join(root, '.roster'))],
    ['a file', (root) => writeFileSync(join(root, '.roster'), '')],
    [
      'a folder with a link in it',
      (root) => {
        mkdirSync(join(root, '.roster'));
        symlinkSync(tmpdir(), join(root, '.roster/rescued'));
      },
    ],
    [
      'a folder whose .gitignore is a link',
      (root) => {
        mkdirSync(join(root, '.roster'));
        symlinkSync(join(root, 'roster.yaml'), join(root, '.roster/.gitignore'));
      },
    ],
  ];
  test.each(sampleOf(untrusted, 2))('is not created when `.roster` is %s', async (_, arrange) => {
    const project = await KeyProject.of({ command: ['true'] });
    arrange(project.root);
    const ran = await project.apply();
    expect([ran.exit, project.creations, all(ran)]).toEqual([
      4,
      0,
      expect.stringContaining('undeliverable-key'),
    ]);
    expect(all(ran)).not.toMatch(/internal/);
  });

  test('is ignored by git even where a pull request brought another `.gitignore`', async () => {
    const project = await KeyProject.of({ command: ['false'] });
    git(project.root, 'init', '--quiet');
    project.write('.roster/.gitignore', '!rescued\n!rescued/*\n');
    project.write('.roster/rescued/.gitignore', '!*\n');
    git(project.root, 'add', '--all', '--force');
    git(project.root, 'commit', '--quiet', '-m', 'theirs');
    await project.apply();
    const [kept = 'none'] = project.holders();
    git(project.root, 'add', '--all');
    expect(git(project.root, 'ls-files').split('\n')).not.toContain(kept);
  });

  test('is removed and not mentioned when the service gave it other scopes', async () => {
    const project = await KeyProject.of({ command: ['false'] }, { scopes: ['agents.unknown'] });
    const ran = await project.apply();
    const active = [...project.sandbox.world.keys.values()].filter((key) => !key.isRevoked);
    expect([ran.exit, project.holders(), active], all(ran)).toEqual([3, [], []]);
    expect(all(ran)).toContain('it was revoked immediately');
    expect(all(ran)).not.toMatch(/rescued|kept in|saved in/);
  });
});

describe('a rotation', () => {
  const rotating = {
    keys: [{ name: 'ci', key: oldKey, scopes: ['agents.run'], createdDate: '2020-01-01T00:00:00Z' }],
    rotateAfter: '90 days',
  };

  test('replaces the file of the previous key, and the next plan is empty', async () => {
    const project = await KeyProject.of(file, rotating);
    project.write(file.file, `${oldKey}\n`);
    const ran = await project.apply();
    expect([ran.exit, readFileSync(project.path(file.file), 'utf8')], all(ran)).toEqual([
      0,
      `${project.key}\n`,
    ]);
    expect(statSync(project.path(file.file)).mode & 0o777).toBe(0o600);
    expect(readdirSync(project.path('.secrets'))).toEqual(['ci.key']);
    expect(flat(ran.stdout)).toContain('Set `ROSTER_API_KEY` to the key in .secrets/ci.key');
    await project.expectNothingLeft();
  });

  test('leaves nothing to forget when the replaced key was in the inventory', async () => {
    const project = await KeyProject.of(file);
    expect((await project.apply()).exit).toBe(0);
    project.useNewKey();
    const [made] = [...project.sandbox.world.keys.values()].filter((key) => !key.isRevoked);
    if (made !== undefined) made.createdDate = '2020-01-01T00:00:00Z';
    const manifest = JSON.parse(readFileSync(project.path('roster.yaml'), 'utf8'));
    manifest.keys.ci.rotateAfter = '90 days';
    project.write('roster.yaml', JSON.stringify(manifest));
    const ran = await project.apply();
    expect([ran.exit, project.creations], all(ran)).toEqual([0, 2]);
    await project.expectNothingLeft();
  });

  const otherContents: [string, string][] = [
    ['is empty', ''],
    ['holds something else', 'hello\n'],
    ['holds two keys', `${oldKey}\n${oldKey}\n`],
    ['holds a key and something else', `KEY=${oldKey}\n`],
  ];
  test.each(sampleOf(otherContents, 1))('is refused when the file %s', async (_, text) => {
    const project = await KeyProject.of(file, rotating);
    project.write(file.file, text);
    const ran = await project.apply();
    expect([ran.exit, project.creations, readFileSync(project.path(file.file), 'utf8')]).toEqual([
      4,
      0,
      text,
    ]);
  });

  test('is refused when the file is a link to a key', async () => {
    const project = await KeyProject.of(file, rotating);
    project.write('other.key', `${oldKey}\n`);
    mkdirSync(project.path('.secrets'));
    symlinkSync('../other.key', project.path(file.file));
    const ran = await project.apply();
    expect([ran.exit, project.creations, lstatSync(project.path(file.file)).isSymbolicLink()]).toEqual([
      4,
      0,
      true,
    ]);
  });
});

describe('a run that is killed after it has kept the new key', () => {
  const kill = { command: script('process.kill(process.ppid, "SIGKILL")') };
  const seeded = (createdDate: string) => ({
    keys: [{ name: 'ci', scopes: ['agents.run'], createdDate }],
    rotateAfter: '90 days',
  });
  const activeKeys = ({ sandbox }: KeyProject) =>
    [...sandbox.world.keys.values()].filter((key) => !key.isRevoked && key.name === 'ci');

  /** A service may revoke only the key that makes the request. */
  function stillActive({ sandbox }: KeyProject) {
    const old = [...sandbox.world.keys.values()].find(
      ({ name, createdDate }) => name === 'ci' && createdDate.startsWith('2020'),
    );
    if (old !== undefined) Object.assign(old, { isRevoked: false, isActive: true });
    return old;
  }

  async function expectDelivered(project: KeyProject): Promise<Ended> {
    const [kept = ''] = project.holders();
    expect(kept).toMatch(/^\.roster\/rescued\//);
    project.useNewKey();
    project.declare(file);
    const ran = await project.apply();
    expect([ran.exit, project.creations, project.holders()], all(ran)).toEqual([0, 1, [file.file]]);
    expect(project.path(kept)).not.toSatisfy(existsSync);
    return ran;
  }

  test('does not keep the next one from delivering it beside the active key that it replaces', async () => {
    const project = await KeyProject.of(kill, seeded('2020-01-01T00:00:00Z'));
    expect((await project.applyAsProcess()).signal).toBe('SIGKILL');
    const old = stillActive(project);
    const ran = await expectDelivered(project);
    expect(all(ran)).toMatch(/duplicate-object.*besides the key that an interrupted apply created/);
    expect(all(ran)).toContain(old?.id);
  });

  test('does not keep the next one from delivering it when the inventory has the former key, which is revoked', async () => {
    const project = await KeyProject.of(file, seeded(new Date().toISOString()));
    expect((await project.apply()).exit).toBe(0);
    const [old] = activeKeys(project);
    if (old !== undefined) old.createdDate = '2020-01-01T00:00:00Z';
    project.declare(kill);
    expect((await project.applyAsProcess()).signal).toBe('SIGKILL');
    stillActive(project);
    await expectDelivered(project);
    expect([activeKeys(project).length, old?.isRevoked]).toEqual([1, true]);
    await project.expectNothingLeft();
  });

  test('does not keep the next one from delivering it under its temporary name', async () => {
    const sample = await KeyProject.of(file);
    const runIn = (project: KeyProject) => (env: Record<string, string>) =>
      roster(['apply', '--yes', '--allow-self-revoke'], {
        cwd: project.root,
        env: { ...project.env, ...env },
        preload,
      });
    const changes = await changesOf(sample.root, runIn(sample), 'key-ci');
    const nth = 1 + changes.findIndex(({ call }) => call === 'link');
    for (const at of [nth, nth + 1]) {
      const project = await KeyProject.of(file);
      await runIn(project)(fsFaults(project.root, { act: 'kill', nth: at, path: 'key-ci' }));
      expect(project.holders().some((name) => name.endsWith('.roster-tmp'))).toBe(true);
      const plan = await project.run('validate');
      expect(plan.exit).toBe(0);
      await expectDelivered(project);
      expect(readdirSync(project.path('.roster/rescued'))).toEqual([]);
    }
  });
});

describe('`deliver.file`', () => {
  const links: [string, string, string][] = [
    ['a link to nothing', 'nothing', 'link/ci.key'],
    ['a link to nothing, further up', 'nothing', 'link/a/b/ci.key'],
    ['a link to itself', 'link', 'link/ci.key'],
    ['a link inside the project', '.', 'link/ci.key'],
    ['a link outside the project', tmpdir(), 'link/ci.key'],
  ];
  test.each(sampleOf(links, 2))('below %s is refused with its reason', async (_, to, path) => {
    const project = await KeyProject.of({ file: path });
    symlinkSync(to, project.path('link'));
    for (const words of [['plan'], ['apply', '--yes', '--allow-self-revoke']]) {
      const ran = await project.run(...words);
      expect([ran.exit, project.creations], all(ran)).toEqual([4, 0]);
      expect(all(ran)).toContain('through the symbolic link link');
    }
  });

  test('cannot be in the folder that roster owns', async () => {
    const project = await KeyProject.of({ file: '.roster/ci.key' });
    const ran = await project.apply();
    expect([ran.exit, project.creations]).toEqual([4, 0]);
  });

  test('in new folders is flushed with each folder that is new and the one above', async () => {
    const project = await KeyProject.of({ file: 'a/b/ci.key' });
    const changes = await changesOf(project.root, (env) =>
      roster(['apply', '--yes', '--allow-self-revoke'], {
        cwd: project.root,
        env: { ...project.env, ...env },
        preload,
      }),
    );
    const flushed = changes.filter(({ call }) => call === 'fsync').map(({ path }) => path);
    for (const folder of ['', 'a', 'a/b']) expect(flushed).toContain(join(project.root, folder));
  });
});

describe('`deliver.command`', () => {
  test('gets the variables of a session and those that `env` lists, and nothing else', async () => {
    const project = await KeyProject.of({ command: recorder, env: ['GH_TOKEN'] });
    project.env = {
      ...project.env,
      HOME: project.root,
      TMPDIR: project.root,
      LC_ALL: 'C',
      GH_TOKEN: 'token-for-the-command',
      DEPLOY_TOKEN: 'token-of-another-program',
    };
    const ran = await project.applyAsProcess();
    expect(ran.exit, all(ran)).toBe(0);
    const got = JSON.parse(readFileSync(project.path('got.json'), 'utf8'));
    expect(Object.keys(got).sort()).toEqual(['GH_TOKEN', 'HOME', 'LC_ALL', 'PATH', 'TMPDIR']);
    expect(readFileSync(project.path('got.key'), 'utf8')).toBe(`${project.key}\n`);
    expect(project.holders()).toEqual(['got.key']);
  });

  test('that fails is reported with the variables that it did not receive', async () => {
    const project = await KeyProject.of({ command: ['false'] });
    project.env = { ...project.env, DEPLOY_TOKEN: 'token-of-another-program' };
    const ran = await project.applyAsProcess();
    expect([ran.exit, all(ran)]).toEqual([3, expect.stringMatching(/`deliver\.env`[^.]*DEPLOY_TOKEN/)]);
  });

  test('whose variable is not set is refused before a key is created', async () => {
    const project = await KeyProject.of({ command: recorder, env: ['GH_TOKEN'] });
    const ran = await project.apply();
    expect([ran.exit, project.creations, all(ran)]).toEqual([4, 0, expect.stringContaining('GH_TOKEN')]);
  });

  test.each(sampleOf(['ROSTER_API_KEY', 'ROSTER_API_KEY_FILE', 'roster_url', 'A B'], 1))(
    'cannot be given %s',
    async (name) => {
      const project = await KeyProject.of({ command: recorder, env: [name] });
      const ran = await project.run('validate');
      expect([ran.exit, ran.stdout + ran.stderr]).toEqual([1, expect.stringContaining('error[schema]')]);
    },
  );
});

describe('ROSTER_API_KEY_FILE', () => {
  const withFile = async (text: string, mode = 0o600) => {
    const project = await KeyProject.of(file);
    project.write('my.key', text === 'own' ? `${project.key}\n` : text, mode);
    const { ROSTER_API_KEY: _key, ...env } = project.env;
    project.env = { ...env, ROSTER_API_KEY_FILE: 'my.key' };
    return project;
  };

  test('gives the API key', async () => {
    const project = await withFile('own');
    const ran = await project.run('plan', '--allow-self-revoke');
    expect([ran.exit, ran.stderr]).toEqual([0, '']);
  });

  test('is reported when other users can read it', async () => {
    const project = await withFile('own', 0o640);
    const ran = await project.run('plan', '--allow-self-revoke');
    expect([ran.exit, flat(ran.stderr)]).toEqual([0, expect.stringMatching(/warning.*my\.key.*chmod 600/)]);
  });

  test('and ROSTER_API_KEY together are an error', async () => {
    const project = await withFile('own');
    project.env = { ...project.env, ROSTER_API_KEY: project.key };
    const ran = await project.run('plan');
    expect([ran.exit, flat(ran.stderr)]).toEqual([1, expect.stringContaining('ROSTER_API_KEY_FILE')]);
  });

  const noKeys: [string, string][] = [
    ['is empty', ''],
    ['holds no key', 'hello\n'],
    ['holds two keys', `${oldKey}\n${oldKey}\n`],
  ];
  test.each(sampleOf(noKeys, 1))('is refused when it %s, and its content is not shown', async (_, text) => {
    const project = await withFile(text);
    const ran = await project.run('plan');
    expect([ran.exit, ran.stderr]).toEqual([1, expect.stringContaining('ROSTER_API_KEY_FILE')]);
    expect(ran.stderr).not.toMatch(/hello|0000/);
  });

  test.each([['nothing'], ['.']])('is an error when it names %s', async (name) => {
    const project = await withFile('own');
    project.env = { ...project.env, ROSTER_API_KEY_FILE: name };
    const ran = await project.run('plan');
    expect([ran.exit, ran.stderr]).toEqual([1, expect.stringContaining('unreadable-file')]);
  });
});

test('a run that is killed leaves no file that git adds, in a project of `roster init`', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roster-ignored-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  git(folder, 'init', '--quiet');
  const ran = await roster(['init'], { cwd: folder });
  expect([ran.exit, existsSync(join(folder, '.gitignore'))], all(ran)).toEqual([0, true]);
  const left = [
    'roster.inventory.json.lock',
    'roster.inventory.staging.json.lock',
    '.0a1b2c3d-0000-4000-8000-000000000000.roster-tmp',
    'teams/.0a1b2c3d-0000-4000-8000-000000000000.roster-tmp',
    '.secrets/ci.key',
  ];
  for (const name of left) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), '');
  }
  git(folder, 'add', '--all');
  const added = git(folder, 'ls-files').split('\n');
  expect(left.filter((name) => added.includes(name))).toEqual([]);
  expect(added).toContain('.gitignore');
});
