import { lstatSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../../src/sandbox/faults.js';
import { DATA_SEED, type DataWorld, dataWorld } from '../../support/data.js';

let world: DataWorld;
beforeEach(async () => {
  world = await dataWorld();
});
afterEach(() => world.close());

const get = (...words: string[]) => world.json('data', 'get', ...words, '--out', 'out');
const DOWNLOAD = '*/download';
const HISTORY = [{ agent: 'plain', ago: '1d' }];
const NEWEST = 'acme-shop-20261130T060005Z.csv';

test('one dataset is saved as its file, named after the agent and the end of its job', async () => {
  const { exit, files } = await get('agent/acme-shop');
  expect([exit, world.files()]).toEqual([0, [NEWEST]]);
  expect(files).toMatchObject([{ agent: 'agent/acme-shop', outcome: 'saved', file: NEWEST }]);
  const text = readFileSync(join(world.workspace.root, 'out', NEWEST), 'utf8');
  expect(text.split('\r\n')).toHaveLength(6);
  expect(files[0].bytes).toBe(Buffer.byteLength(text));
});

test('an empty folder, such as that of a variable that is not set, is refused before any download', async () => {
  const { exit, stderr } = await world.run('data', 'get', 'agent/acme-shop', '--out', '');
  expect([exit, stderr]).toEqual([1, expect.stringContaining('--out is empty')]);
  expect(world.sandbox.requests.filter(({ path }) => path.endsWith('/download'))).toEqual([]);
});

test('several datasets are saved as one zip, with one request', async () => {
  const { exit, files } = await get('group/shops');
  expect([exit, world.files()]).toEqual([0, ['datasets-20261201T040006Z.zip']]);
  expect(files[0].ids).toHaveLength(3);
  expect(world.sandbox.requests.filter(({ path }) => path.endsWith('/bulk/export'))).toHaveLength(1);
});

test('more than 50 datasets are saved as several zips, one after the other', async () => {
  await world.close();
  const history = Array.from({ length: 53 }, (_, index) => ({ agent: 'acme-shop', ago: `${index + 1}h` }));
  world = await dataWorld({ ...DATA_SEED, history });
  const ids = (await world.json('data', 'agent/acme-shop', '--all')).datasets.map(
    ({ id }: { id: string }) => id,
  );
  const { exit, files } = await get(...ids);
  expect([exit, files.map((each: { ids: string[] }) => each.ids.length)]).toEqual([0, [50, 3]]);
});

test('a bulk export that is busy is waited for', async () => {
  const headers = { 'Retry-After': '1' };
  const body = '{"errorCode":"BULK_EXPORT_CAPACITY_EXCEEDED"}';
  world.fail({ act: 'status', path: '*/bulk/export', nth: 1, status: 429, headers, body });
  expect((await get('group/shops')).exit).toBe(0);
});

test('a file that exists is never overwritten: the next one gets a number', async () => {
  await get('agent/acme-shop');
  const path = join(world.workspace.root, 'out', NEWEST);
  writeFileSync(path, 'mine');
  await get('agent/acme-shop');
  expect(world.files()).toEqual([NEWEST.replace('.csv', '-2.csv'), NEWEST]);
  expect(readFileSync(path, 'utf8')).toBe('mine');
});

test('two gets at once lose nothing', async () => {
  const found = await Promise.all([1, 2, 3, 4].map(() => get('agent/acme-shop')));
  expect(found.map(({ exit }) => exit)).toEqual([0, 0, 0, 0]);
  expect(world.files()).toHaveLength(4);
});

test('a link in the folder is not followed', async () => {
  const { root } = world.workspace;
  mkdirSync(join(root, 'out'));
  writeFileSync(join(root, 'elsewhere'), 'mine');
  symlinkSync('../elsewhere', join(root, 'out', NEWEST));
  await get('agent/acme-shop');
  expect(readFileSync(join(root, 'elsewhere'), 'utf8')).toBe('mine');
  expect(lstatSync(join(root, 'out', NEWEST)).isSymbolicLink()).toBe(true);
  expect(world.files()).toContain(NEWEST.replace('.csv', '-2.csv'));
});

test('what killed runs left is removed, and nothing else', async () => {
  const { root } = world.workspace;
  await get('agent/globex');
  const mark = await leftoverName(join(root, 'out'));
  for (const name of [mark, '.hidden', '.x.roster-tmp']) writeFileSync(join(root, 'out', name), 'x');
  await get('agent/globex');
  expect(world.files().filter((name) => name.startsWith('.'))).toEqual(['.hidden', '.x.roster-tmp']);
});

test('a broken link among old leftovers does not keep the others', async () => {
  const { root } = world.workspace;
  mkdirSync(join(root, 'out'));
  symlinkSync('nowhere', join(root, 'out', '.a.b.roster-tmp'));
  writeFileSync(join(root, 'out', '.c.d.roster-tmp'), 'x');
  utimesSync(join(root, 'out', '.c.d.roster-tmp'), 1, 1);
  await get('agent/globex');
  expect(world.files().filter((name) => name.startsWith('.'))).toEqual(['.a.b.roster-tmp']);
});

/** The name that a process of this machine that is dead would have used. */
async function leftoverName(folder: string): Promise<string> {
  const { PartFile } = await import('../../../src/files/part-file.js');
  const { readdirSync } = await import('node:fs');
  const part = await PartFile.create(folder);
  const own = readdirSync(folder).find((name) => name.endsWith('.roster-tmp')) ?? '';
  await part.discard();
  return own.replace(/-\d+-/, '-2147483646-');
}

describe('names of the service stay in the folder', () => {
  const names = [
    '../../x.csv',
    '/etc/passwd.csv',
    '..\\..\\x.csv',
    'CON.csv',
    'a\u0000b.csv',
    `${'x'.repeat(5_000)}.csv`,
    '.csv',
    '...',
  ];
  test.each(names)('a file called %j', async (name) => {
    const encoded = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
    const headers = { 'Content-Type': 'text/csv', 'Content-Disposition': encoded };
    world.fail({ act: 'status', path: DOWNLOAD, status: 200, body: 'a,b\r\n', headers });
    expect((await get('agent/acme-shop')).exit).toBe(0);
    expect(world.files()).toEqual([NEWEST]);
  });

  const agents = ['../../up', 'a/b', 'con.x', 'é'.repeat(300), '-rf', 'a\u202eb', '.hidden', ' '];
  test.each(agents)('an agent called %j', async (name) => {
    await world.close();
    const agent = { externalAgentId: 'plain', name };
    world = await dataWorld({ agents: [agent], history: [{ agent: 'plain', ago: '1d' }] });
    for (const each of world.sandbox.world.agents.values()) each.externalAgentId = name.slice(0, 200);
    const { datasets } = await world.json('data');
    expect((await get(datasets[0].id)).exit).toBe(0);
    const [file = ''] = world.files();
    expect(file).toMatch(/^([^./\\-][^/\\\u202e]*-)?20261130T\d{6}Z\.csv$/u);
    expect(Buffer.byteLength(file)).toBeLessThan(200);
    expect(file).not.toMatch(/^con\./i);
  });
});

describe('answers without data are named, and end in 5', () => {
  test.each([
    [402, '', 'unpaid'],
    [404, '', 'notFound'],
    [410, 'EXPORT_EXPIRED', 'expired'],
    [400, 'NO_FILE_EXPORT', 'noFile'],
  ])('%i %s is %s', async (status, errorCode, outcome) => {
    world.fail({ act: 'status', path: DOWNLOAD, status, body: JSON.stringify({ message: 'no', errorCode }) });
    const { exit, files, codes } = await get('agent/acme-shop');
    expect([exit, files[0].outcome, codes]).toEqual([5, outcome, ['data-unavailable']]);
    expect(world.files()).toEqual([]);
  });

  test.each([402, 404, 410])(
    'but a web page with status %i is not an answer of the service',
    async (status) => {
      const headers = { 'Content-Type': 'text/html' };
      world.fail({ act: 'status', path: DOWNLOAD, status, body: '<html><title>Blocked</title>', headers });
      const { exit, files, stdout } = await get('agent/acme-shop');
      expect([exit, files[0].outcome]).toEqual([1, 'failed']);
      expect(stdout).toContain('The response is a web page, not JSON.');
    },
  );

  test('one that the list shows as expired is not requested', async () => {
    const [id = ''] = await world.ids('agent/globex');
    world.sandbox.advance(200 * 86_400_000);
    const { exit, files } = await get(id);
    expect([exit, files[0].outcome]).toEqual([5, 'expired']);
    expect(world.sandbox.requests.some(({ path }) => path.endsWith('/download'))).toBe(false);
  });

  test('datasets that the zip leaves out are counted, and the zip is kept', async () => {
    const unpaid = await world.ids('agent/unpaid');
    const { exit, codes, files } = await get('agent/acme-shop', 'agent/globex', ...unpaid);
    expect([exit, files[0].outcome, codes]).toEqual([5, 'saved', ['data-unavailable']]);
    expect(world.files()).toHaveLength(1);
  });

  test('without any file in a bulk export, each dataset is reported', async () => {
    world.fail({
      act: 'status',
      path: '*/bulk/export',
      status: 404,
      body: '{"errorCode":"DATASETS_NOT_FOUND"}',
    });
    const { exit, files } = await get('group/shops');
    expect([exit, files.map(({ outcome }: { outcome: string }) => outcome)]).toEqual([
      5,
      ['notFound', 'notFound', 'notFound'],
    ]);
  });

  test('--latest does not fall back to an older dataset', async () => {
    for (const each of world.sandbox.world.datasets.values())
      if (each.createdAt > Date.parse('2026-11-30T00:00:00Z') && each.fileName.startsWith('acme'))
        each.state = 'Failed';
    expect((await get('agent/acme-shop', '--latest')).exit).toBe(5);
    expect((await get('agent/acme-shop')).exit).toBe(0);
    expect(world.files()).toEqual(['acme-shop-20261128T060005Z.csv']);
  });
});

describe('a file is whole, or there is none', () => {
  const ZIP = '*/bulk/export';
  const csv = { 'Content-Type': 'text/csv' };
  const faults: Record<string, readonly [string, Fault]> = {
    'a connection that breaks off': ['agent/acme-shop', { act: 'cut', path: DOWNLOAD }],
    'a zip that breaks off': ['group/shops', { act: 'cut', path: ZIP }],
    'a page of a proxy': [
      'agent/acme-shop',
      { act: 'status', path: DOWNLOAD, status: 200, body: '\n<!DOCTYPE html><p>Log in', headers: csv },
    ],
    'a page by its type': [
      'agent/acme-shop',
      { act: 'status', path: DOWNLOAD, status: 200, body: 'x', headers: { 'Content-Type': 'text/html' } },
    ],
    'an error with status 200': [
      'agent/acme-shop',
      { act: 'status', path: DOWNLOAD, status: 200, body: '{ "success": false, "message": "no" }' },
    ],
    'a zip that is none': [
      'group/shops',
      { act: 'status', path: ZIP, status: 200, body: 'PK', headers: { 'Content-Type': 'application/zip' } },
    ],
    'an error of the service': [
      'agent/acme-shop',
      { act: 'status', path: DOWNLOAD, status: 500, body: '{}' },
    ],
    'a connection that is reset': ['agent/acme-shop', { act: 'drop', path: DOWNLOAD }],
  };
  test.each(Object.keys(faults))('%s leaves no file', async (name) => {
    const [address, fault] = faults[name] as (typeof faults)[string];
    world.fail(fault);
    world.workspace.sleep = async () => undefined;
    const { exit, files } = await get(address, '--timeout', '1s');
    expect([exit, files[0].outcome]).toEqual([1, 'failed']);
    expect(world.files()).toEqual([]);
  });

  test('a zip with another number of files than announced is not kept', async () => {
    const zip = Buffer.alloc(22);
    zip.writeUInt32LE(0x06054b50, 0);
    const headers = { 'Content-Type': 'application/zip', 'X-Export-File-Count': '3' };
    world.fail({ act: 'status', path: ZIP, status: 200, body: zip.toString('latin1'), headers });
    const { exit, stdout } = await get('group/shops');
    expect([exit, stdout, world.files()]).toEqual([1, expect.stringContaining('instead of the 3'), []]);
  });
});

test('the name of a file never has the API key, whatever the service calls the agent', async () => {
  await world.close();
  const { apiKey } = world.sandbox;
  world = await dataWorld({ agents: [{ externalAgentId: 'plain', name: apiKey }], history: HISTORY });
  for (const each of world.sandbox.world.agents.values()) each.externalAgentId = apiKey;
  const { datasets } = await world.json('data');
  const { exit, files } = await get(datasets[0].id);
  expect([exit, world.files()]).toEqual([0, [files[0].file]]);
  expect(files[0].file).toMatch(/^sensitive_-/);
});

test('a folder that cannot be made is an error before anything is downloaded', async () => {
  world.workspace.write('out', 'a file');
  const { exit, codes } = await get('agent/acme-shop');
  expect([exit, codes]).toEqual([1, ['unwritable-file']]);
});
