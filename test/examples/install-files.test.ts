import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { root } from '../../scripts/fresh.js';
import { Machine, type Ran } from '../support/forge/runner.js';
import { git } from '../support/repository.js';
import { isLong } from '../support/size.js';

/**
 * The files with which others install roster: action, component, image and hooks. Their steps run on a machine without
 * roster: in the long run with the packed tarball and npm, otherwise with a stand-in for both.
 */

const text = (name: string) => readFileSync(join(root, name), 'utf8');
const packed = mkdtempSync(join(tmpdir(), 'roster-packed-'));
const tarball = join(packed, 'roster.tgz');
const project = 'project: hooks\ngroups:\n  shops: { members: [ acme-shop ] }\n';
const hashOf = (file: string) => `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
let machine: Machine;

beforeAll(() => {
  if (!isLong) return writeFileSync(tarball, 'a stand-in');
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', packed];
  execFileSync('npm', args, { cwd: root, stdio: 'ignore' });
  copyFileSync(join(packed, `${manifest.name}-${manifest.version}.tgz`), tarball);
});
afterAll(() => rmSync(packed, { recursive: true }));
beforeEach(() => {
  machine = new Machine(undefined, { realNpm: isLong });
  mkdirSync(join(machine.workspace, 'vendor'));
  copyFileSync(tarball, join(machine.workspace, 'vendor/roster.tgz'));
  writeFileSync(join(machine.workspace, 'roster.yaml'), project);
});
afterEach(() => machine.remove());

const installed = () => machine.run('roster --version', '.', {});
const done = { exit: 0, log: expect.stringContaining(manifest.version) };
const refused = (why: string) => ({ exit: 1, log: expect.stringContaining(`Nothing was installed: ${why}`) });

/** What must install roster, and what must not, for a way to install it. */
function itInstallsOnlyWhatWasNamed(install: (tarball: string, integrity: string) => Promise<Ran>): void {
  test('installs the tarball with the given hash', async () => {
    const ran = await install('vendor/roster.tgz', hashOf(tarball));
    expect([ran.exit, ran.log]).toEqual([0, expect.not.stringContaining('Nothing was installed')]);
    expect(await installed()).toMatchObject(done);
  });

  test('installs nothing if a byte of the tarball differs', async () => {
    const integrity = hashOf(tarball);
    writeFileSync(
      join(machine.workspace, 'vendor/roster.tgz'),
      `${readFileSync(tarball, 'latin1')} `,
      'latin1',
    );
    expect(await install('vendor/roster.tgz', integrity)).toMatchObject(
      refused('the tarball has the integrity sha512-'),
    );
    expect((await installed()).exit).not.toBe(0);
  });

  test('installs nothing if there is no such tarball', async () => {
    expect((await install('vendor/other.tgz', hashOf(tarball))).exit).not.toBe(0);
    expect((await installed()).exit).not.toBe(0);
  });
}

describe('action.yml', () => {
  const { inputs, runs } = parse(text('action.yml'));
  const [node, step] = runs.steps;
  const install = (named: string, integrity: string) =>
    machine.run(step.run, '.', { TARBALL: named, INTEGRITY: integrity, GITHUB_WORKSPACE: machine.workspace });

  itInstallsOnlyWhatWasNamed(install);

  test.each(['', 'sha512-', 'sha1-AAAA', `${'A'.repeat(86)}==`])(
    'installs nothing with %j for a hash',
    async (integrity) => {
      expect(await install('vendor/roster.tgz', integrity)).toMatchObject(
        refused('`integrity` must be the hash'),
      );
    },
  );

  describe('with a version', () => {
    const hash = () => hashOf(join(machine.workspace, 'vendor/roster.tgz'));
    const installVersion = (env: Record<string, string>) =>
      machine.run(step.run, '.', { GITHUB_WORKSPACE: machine.workspace, ...env });

    /** A registry that has version 1.2.3, whatever the .npmrc of the repository says. */
    beforeEach(() => {
      const vendored = join(machine.workspace, 'vendor/roster.tgz');
      const pack = `cp '${vendored}' ./rosterctl-1.2.3.tgz && echo rosterctl-1.2.3.tgz; exit`;
      machine.command(
        'npm',
        `if [ "$*" = 'pack --ignore-scripts --silent rosterctl@1.2.3' ] && [ ! -e .npmrc ]; then ${pack}; fi
