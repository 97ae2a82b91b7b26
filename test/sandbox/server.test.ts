import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import schema from '../../schemas/seed.schema.json' with { type: 'json' };
import { defaultSeed, JsonFileError, parseFaults, parseSeed } from '../../src/sandbox/index.js';
import { running } from './running.js';
import { ACME, PIPELINE, SEED, service } from './service.js';

const DEFAULT_KEY = 'svc_live_sandbox_0000000000000000';
const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1');
const dataFile = async () => join(await mkdtemp(join(tmpdir(), 'sandbox-')), 'data.json');

function messageOf(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Sends a request with any `Host`. */
function statusWithHost(url: string, host: string, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { Host: host, 'X-Api-Key': key };
    const sent = request(`${url}/api/scraper-agents`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject).end();
  });
}

describe('server', () => {
  test.each([
    ['127.0.0.1', 200],
    ['localhost:4010', 200],
    ['[::1]:4010', 200],
    ['127.255.255.254:4010', 200],
    ['127.999.999.999', 403],
    ['evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['localhost.evil.example:4010', 403],
  ])('server: a request with the Host %j is answered with %i', async (host, status) => {
    const { url, apiKey } = await service();
    expect(await statusWithHost(url, host, apiKey)).toBe(status);
  });

  test('server: on any other address every Host is answered, and the default key is not the published one', async () => {
    const { url, apiKey } = await service({ host: '0.0.0.0', seed: defaultSeed() });
    expect(apiKey).not.toBe(DEFAULT_KEY);
    expect(apiKey).toMatch(/^svc_live_[0-9a-f]{40}$/);
    expect(await statusWithHost(url, 'sandbox:4010', apiKey)).toBe(200);
    expect((await service({ seed: defaultSeed() })).apiKey).toBe(DEFAULT_KEY);
  });

  test.each<[string, RegExp]>([
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['localhost', /^http:\/\/localhost:\d+$/],
    ...(hasIpv6 ? [['::', /^http:\/\/\[::1\]:\d+$/] as [string, RegExp]] : []),
  ])('server: the URL of one that listens on %s works on its machine', async (host, url) => {
    const on = await service({ host });
    expect(on.url).toMatch(url);
    expect((await on.call('GET', '/api/scraper-agents')).status).toBe(200);
  });

  test('server: requests are reported as they are answered, and no more are kept than asked for', async () => {
    const seen: string[] = [];
    const on = await service({
      keepRequests: 10,
      onRequest: ({ method, path, status }) => seen.push(`${method} ${path} ${status}`),
    });
    for (let count = 0; count < 40; count += 1) await on.call('GET', `/api/scraper-agents?n=${count}`);
    expect(seen).toHaveLength(40);
    expect(seen[39]).toBe('GET /api/scraper-agents?n=39 200');
    expect(on.requests.length).toBeLessThanOrEqual(10);
    expect(on.requests.at(-1)?.path).toBe('/api/scraper-agents?n=39');
  });
});

describe('data file', () => {
  test('data file: a second sandbox on the same file is refused, until the first is closed', async () => {
    const file = await dataFile();
    const first = await service({ dataFile: file });
    await expect(service({ dataFile: file })).rejects.toThrow(/is used by another sandbox/);
    await first.close();
    await service({ dataFile: file });
  });

  test('data file: a sandbox that cannot start leaves the file free', async () => {
    const file = await dataFile();
    await writeFile(file, '{');
    await expect(service({ dataFile: file })).rejects.toThrow(/is not a data file/);
    const busy = Number(new URL((await service()).url).port);
    await writeFile(file, '{"formatVersion":3}\n');
    await expect(service({ dataFile: file, port: busy })).rejects.toThrow(/is in use/);
    await service({ dataFile: file });
  });

  test.each([
    ['in a folder that does not exist', 'missing/data.json', 'ENOENT'],
    ['that is a folder', '.', 'EISDIR'],
  ])('data file: one %s is an error that names it', async (_name, path, code) => {
    const file = join(await dataFile(), '..', path);
    const message = `${file} cannot be used as a data file: ${code}. Use a file in a folder that exists`;
    await expect(service({ dataFile: file })).rejects.toThrow(message);
  });

  test('data file: with the published key in it, another address still has a key of its own', async () => {
    const file = await dataFile();
    const first = await service({ dataFile: file, seed: defaultSeed() });
    expect(first.apiKey).toBe(DEFAULT_KEY);
    await first.close();
    const { url, apiKey } = await service({ dataFile: file, host: '0.0.0.0' });
    expect(apiKey).toMatch(/^svc_live_[0-9a-f]{40}$/);
    expect(await statusWithHost(url, 'sandbox:4010', DEFAULT_KEY)).toBe(401);
    expect(await statusWithHost(url, 'sandbox:4010', apiKey)).toBe(200);
  });

  test('data file: temporary files of a killed sandbox are removed, and others are kept', async () => {
    const file = await dataFile();
    await writeFile(`${file}.0123456789ab.tmp`, 'half');
    await writeFile(`${file}.bak`, 'mine');
    await service({ dataFile: file });
    expect((await readdir(join(file, '..'))).sort()).toEqual(['data.json', 'data.json.bak']);
  });

  test('data file: one of an older version is refused, and not overwritten', async () => {
    const file = await dataFile();
    const text = '{\n "formatVersion": 2,\n "agents": []\n}\n';
    await writeFile(file, text);
    await expect(service({ dataFile: file })).rejects.toThrow(
      `${file} is not a data file of this version of the sandbox. Correct it, or delete the file to start over.`,
    );
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('data file: history, starts and datasets survive a restart', async () => {
    const file = await dataFile();
    const first = await running({}, { dataFile: file });
    const job = await first.start();
    first.seconds(60);
    const before = await first.call('GET', `/api/scraper-agents/jobs/${job}/export`);
    await first.close();
    const second = await running({}, { dataFile: file });
    expect((await second.call('GET', `/api/scraper-agents/jobs/${job}/export`)).text).toBe(before.text);
    expect(second.world.starts.get(ACME)).toBe(1);
  });
});

test('data file: an entry that lacks a required field is refused, and named by its id', async () => {
  const file = await dataFile();
  const first = await running({}, { dataFile: file });
  await first.start();
  await first.close();
  for (const [section, field] of [
    ['agents', 'name'],
    ['groups', 'agentIds'],
    ['jobs', 'runIds'],
    ['runs', 'endsAt'],
  ] as const) {
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const index = lines.findIndex((line) => line.startsWith(`[["${section}"`));
    const [[name, id, record]] = JSON.parse(lines[index] ?? '');
    delete record[field];
    lines[index] = JSON.stringify([[name, id, record]]);
    const broken = await dataFile();
    await writeFile(broken, `${lines.join('\n')}\n`);
    await expect(service({ dataFile: broken })).rejects.toThrow(
      `${broken}:${index + 1} has an entry of "${section}" without "${field}": ${id}`,
    );
  }
});

test('files: a name that an agent gives cannot leave the folder or break a header', async () => {
  const on = await running();
  const agentJobHistoryId = await on.start();
  const agent = on.world.agents.get(ACME);
  if (agent) agent.externalAgentId = '../a"\n\u20ac';
  on.seconds(60);
  const { headers } = await on.call('GET', `/api/scraper-agents/jobs/${agentJobHistoryId}/export`);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.csv"$/);
});

describe('faults file', () => {
  const faults = (fault: object) => JSON.stringify({ faults: [{ act: 'status', ...fault }] });

  test.each([
    [{ status: 99 }],
    [{ status: 1000 }],
    [{ method: 'FETCH' }],
    [{ nth: 0 }],
    [{ nth: [1, 'x'] }],
    [{ nth: [] }],
    [{ ms: -1 }],
    [{ requests: 0 }],
    [{}],
    [{ act: 'status-after' }],
    [{ act: 'redirect', status: 307 }],
    [{ status: 503, headers: { 'Retry-After': 2 } }],
    [{ status: 503, headers: { 'Retry After': '2' } }],
    [{ status: 503, headers: { 'Retry-After': '2\n' } }],
  ])('faults file: %j is refused', (fault) => {
    expect(() => parseFaults(faults(fault))).toThrow(/faults\[0\]/);
  });

  test('faults file: nth can be several', async () => {
    const { faults: list } = parseFaults(faults({ status: 503, nth: [1, 3] }));
    const on = await service({ faults: { faults: list } });
    const statuses = [];
    for (const _ of [1, 2, 3, 4]) statuses.push((await on.call('GET', '/api/pipelines')).status);
    expect(statuses).toEqual([503, 200, 503, 200]);
  });
});

describe('seed', () => {
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);

  test.each<[string, string]>([
    ['{\n "agents": [\n  { "externalAgentId": "a", "name": 5 }\n ] }', '3:37'],
    ['{\n "agents": [],\n "groups": [\n  { "name": "g", "members": ["nothing"] } ] }', '4:3'],
    [
      '{\n "agents": [{ "externalAgentId": "a", "name": "a",\n  "outcomes": [{ "result": "explode" }] }] }',
      '3:28',
    ],
    ['{\n "settings": { "retentionDays": -1 } }', '2:33'],
    ['{\n "agents": [\n', '3:1'],
    ['{\n "nonsense": 1 }', '2:2'],
    ['{\n "groups": [{ "name": "g",\n  "members": [], "size": 1 }] }', '3:18'],
    [
      '{ "users": [{ "name": "bob" }],\n "groups": [{ "name": "g", "members": [], "owner": "ghost" }] }',
      '2:52',
    ],
    ['{ "users": [{ "name": "bob" }],\n "keys": [{ "name": "k", "user": "ghost" }] }', '2:34'],
    ['{\n "history": [\n  { "agent": "acme-shop", "ago": "soon" } ] }', '3:34'],
    ['{\n "history": [\n  { "agent": "nobody", "ago": "1h" } ] }', '3:14'],
    ['{\n "history": [\n  { "group": "nothing", "ago": "1h" } ] }', '3:14'],
    ['{\n "history": [\n  { "schedule": "nothing", "ago": "1h" } ] }', '3:17'],
    ['{\n "history": [\n  { "agent": "prices", "ago": "1h", "inputParameters": "x" } ] }', '3:56'],
    ['{\n "history": [\n  { "agent": "prices", "startedAt": "9000-01-01T00:00:00Z" } ] }', '3:37'],
    ['{\n "history": [\n  { "agent": "prices", "ago": "1h", "accessLevel": "All" } ] }', '3:52'],
    ['{\n "history": [\n  { "agent": "prices", "ago": "0s", "accessLevel": "Company" } ] }', '3:52'],
    [
      '{\n "users": [{ "name": "x", "company": null }],\n "history": [\n  { "agent": "prices", "ago": "1h", "owner": "x", "accessLevel": "Company" } ] }',
      '4:66',
    ],
    [
      '{\n "history": [\n  { "agent": "prices", "ago": "1h", "savedQueries": [\n   { "name": "q", "definition": { "filters": 5 } }] } ] }',
      '4:33',
    ],
    [
      '{\n "history": [\n  { "agent": "prices", "ago": "1h", "savedQueries": [\n   { "name": "", "definition": {} }] } ] }',
      '4:14',
    ],
  ])('seed: an error in %j names its line and column, %s', (text, position) => {
    expect(() => parseSeed(text)).toThrow(JsonFileError);
    expect(() => parseSeed(text)).toThrow(`${position}: `);
  });

  test('seed: all errors of a file are reported in its order, before references to wrong entries', () => {
    const text = `{
  "nonsense": 1,
  "groups": [{ "members": ["nobody"] }, { "name": 5, "members": [], "size": 1 }],
  "agents": [{ "externalAgentId": "a", "name": "A", "sessions": 0 }]
}`;
    const lines = messageOf(() => parseSeed(text)).split('\n');
    expect(lines.map((line) => line.split('. ')[0])).toEqual([
      expect.stringContaining('2:3: the top level has an unknown property "nonsense"'),
      '3:14: groups[0] has no "name"',
      '3:51: groups[1].name is not a string',
      '3:69: groups[1] has an unknown property "size"',
      '4:65: agents[0].sessions is not an integer from 1 to 20',
    ]);
    const unknown = JSON.stringify({ groups: ['x', 'y'].map((name) => ({ name, members: [name] })) });
    expect(messageOf(() => parseSeed(unknown))).toMatch(/groups\[0\] refers to .*\n.*groups\[1\] refers to /);
    const many = JSON.stringify({ agents: Array.from({ length: 5_000 }, () => ({})) });
    expect(messageOf(() => parseSeed(many)).split('\n')).toHaveLength(100);
  });

  test('seed: owners and users of keys are the caller and the users of the seed, or anybody if there are none', () => {
    const group = { name: 'g', members: [], owner: 'bob' };
    const keys = [{ name: 'k', user: 'bob' }];
    const read = (seed: object) => () => parseSeed(JSON.stringify(seed));
    expect(read({ groups: [group], keys })).not.toThrow();
    expect(
      read({ users: [{ name: 'bob' }], groups: [group, { ...group, owner: 'caller' }], keys }),
    ).not.toThrow();
    expect(read({ users: [{ name: 'ann' }], groups: [group] })).toThrow(
      'groups[0].owner is "bob", which is not one of the users. Add it to `users`, or use one of: caller, ann.',
    );
  });

  const agents = [{ id: ACME, externalAgentId: 'acme', name: 'Acme' }];
  test.each<[string, object, boolean]>([
    ['everything', { ...SEED, users: [{ name: 'x', company: null }], settings: { retentionDays: 3 } }, true],
    [
      'a script',
      { agents: [{ ...agents[0], sessions: 2, outcomes: [{ nth: [1, 2], result: 'fail', seconds: 4 }] }] },
      true,
    ],
    [
      'a group by name',
      {
        agents,
        groups: [{ name: 'g', members: ['acme'] }],
        schedules: [
          { targetType: 'Group', targetId: 'g', scheduleType: 'Once', startTime: '2026-12-01T06:00:00' },
        ],
      },
      true,
    ],
    [
      'a history',
      {
        ...SEED,
        schedules: [{ id: 7, targetId: 'acme', scheduleType: 'Once', startTime: '2026-12-01T06:00:00' }],
        history: [
          { agent: 'acme', ago: '8h', outcome: { result: 'fail', seconds: 4 } },
          { group: 'Shops', startedAt: '2026-10-01T06:00:00Z', inputParameters: '{"q":"x"}' },
          { pipeline: PIPELINE, startedAt: '2026-10-01T06:00:00.5+02:00', owner: 'x' },
          { schedule: 7, ago: '2w' },
          {
            agent: 'acme',
            ago: '1d',
            accessLevel: 'Company',
            savedQueries: [{ name: 'Cheap', definition: { sortColumn: 'price', pageSize: 10 } }],
          },
        ],
      },
      true,
    ],
    ['a start of nothing', { agents, history: [{ ago: '8h' }] }, false],
    ['a start of two things', { ...SEED, history: [{ agent: 'acme', group: 'Shops', ago: '8h' }] }, false],
    ['a start without a time', { agents, history: [{ agent: 'acme' }] }, false],
    [
      'a start with two times',
      { agents, history: [{ agent: 'acme', ago: '8h', startedAt: '2026-10-01T06:00:00Z' }] },
      false,
    ],
    ['a wrong duration', { agents, history: [{ agent: 'acme', ago: '8 hours' }] }, false],
    [
      'a time without an offset',
      { agents, history: [{ agent: 'acme', startedAt: '2026-10-01T06:00:00' }] },
      false,
    ],
    ['an outcome of a group', { ...SEED, history: [{ group: 'Shops', ago: '8h', outcome: {} }] }, false],
    [
      'access to a group',
      { ...SEED, history: [{ group: 'Shops', ago: '8h', accessLevel: 'Company' }] },
      false,
    ],
    [
      'a saved query without a definition',
      { agents, history: [{ agent: 'acme', ago: '8h', savedQueries: [{ name: 'q' }] }] },
      false,
    ],
    ['an outcome with nth', { agents, history: [{ agent: 'acme', ago: '8h', outcome: { nth: 1 } }] }, false],
    ['an unknown property', { agents: [{ ...agents[0], speed: 4 }] }, false],
    ['a wrong word', { agents: [{ ...agents[0], format: 'xls' }] }, false],
    ['a wrong number', { agents: [{ ...agents[0], sessions: 0 }] }, false],
    ['a wrong start', { agents: [{ ...agents[0], outcomes: [{ nth: 0 }] }] }, false],
    ['a wrong setting', { settings: { startsPerMinute: 1.5 } }, false],
  ])('seed: the JSON Schema and the sandbox agree on %s', (_name, seed, isValid) => {
    expect(validate(seed)).toBe(isValid);
    const read = () => parseSeed(JSON.stringify(seed));
    if (isValid) expect(read()).toEqual(seed);
    else expect(read).toThrow(JsonFileError);
  });

  test('seed: a schedule names its group or pipeline, unless two have that name', async () => {
    const group = { name: 'g', members: ['acme'] };
    const schedule = {
      targetType: 'Group',
      targetId: 'g',
      scheduleType: 'Once',
      startTime: '2026-12-01T06:00:00',
    } as const;
    const { world } = await service({ seed: { agents, groups: [group], schedules: [schedule] } });
    const [record] = [...world.schedules.values()];
    expect(world.groups.get(record?.targetId ?? '')?.name).toBe('g');
    const twice = { agents, groups: [group, group], schedules: [schedule] };
    expect(() => parseSeed(JSON.stringify(twice))).toThrow(
      /schedules\[0\].targetId is "g", a name that several have/,
    );
  });
});
