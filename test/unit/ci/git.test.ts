import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { gitEnvironment, JobGit, unstarted } from '../../../src/ci/git.js';
import { git, Remote } from '../../support/repository.js';

/** How `roster ci` runs git. */

const runGit = (words: readonly string[], { cwd }: { readonly cwd: string }) =>
  new JobGit(cwd, process.env, (text) => {
    if (text !== '') printed.push(...text.trimEnd().split('\n'));
  }).run(words);

let remote: Remote;
let folder: string;
let printed: string[];

beforeEach(() => {
  remote = new Remote();
  folder = remote.clone();
  printed = [];
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  remote.remove();
});

/** A program in place of git that fails twice like this. */
function failing(stderr: string): void {
  const bin = mkdtempSync(join(tmpdir(), 'roster-git-'));
  const script = `#!/bin/bash
echo x >> '${bin}/tries'
if [ "$(wc -l < '${bin}/tries')" -gt 2 ]; then echo done; exit 0; fi
cat >&2 <<'END'
${stderr}
END
exit 128
`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  remote.remove = () => {
    rmSync(remote.root, { recursive: true });
    rmSync(bin, { recursive: true });
  };
}

const retried = () => printed.filter((line) => line.startsWith('git: '));
const again = expect.stringMatching(/^git: the network failed\. Trying again in \d s\.$/);

describe('a push is tried again', () => {
  test.each([
    "fatal: unable to access 'https://github.com/acme/config/': Could not resolve host: github.com",
    "fatal: unable to access 'https://github.com/acme/config/': The requested URL returned error: 503",
    'error: RPC failed; curl 56 Recv failure: Connection reset by peer\nfatal: the remote end hung up unexpectedly',
    'fetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF',
  ])('after "%s"', async (stderr) => {
    failing(stderr);
    expect(await runGit(['push', 'origin', 'HEAD:main'], { cwd: folder })).toBe('done');
    expect(retried()).toEqual([again, again]);
  });

  test('up to five times if nothing listens', async () => {
    git(folder, 'remote', 'set-url', 'origin', 'http://127.0.0.1:9/config.git');
    await expect(runGit(['push', 'origin', 'HEAD:main'], { cwd: folder })).rejects.toThrow(/exit code 128/);
    expect(retried()).toHaveLength(4);
  });
});

describe('a push is not tried again', () => {
  test('if the branch has another commit', async () => {
    const other = remote.clone();
    git(other, 'commit', '--quiet', '--allow-empty', '-m', 'faster');
    git(other, 'push', '--quiet', 'origin', 'HEAD:main');
    git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'slower');
    await expect(runGit(['push', 'origin', 'HEAD:main'], { cwd: folder })).rejects.toThrow(/exit code 1: /);
    expect(retried()).toEqual([]);
  });

  test('if a hook of the remote refuses it, whatever the hook says', async () => {
    const hook = join(remote.path, 'hooks', 'pre-receive');
    writeFileSync(hook, '#!/bin/sh\necho "Connection reset by the owner"\nexit 1\n', { mode: 0o755 });
    git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'change');
    await expect(runGit(['push', 'origin', 'HEAD:main'], { cwd: folder })).rejects.toThrow(/exit code 1: /);
    expect(retried()).toEqual([]);
  });

  test.each([
    "remote: Permission to acme/config.git denied to bot.\nfatal: unable to access 'https://github.com/acme/config/': The requested URL returned error: 403",
    "fatal: Authentication failed for 'https://github.com/acme/config/'",
    'git@github.com: Permission denied (publickey).\nfatal: the remote end hung up unexpectedly',
  ])('after "%s"', async (stderr) => {
    failing(stderr);
    await expect(runGit(['push', 'origin', 'HEAD:main'], { cwd: folder })).rejects.toThrow(/exit code 128/);
    expect(retried()).toEqual([]);
  });
});

describe('a ref of the remote is the one with its full name', () => {
  const ref = 'refs/heads/roster-snapshot-p';
  const jobGit = () => new JobGit(folder, process.env, () => {});
  const main = () => remote.git('rev-parse', 'main');
  // What git shows first, completes the name to, or finds at its end.
  const others = ['refs/heads/a/refs/heads/', 'refs/heads/refs/heads/', 'refs/tags/refs/heads/'].map(
    (each) => `${each}roster-snapshot-p`,
  );

  test.each(others)('and not %s, when it is fetched', async (other) => {
    remote.git('update-ref', other, main());
    expect(await jobGit().fetched('origin', ref)).toBeNull();
    git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'own');
    git(folder, 'push', '--quiet', 'origin', 'HEAD:main');
    remote.git('update-ref', ref, main());
    expect(await jobGit().fetched('origin', ref)).toBe(main());
  });

  test.each(others)('and not %s, when it is pushed', async (other) => {
    remote.git('update-ref', other, main());
    git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'own');
    const own = git(folder, 'rev-parse', 'HEAD');
    const pushing = jobGit().push('origin', own, ref);
    if (other.includes('/a/')) await pushing;
    else
      await expect(pushing).rejects.toMatchObject({
        message: expect.stringContaining(`origin has the ref ${other}, which git takes for ${ref}`),
        diagnostics: [{ code: 'ci-host-error' }],
      });
    expect(remote.git('rev-parse', other)).toBe(main());
  });
});