[ "$1" = install ] || exit 1
echo "$*"`,
      );
      writeFileSync(join(machine.workspace, '.npmrc'), 'registry=https://registry.example.com/');
    });

    test.each([
      ['alone', () => ({ VERSION: '1.2.3' })],
      ['and its hash', () => ({ VERSION: '1.2.3', INTEGRITY: hash() })],
    ])('installs what the registry has: a version %s', async (_, env) => {
      const ran = await installVersion(env());
      expect(ran).toEqual({
        exit: 0,
        log: expect.stringMatching(/^install .* --offline .*rosterctl-1\.2\.3\.tgz$/m),
      });
    });

    test.each([
      [
        { VERSION: '1.2.3', INTEGRITY: `sha512-${'A'.repeat(86)}==` },
        'the tarball has the integrity sha512-',
      ],
      [{ VERSION: '1.2.4' }, 'npm has no version 1.2.4'],
      [{ VERSION: 'latest' }, '`version` must be exact'],
      [{ VERSION: '1.2.3 --registry=https://example.com' }, '`version` must be exact'],
      [{ VERSION: '1.2.3', TARBALL: 'vendor/roster.tgz' }, 'set `version` or `tarball`'],
      [{ TARBALL: 'vendor/roster.tgz' }, '`integrity` must be the hash'],
    ])('installs nothing with %j', async (env: Record<string, string>, why) => {
      expect(await installVersion(env)).toMatchObject(refused(why));
    });
  });

  test('passes its inputs to the script as variables, so that no input can add a command', () => {
    expect(step.env).toEqual({
      VERSION: '${{ inputs.version }}',
      TARBALL: '${{ inputs.tarball }}',
      INTEGRITY: '${{ inputs.integrity }}',
    });
    expect(step.run).not.toContain('${{');
    expect(Object.keys(inputs)).toEqual(['version', 'tarball', 'integrity', 'node-version']);
  });

  test('uses one other action, by its commit, and lets it cache nothing', () => {
    expect(runs.steps).toHaveLength(2);
    expect(node.uses).toMatch(/^actions\/setup-node@[0-9a-f]{40}$/);
    expect(node.with['package-manager-cache']).toBe(false);
    expect(text('.github/workflows/ci.yml')).toContain(node.uses);
  });
});

describe('templates/roster.yml', () => {
  const [{ spec }, jobs] = parseAllDocuments(text('templates/roster.yml')).map((each) => each.toJS());
  const fill = (script: string, given: Record<string, string>) =>
    script.replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name) => given[name] ?? spec.inputs[name].default);
  const install = (named: string, integrity: string, more: readonly string[] = []) => {
    const lines = [...jobs['.roster-setup'].before_script, ...more];
    const script = fill(lines.join('\n'), { tarball: named, integrity });
    return machine.run(script, '.', { CI_PROJECT_DIR: machine.workspace });
  };

  itInstallsOnlyWhatWasNamed(install);

  test('validates the project, without a key', async () => {
    const { extends: setup, script } = jobs['roster-validate'];
    expect(setup).toBe('.roster-setup');
    const ran = await install('vendor/roster.tgz', hashOf(tarball), script);
    expect([ran.exit, ran.log]).toEqual([0, expect.stringContaining('is valid')]);
  });

  test.each(['tarball', 'integrity', 'folder'])(
    'takes for %s nothing that could end the quotes around it',
    (name) => {
      const pattern = new RegExp(spec.inputs[name].regex);
      expect(
        ["'; id; '.tgz", '$(id).tgz', 'a b.tgz', 'http://example.com/roster.tgz'].filter((each) =>
          pattern.test(each),
        ),
      ).toEqual([]);
    },
  );

  test('takes a path, a URL and a hash', () => {
    const fits = (name: string, value: string) => new RegExp(spec.inputs[name].regex).test(value);
    expect(fits('tarball', 'vendor/rosterctl-0.2.0.tgz')).toBe(true);
    expect(fits('tarball', 'https://example.com/rosterctl-0.2.0.tgz')).toBe(true);
    expect(fits('integrity', hashOf(tarball))).toBe(true);
    expect(fits('folder', 'teams/prices')).toBe(true);
  });
});

describe('Dockerfile', () => {
  /** Without comments, and with continued lines joined. */
  const lines = text('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, '')
    .split('\n')
    .filter((line) => line !== '');
  const argumentsOf = (instruction: string) =>
    lines.flatMap((line) => (line.startsWith(`${instruction} `) ? [line.slice(instruction.length + 1)] : []));

  itInstallsOnlyWhatWasNamed((named, integrity) => {
    const copy = `cp '${join(machine.workspace, named)}' '${machine.temp}/roster.tgz'`;
    const script = argumentsOf('RUN').at(-1)?.replaceAll('/tmp/roster.tgz', `${machine.temp}/roster.tgz`);
    return machine.run(`${copy}\n${script}`, '.', { INTEGRITY: integrity });
  });

  test('starts from an exact version, has git, and ends as a user that is not root', () => {
    expect(argumentsOf('FROM')).toEqual([
      expect.stringMatching(/^node:\d+\.\d+\.\d+-bookworm-slim$|@sha256:[0-9a-f]{64}$/),
    ]);
    expect(argumentsOf('RUN')[0]).toMatch(/apt-get install .*\bgit\b/);
    expect(argumentsOf('USER')).toEqual(['node']);
    expect(lines.findIndex((line) => line.startsWith('USER'))).toBeGreaterThan(
      lines.findLastIndex((line) => line.startsWith('RUN')),
    );
  });

  test('gets nothing but the tarball: neither other files nor a key', () => {
    expect(argumentsOf('COPY')).toEqual(['${TARBALL} /tmp/roster.tgz']);
    expect([...argumentsOf('ARG'), ...argumentsOf('ENV')]).toEqual(['TARBALL', 'INTEGRITY']);
    expect(text('.dockerignore').match(/^[^#\n].*$/gm)).toEqual(['*', '!*.tgz']);
  });
});

describe('.pre-commit-hooks.yaml', () => {
  const hooks: { id: string; entry: string; language: string }[] = parse(text('.pre-commit-hooks.yaml'));
  const formatted = 'project: hooks\n\ngroups:\n  shops: { members: [acme-shop] }\n';

  test('come with the package, and each hook is a command that works on a project without a key', async () => {
    machine.installed();
    expect(hooks.map(({ id, language }) => [id, language])).toEqual([
      ['roster-validate', 'node'],
      ['roster-fmt', 'node'],
    ]);
    // pre-commit packs the commit: that must build the command.
    expect([manifest.scripts.prepack, manifest.bin]).toEqual([
      'npm run build',
      { roster: 'dist/roster.cjs' },
    ]);
    for (const { entry } of hooks) expect(await machine.run(entry, '.', {})).toMatchObject({ exit: 0 });
    expect(readFileSync(join(machine.workspace, 'roster.yaml'), 'utf8')).toBe(formatted);
    writeFileSync(join(machine.workspace, 'roster.yaml'), `${formatted}typo: 1\n`);
    expect(await machine.run(hooks[0]?.entry ?? '', '.', {})).toMatchObject({ exit: 1 });
  });

  const preCommit = spawnSync('pre-commit', ['--version'], { encoding: 'utf8' });
  test.skipIf(preCommit.status !== 0)('pre-commit runs both hooks, and fails when one changes a file', () => {
    machine.installed();
    const folder = machine.workspace;
    const from = join(machine.root, 'hooks');
    mkdirSync(from);
    // Installing roster itself would need a registry.
    const local = text('.pre-commit-hooks.yaml').replaceAll('language: node', 'language: system');
    writeFileSync(join(from, '.pre-commit-hooks.yaml'), local);
    for (const repository of [from, folder]) {
      git(repository, 'init', '--quiet');
      git(repository, 'add', '--all');
      git(
        repository,
        '-c',
        'user.name=a',
        '-c',
        'user.email=a@example.com',
        'commit',
        '--quiet',
        '-m',
        'first',
      );
    }
    const rev = git(from, 'rev-parse', 'HEAD').trim();
    const config = { repos: [{ repo: from, rev, hooks: hooks.map(({ id }) => ({ id })) }] };
    writeFileSync(join(folder, '.pre-commit-config.yaml'), JSON.stringify(config));
    git(folder, 'add', '--all');
    const run = () => {
      const PATH = `${join(machine.root, 'bin')}${delimiter}${process.env['PATH']}`;
      const env = { PATH, HOME: machine.home, PRE_COMMIT_HOME: join(machine.root, 'pre-commit') };
      const { status, stdout } = spawnSync('pre-commit', ['run', '--all-files'], {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
      return [status, stdout.match(/(Passed|Failed)$/gm)];
    };
    expect(run()).toEqual([1, ['Passed', 'Failed']]);
    expect(run()).toEqual([0, ['Passed', 'Passed']]);
  });
});
