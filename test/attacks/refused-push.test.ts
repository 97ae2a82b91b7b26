import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { command } from '../support/command.js';
import { git, Remote } from '../support/repository.js';
import { startSandbox } from '../support/sandbox.js';

let remote: Remote;
let sandbox: Sandbox;
let folder: string;
beforeEach(async () => {
  const text = 'project: shop\ninventory: { git: {} }\ngroups: { a: { members: [acme-shop] } }\n';
  remote = new Remote({ 'roster.yaml': text });
  folder = remote.clone();
  sandbox = await startSandbox();
});
afterEach(async () => {
  remote.remove();
});

/** In one line, as it is broken at the width of the terminal. */
async function errorOf(words: string): Promise<string> {
  const service = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey, HOME: remote.root };
  const { exit, stderr } = await command(words.split(' '), { cwd: folder, env: service });
  expect(exit).toBe(1);
  expect(sandbox.world.groups.size).toBe(0);
  return stderr.replace(/\s+/g, ' ');
}

function hook(script: string): void {
  const path = join(remote.path, 'hooks/pre-receive');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\nexit 1\n`);
  chmodSync(path, 0o755);
}

test('a push that the host refuses is called refused, with what the host says', async () => {
  hook("echo 'GH006: Protected branch update failed.'; printf 'Ask \\033[31mthe platform team\\033[0m.\\n'");
  const error = await errorOf('apply --yes');
  expect(error).toContain('[inventory-unavailable]');
  expect(error).toContain('refused the push');
  expect(error).toContain('pre-receive hook declined');
  expect(error).toContain('GH006: Protected branch update failed.');
  expect(error).toContain('the platform team');
  expect(error).not.toContain('cannot be reached');
  expect(error).not.toContain('\u001b');
});

test('addresses of people in what the host says are shown', async () => {
  hook("echo 'Ask platform-team@example.com or @octo/platform'");
  const error = await errorOf('apply --yes');
  expect(error).toContain('Ask platform-team@example.com or @octo/platform');
});

test('a host that talks a lot is cut short after its first lines', async () => {
  hook('for each in $(seq 500); do echo "line $each of a long story about the rules of this host"; done');
  const error = await errorOf('apply --yes');
  expect(error).toContain('refused the push');
  expect(error).toContain('line 1 of a long story');
  expect(error.length).toBeLessThan(2_000);
});

test.each([
  [401, 'asks for a user name or token'],
  [403, 'denies access'],
  [404, 'finds no repository'],
])('a host that answers %i says that, and is not called unreachable', async (status, words) => {
  const server = createServer(
    (_, response) => void response.writeHead(status, { 'WWW-Authenticate': 'Basic realm="x"' }).end('no\n'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    git(
      folder,
      'remote',
      'set-url',
      'origin',
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`,
    );
    const error = await errorOf('plan');
    expect(error).toContain(words);
    expect(error).not.toContain('cannot be reached');
  } finally {
    server.close();
  }
});

test.each(['http://127.0.0.1:9/x.git', 'http://nowhere.invalid/x.git', 'ssh://git@127.0.0.1:9/x.git'])(
  'a host without a connection cannot be reached: %s',
  async (url) => {
    git(folder, 'remote', 'set-url', 'origin', url);
    const error = await errorOf('plan');
    expect(error).toContain('cannot be reached');
    expect(error).toContain('Check the network');
  },
);
