import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { command } from '../support/command.js';
import { startSandbox } from '../support/sandbox.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const key = 'svc_live_abcdefghijklmnopqrstuvwxyz012345';
const formats = ['text', 'json', 'markdown'];

function folder(manifest: object): string {
  const cwd = mkdtempSync(join(tmpdir(), 'roster-attack-'));
  cleanups.push(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, 'roster.yaml'), JSON.stringify({ project: 'attack', ...manifest }, null, 1));
  return cwd;
}

async function sandboxed(env: Record<string, string> = {}): Promise<Record<string, string>> {
  const sandbox = await startSandbox();
  return { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey, ...env };
}

/** The sandbox, except that it refuses the requests that `quote` answers, with that message. */
async function quoting(
  quote: (path: string, body: string) => string | null,
): Promise<Record<string, string>> {
  const { ROSTER_URL: target = '', ROSTER_API_KEY: apiKey = '' } = await sandboxed();
  const server = createServer(async (incoming, outgoing) => {
    let body = '';
    for await (const chunk of incoming) body += String(chunk);
    const path = incoming.url ?? '';
    const message = quote(`${incoming.method} ${path}`, body);
    if (message !== null) return outgoing.writeHead(400).end(JSON.stringify({ success: false, message }));
    const answer = await fetch(`${target}${path}`, {
      method: incoming.method ?? 'GET',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body === '' ? {} : { body }),
    });
    return outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanups.push(() => server.close());
  return { ROSTER_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ROSTER_API_KEY: key };
}

test.each([1, 20_000, 60_000])('a value from the environment of %i bytes is in no output', async (length) => {
  const secret = randomBytes(length).toString('base64').slice(0, length);
  const env = await sandboxed({ SECRET: secret });
  const inputs = { note: 'of ${env.SECRET}' };
  const schedule = { target: 'agent/acme-shop', every: '1 day', startTime: '2099-12-01T06:00:00', inputs };
  const cwd = folder({ schedules: { s: schedule } });
  for (const format of ['text', 'json']) {
    // `roster` checks the output.
    const { exit, stdout } = await command(['plan', '--format', format], { cwd, env });
    expect([exit, stdout]).toEqual([0, expect.stringContaining('of ${env.SECRET}')]);
  }
});

test('a service that quotes a piece of the key in user text does not reveal that it is one', async () => {
  for (const piece of ['abcdefghijkl', 'svc_live_abcdef']) {
    const env = await quoting((request) => (request.startsWith('GET') ? `no ${piece} here` : null));
    const { stdout } = await command(['plan', '--format', 'json'], { cwd: folder({ groups: {} }), env });
    expect(stdout).toContain(`no ${piece} here`);
  }
});

test('a list of all candidates for a short secret is shown whole', async () => {
  const candidates = Array.from({ length: 30 }, (_, index) => `47${String(index).padStart(2, '0')}`);
  const env = await sandboxed({ WORD: '4711' });
  const cwd = folder({
    groups: {
      list: { description: candidates.join('\n'), members: ['acme-shop'] },
      user: { description: 'PIN ${env.WORD}', members: ['globex'] },
    },
  });
  for (const format of formats) {
    const { exit, stdout } = await command(['plan', '--format', format], { cwd, env });
    for (const candidate of candidates) expect(stdout).toContain(candidate);
    expect([exit, stdout.includes('(sensitive)')]).toEqual([0, false]);
  }
});

test('a value from the environment blanks no name, id, address, digest or word of the plan', async () => {
  const words = ['an ordinary text', 'Retail prices', 'acme-shop', 'create'];
  const shown = [];
  for (const word of words) {
    const env = await sandboxed({ WORD: word });
    const groups = {
      retail: { name: 'Retail prices', description: 'of ${env.WORD}', members: ['acme-shop'] },
    };
    const cwd = folder({ groups });
    const plans = [];
    for (const format of ['text', 'json']) {
      const { stdout } = await command(['plan', '--format', format], { cwd, env });
      plans.push(stdout.replaceAll(env['ROSTER_URL'] ?? '', 'URL').replace(/[0-9a-f]{64}/g, 'DIGEST'));
    }
    shown.push(plans);
  }
  expect(shown[0]?.[0]).toContain('"Retail prices"');
  for (const plans of shown) expect(plans).toEqual(shown[0]);
});

test('a service that quotes what was sent shows nothing of a value from the environment', async () => {
  for (const secret of ['Zq7', 'four words in it']) {
    const quoted = (body: string) =>
      `${body} ${Buffer.from(body).toString('base64')} ${[...secret].join('-')}`;
    const env = await quoting((request, body) => (request.startsWith('POST') ? quoted(body) : null));
    const cwd = folder({ groups: { shops: { description: 'of ${env.SECRET}', members: ['acme-shop'] } } });
    // `roster` checks the output for the secret as a whole.
    const { exit, stdout, stderr } = await command(['apply', '--yes'], {
      cwd,
      env: { ...env, SECRET: secret },
    });
    expect([exit, stdout + stderr]).toEqual([
      3,
      expect.stringContaining('values from environment variables'),
    ]);
    expect(stdout + stderr).not.toContain(secret.slice(0, 3).split('').join('-'));
  }
});

test('a service that quotes the key in any spelling shows nothing of it', async () => {
  const spellings = (text: string) => [
    text,
    ...['x', 'xx'].map((before) => Buffer.from(before + text + before).toString('base64')),
    Buffer.from(text).toString('hex').toUpperCase(),
    `${'long text '.repeat(48)} ${text}`,
  ];
  for (const spelling of spellings(key)) {
    const env = await quoting((request) => (request.startsWith('GET') ? `bad key "${spelling}"` : null));
    // `roster` checks the output.
    const { exit, stderr } = await command(['plan'], { cwd: folder({ groups: {} }), env });
    expect([exit, stderr]).toEqual([1, expect.stringContaining('bad key')]);
    expect(stderr).not.toContain('svc_live_a');
  }
});

test('a key pasted into an argument is masked', async () => {
  const env = await sandboxed({ WORD: key });
  const cwd = folder({ groups: {} });
  for (const args of [
    ['-e', key],
    ['-f', `${key}.yaml`],
    ['--format', key],
    [`--${key}`],
    ['--prune', key],
    [`group/${key}`],
  ]) {
    const { exit, stdout, stderr } = await command(['plan', ...args], { cwd, env });
    expect([exit, (stdout + stderr).includes('mnopqrst')]).toEqual([1, false]);
  }
  const { stderr } = await command([key], { cwd, env });
  expect(stderr.includes('mnopqrst')).toBe(false);
});

test.each([
  ['init', '--url', `https://${'svc_live_QWERTYQWERTYQWERTY01'}`],
  ['pull', '--out', 'svc_live_QWERTYQWERTYQWERTY01', '--yes'],
  ['pull', '--into', 'svc_live_QWERTYQWERTYQWERTY01.yaml', '--yes'],
  ['hold', '--all', '--reason', 'svc_live_QWERTYQWERTYQWERTY01', '--yes'],
])('a key pasted into `%s %s` is written to no file', async (...args) => {
  const env = await sandboxed();
  const cwd = folder({});
  if (args[0] !== 'init') {
    writeFileSync(
      join(cwd, 'roster.yaml'),
      'project: attack\nschedules:\n  s: { target: agent/acme-shop, every: 6 hours, startTime: 2099-01-01T06:00:00 }\n',
    );
    await command(['apply', '--yes'], { cwd, env });
  }
  const { exit, stdout, stderr } = await command(args, { cwd, env });
  expect([exit, stdout + stderr]).toEqual([1, expect.stringContaining('unsafe-text')]);
  expect(stdout + stderr).not.toContain('QWERTY');
  const files = readdirSync(cwd, { recursive: true, encoding: 'utf8' });
  const texts = files.map((file) =>
    statSync(join(cwd, file)).isFile() ? readFileSync(join(cwd, file), 'utf8') : '',
  );
  expect([...files, ...texts].join('\n')).not.toContain('QWERTY');
});

test('a key pasted into a manifest is an error with its place, and is not shown', async () => {
  const env = await sandboxed();
  const other = 'svc_live_QWERTYQWERTYQWERTY01';
  const texts = [
    `project: attack\ngroups:\n  shops: { name: ${other}, members: [] }\n`,
    `project: attack\ngroups:\n  ${other}: { members: [] }\n`,
    `project: attack\n# the key is ${other}\ngroups: {}\n`,
    `project: attack\nvars: { k: ${other} }\ngroups: {}\n`,
  ];
  for (const text of texts) {
    const cwd = folder({});
    writeFileSync(join(cwd, 'roster.yaml'), text);
    for (const format of ['text', 'sarif']) {
      const { exit, stdout, stderr } = await command(['validate', '--format', format], { cwd, env });
      expect([exit, stdout + stderr]).toEqual([1, expect.stringContaining('unsafe-text')]);
      expect(stdout + stderr).not.toContain('QWERTY');
    }
  }
});

test('a key that is the name of a group on the service is masked', async () => {
  const env = await sandboxed();
  const name = 'svc_live_QWERTYQWERTYQWERTY01';
  const { ROSTER_URL: url, ROSTER_API_KEY: apiKey = '' } = env;
  const created = await fetch(`${url}/api/search-groups`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name, agentIds: [] }),
  });
  expect(created.ok).toBe(true);
  const cwd = folder({ groups: { own: { members: ['acme-shop'] } } });
  for (const format of ['text', 'json']) {
    const { stdout, stderr } = await command(['plan', '--prune', 'all', '--format', format], { cwd, env });
    expect(stdout + stderr).toContain('(sensitive)');
    expect(stdout + stderr).not.toContain('QWERTY');
  }
});
