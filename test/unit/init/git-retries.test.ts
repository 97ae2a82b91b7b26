import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { git, Remote } from '../../support/repository.js';

/** How the CI files of `roster init` run git. */

type Run = (words: readonly string[], options: { readonly cwd: string }) => string;
const { runGit } = (await import(
  new URL('../../../src/init/templates/request.mjs', import.meta.url).href
)) as { runGit: Run };

let remote: Remote;
let folder: string;
let printed: string[];

beforeEach(() => {
  remote = new Remote();
  folder = remote.clone();
  printed = [];
  vi.spyOn(Math, 'random').mockReturnValue(0);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(console, 'error').mockImplementation((line: string) => void printed.push(line));
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

const again = expect.stringMatching(/^git: the network failed\. Trying again in \d s\.$/);

describe('a push is tried again', () => {
  test.each([
    "fatal: unable to access 'https://github.com/acme/config/': Could not resolve host: github.com",
    "fatal: unable to access 'https://github.com/acme/config/': The requested URL returned error: 503",
    'error: RPC failed; curl 56 Recv failure: Connection reset by peer\nfatal: the remote end hung up unexpectedly',
    'fetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF',
  ])('after "%s"', (stderr) => {
    failing(stderr);
    expect(runGit(['push', 'origin', 'HEAD:main'], { cwd: folder })).toBe('done');
    expect(printed).toEqual([again, again]);
  });

  test('up to five times if nothing listens', () => {
    git(folder, 'remote', 'set-url', 'origin', 'http://127.0.0.1:9/config.git');
    expect(() => runGit(['push', 'origin', 'HEAD:main'], { cwd: folder })).toThrow(/exit code 128/);
    expect(printed).toHaveLength(4);
  });
});

describe('a push is not tried again', () => {
  test('if the branch has another commit', () => {
    const other = remote.clone();
    git(other, 'commit', '--quiet', '--allow-empty', '-m', 'faster');
    git(other, 'push', '--quiet', 'origin', 'HEAD:main');
    git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'slower');
    expect(() => runGit(['push', 'origin', 'HEAD:main'], { cwd: folder })).toThrow(/exit code 1$/);
    expect(printed).toEqual([]);
  });

  test('if a hook of the remote refuses it, whatever the hook says', () => {
    const hook = join(remote.path, 'hooks', 'pre-receive');
    writeFileSync(hook, '#!/bin/sh\necho "Connection reset by the owner"\nexit 1\n', { mode: 0o755 });
    git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'change');
    expect(() => runGit(['push', 'origin', 'HEAD:main'], { cwd: folder })).toThrow(/exit code 1$/);
    expect(printed).toEqual([]);
  });

  test.each([
    "remote: Permission to acme/config.git denied to bot.\nfatal: unable to access 'https://github.com/acme/config/': The requested URL returned error: 403",
    "fatal: Authentication failed for 'https://github.com/acme/config/'",
    'git@github.com: Permission denied (publickey).\nfatal: the remote end hung up unexpectedly',
  ])('after "%s"', (stderr) => {
    failing(stderr);
    expect(() => runGit(['push', 'origin', 'HEAD:main'], { cwd: folder })).toThrow(/exit code 128/);
    expect(printed).toEqual([]);
  });
});

test('git fails with its exit code and prints what it says', () => {
  expect(() => runGit(['merge-base', '--is-ancestor', 'HEAD', 'none'], { cwd: folder })).toThrow(
    expect.objectContaining({ status: 128 }),
  );
  expect(vi.mocked(process.stderr.write).mock.calls.join()).toContain('none');
});
