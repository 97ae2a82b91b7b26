import { beforeEach, expect, test } from 'vitest';
import { defaultSeed, type Sandbox } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox({ seed: defaultSeed(), keepRequests: 1000 });
  workspace = new Workspace({}, sandbox);
});

function api(...words: string[]) {
  return workspace.command(['api', ...words]);
}

const posts = () => sandbox.requests.filter(({ method }) => method === 'POST').length;

test('a request goes to the service without a project, and the data of the answer is printed as JSON', async () => {
  const { exit, stdout } = await api('/api/scraper-agents');
  expect(exit).toBe(0);
  expect(jsonOf({ stdout })).toEqual(
    expect.arrayContaining([expect.objectContaining({ externalAgentId: 'acme-shop' })]),
  );
});

test('a write needs --write, and then sends its body once', async () => {
  const body = JSON.stringify({ name: 'Shops', description: '', agentIds: [] });
  const words = ['post', '/api/search-groups', '--data', body];
  const refused = await api(...words);
  expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining('add `--write`')]);
  expect(posts()).toBe(0);
  const { exit, stdout } = await api(...words, '--write');
  expect([exit, jsonOf({ stdout })]).toEqual([0, expect.objectContaining({ name: 'Shops' })]);
  expect([...sandbox.world.groups.values()].map(({ name }) => name)).toEqual(['Shops']);
});

test('the body comes from a file', async () => {
  workspace.write('group.json', '{"name": "Shops", "description": "", "agentIds": []}');
  const { exit } = await api('POST', '/api/search-groups', '--data', '@group.json', '--write');
  expect([exit, sandbox.world.groups.size]).toEqual([0, 1]);
});

test('a lost answer to a write ends in 3, and the write is not sent again', async () => {
  sandbox.faults.faults = [{ act: 'lose', method: 'POST', path: '/api/search-groups', nth: 1 }];
  const body = JSON.stringify({ name: 'Shops', description: '', agentIds: [] });
  const { exit, stderr } = await api('POST', '/api/search-groups', '--data', body, '--write');
  expect([exit, stderr]).toEqual([3, expect.stringContaining('may have taken effect')]);
  expect([posts(), sandbox.world.groups.size]).toEqual([1, 1]);
});

test('a write that the service refuses changed nothing: exit code 1', async () => {
  const { exit, stderr } = await api('DELETE', '/api/search-groups/999', '--write');
  expect([exit, stderr]).toEqual([1, expect.stringContaining('404')]);
});

test('--all reads every page', async () => {
  const start = new URL('/api/scraper-agents/acme-shop/start-job', workspace.env['ROSTER_URL']);
  const headers = { 'x-api-key': workspace.env['ROSTER_API_KEY'] ?? '' };
  for (let started = 0; started < 30; started += 1)
    expect((await fetch(start, { method: 'POST', headers })).status).toBe(200);
  const one = await api('/api/scraper-agents/jobs');
  expect(jsonOf(one).items).toHaveLength(25);
  const all = await api('/api/scraper-agents/jobs', '--all');
  expect(jsonOf(all)).toHaveLength(30);
  const before = sandbox.requests.length;
  const small = await api('/api/scraper-agents/jobs?pageSize=10', '--all');
  expect(jsonOf(small)).toHaveLength(30);
  expect(sandbox.requests.length - before).toBe(3);
});

test('with --format json, a failure is one JSON value, too', async () => {
  const { exit, stdout } = await api('/api/nothing', '--format', 'json');
  expect([exit, jsonOf({ stdout })]).toEqual([
    1,
    expect.objectContaining({ diagnostics: [expect.anything()] }),
  ]);
});

test('an API key in an answer is masked', async () => {
  const key = workspace.env['ROSTER_API_KEY'] ?? '';
  const body = JSON.stringify({ name: 'Shops', description: key, agentIds: [] });
  const { exit, stdout } = await api('POST', '/api/search-groups', '--data', body, '--write');
  expect([exit, key.length > 10, stdout.includes(key)]).toEqual([0, true, false]);
});

test.each<[words: string, says: string]>([
  ['https://example.com/api/users', 'is a URL'],
  ['//example.com/api/users', 'is a URL'],
  ['/admin', 'is not below /api/'],
  ['api/users', 'is not below /api/'],
  ['/api/../admin', 'is not a path of the service'],
  ['/api/%2e%2e/admin', 'is not a path of the service'],
  ['/api/..%2fadmin', 'is not a path of the service'],
  ['/api/x%2F..%2f..%2Fadmin', 'is not a path of the service'],
  ['/api/%2e%2e%5cadmin', 'is not a path of the service'],
  ['POST /api/x%2f%2e%2e%2Fapi-keys --write', 'is not a path of the service'],
  ['POST /api/api-keys%2f --write', 'Declare the key in a manifest'],
  ['/api//users', 'is not a path of the service'],
  ['/api/search-groups/{id}', 'Put the id in place of the placeholder'],
  ['/api/a\\b', 'is not a path of the service'],
  ['/api/users?a=1&a=2', 'sets "a" twice'],
  ['/api/users?a=1#b', 'is not a path of the service'],
  ['HEAD /api/users', '"HEAD" is not a method'],
  ['GET /api/users --data {}', 'GET takes no `--data`'],
  ['GET /api/users --write', 'GET reads'],
  ['GET POST /api/users', 'too many arguments'],
  ['PUT /api/users --data {a:1} --write', 'is not JSON'],
  ['PUT /api/users --data @none.json --write', 'there is no file none.json'],
  ['PUT /api/users --write --all', '`--all` reads a list'],
  ['/api/users?page=2 --all', 'the path cannot set "page"'],
  ['/api/users?pageSize=101 --all', 'a number from 1 to 100'],
  ['POST /api/api-keys --write', 'Declare the key in a manifest'],
  ['POST /api/Api%2Dkeys --write', 'Declare the key in a manifest'],
  ['POST /api/api-keys/ --write', 'remove the extra `/`'],
])('%s is refused before anything is sent', async (words, says) => {
  const { exit, stdout, stderr } = await api(...words.split(' '));
  expect([exit, stdout]).toEqual([1, '']);
  expect(stderr.replace(/\s+/g, ' ')).toContain(says);
  expect(sandbox.requests).toEqual([]);
});

test('no part of a body that is not JSON is shown, because a part of a secret cannot be masked', async () => {
  const key = 'svc_live_abcdefghijklmnopqrstuvwxyz';
  const { exit, stderr } = await api('POST', '/api/x', '--write', '--data', `${'x'.repeat(60)}${key}`);
  expect([exit, stderr]).toEqual([1, expect.stringContaining('the text is not JSON')]);
  expect(stderr).not.toContain('svc_live_abc');
});