test('git fails with its exit code and what it says, as a diagnostic', async () => {
  const failure = await runGit(['fetch', '--quiet', 'origin', 'refs/pull/7/merge'], { cwd: folder }).catch(
    (thrown: unknown) => thrown,
  );
  expect(failure).toMatchObject({ status: 128, diagnostics: [{ code: 'ci-host-error' }] });
  expect(String(failure)).toMatch(/git fetch failed with exit code 128: fatal: .*refs\/pull\/7\/merge/);
  expect(printed.join()).toContain('refs/pull/7/merge');
});

test.each([
  ['ENOENT', 'missing-setting'],
  ['EACCES', 'missing-setting'],
  ['ERR_CHILD_PROCESS_STDIO_MAXBUFFER', 'ci-host-error'],
  ['E2BIG', 'ci-host-error'],
])('only a git that is missing is a setting: %s is %s', (code, expected) => {
  const { diagnostics } = unstarted(['ls-remote'], { name: 'Error', message: 'no', code });
  expect(diagnostics).toMatchObject([{ code: expected }]);
});

test('the token in a URL is not in the diagnostic', async () => {
  failing(
    "fatal: Authentication failed for 'https://gitlab-ci-token:s3cr3t@gitlab.example.com/acme/config.git/'",
  );
  const failure = await runGit(['push'], { cwd: folder }).catch((thrown: unknown) => thrown);
  expect(String(failure)).toMatch(/fatal: Authentication failed for 'https:\/\/gitlab\.example\.com\//);
});

describe('an interrupt', () => {
  const interrupted = { diagnostics: [{ code: 'interrupted' }] };
  const running = (stop: AbortController) =>
    new JobGit(folder, process.env, (text) => void printed.push(text), stop.signal).run(['push', 'origin']);

  test('ends a git that hangs', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'roster-git-'));
    // Like a server that never answers.
    const script = `#!/bin/bash\necho $$ > '${bin}/pid.new'; mv '${bin}/pid.new' '${bin}/pid'\nexec sleep 100000\n`;
    writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
    vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
    const stop = new AbortController();
    const result = expect(running(stop)).rejects.toMatchObject(interrupted);
    await vi.waitUntil(() => existsSync(join(bin, 'pid')));
    stop.abort();
    await result;
    const pid = Number(readFileSync(join(bin, 'pid'), 'utf8'));
    await vi.waitUntil(() => !isRunning(pid));
  });

  test('ends the wait for another try', async () => {
    failing('fatal: unable to access: Could not resolve host: github.com');
    vi.spyOn(Math, 'random').mockReturnValue(1_000_000);
    const stop = new AbortController();
    const result = expect(running(stop)).rejects.toMatchObject(interrupted);
    await vi.waitUntil(() => printed.some((line) => line.startsWith('git: the network failed')));
    stop.abort();
    await result;
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('git gets the token of the job from the environment, for the server of the host alone', async () => {
  const env = gitEnvironment(
    { PATH: process.env['PATH'], GITHUB_TOKEN: 'of-the-job', GIT_CONFIG_GLOBAL: '/dev/null' },
    folder,
    { server: 'https://github.com', user: 'x-access-token', variable: 'GITHUB_TOKEN' },
  );
  const said = (host: string) =>
    new JobGit(folder, env, () => {}).run(['credential', 'fill'], `protocol=https\nhost=${host}\n\n`);
  expect(await said('github.com')).toContain('username=x-access-token\npassword=of-the-job');
  await expect(said('github.example.com')).rejects.toThrow();
});

test('a folder that looks like a repository is none, and no hook runs', async () => {
  const bare = join(folder, 'bare');
  git(folder, 'init', '--quiet', '--bare', 'bare');
  mkdirSync(join(bare, 'hooks'), { recursive: true });
  writeFileSync(join(bare, 'hooks', 'post-checkout'), '#!/bin/sh\ntouch "$PWD/was-run"\n', { mode: 0o755 });
  await expect(runGit(['rev-parse', '--git-dir'], { cwd: bare })).rejects.toThrow();
});
