import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DataFileError, worldFromLog, worldToLog } from '../../src/sandbox/index.js';
import { ACME, GROUP, service } from './service.js';

const dataFile = async () => join(await mkdtemp(join(tmpdir(), 'sandbox-')), 'data.json');

test('data file: a sandbox continues where it stopped', async () => {
  const file = await dataFile();
  const first = await service({ dataFile: file });
  const { id } = (await first.call('POST', '/api/search-groups', { name: 'Kept', agentIds: [ACME] })).body
    .data;
  await first.call('DELETE', `/api/search-groups/${GROUP}`);
  const saved = await readFile(file, 'utf8');
  expect(saved).toContain('Kept');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(file, '..'))).toEqual(['data.json']);
  await first.close();

  const second = await service({ dataFile: file, seed: {} });
  expect(second.apiKey).toBe(first.apiKey);
  expect((await second.call('GET', `/api/search-groups/${id}`)).body.data.name).toBe('Kept');
  expect((await second.call('GET', `/api/search-groups/${GROUP}`)).status).toBe(404);
  const whole = worldToLog(worldFromLog(saved));
  expect(worldToLog(worldFromLog(whole))).toBe(whole);
});

test('data file: after a key is replaced, the sandbox starts with the new key', async () => {
  const file = await dataFile();
  const first = await service({ dataFile: file });
  const { key } = (await first.call('POST', '/api/api-keys')).body.data;
  await first.close();
  const second = await service({ dataFile: file });
  expect(second.apiKey).toBe(key);
  expect((await second.call('GET', '/api/api-keys')).status).toBe(200);
  expect((await second.call('GET', '/api/api-keys', undefined, { 'X-Api-Key': first.apiKey })).status).toBe(
    401,
  );
});

test('data file: without an active key, the sandbox creates one when it starts', async () => {
  const file = await dataFile();
  const first = await service({ dataFile: file });
  const [key] = (await first.call('GET', '/api/api-keys')).body.data;
  await first.call('DELETE', `/api/api-keys/${key.id}`);
  await first.close();
  const second = await service({ dataFile: file });
  expect(second.apiKey).not.toBe(first.apiKey);
  expect((await second.call('GET', '/api/api-keys')).body.data).toHaveLength(2);
});

test('data file: concurrent changes are all saved', async () => {
  const file = await dataFile();
  const { call } = await service({ dataFile: file });
  const names = Array.from({ length: 40 }, (_, index) => `group ${index}`);
  await Promise.all(names.map((name) => call('POST', '/api/search-groups', { name, agentIds: [] })));
  const saved = await readFile(file, 'utf8');
  expect(names.filter((name) => !saved.includes(`"${name}"`))).toEqual([]);
});

const FIRST = '{"formatVersion":3}\n';
test.each([
  '',
  '{',
  '[]\n',
  '{"formatVersion":2}\n',
  '{"formatVersion":3}',
  `${FIRST}{}\n`,
  `${FIRST}[{}]\n`,
  `${FIRST}[["agents","a",{}]]\n`,
  `${FIRST}[["agents",{"id":"a"}]]\n`,
  `${FIRST}[["others","a",{}]]\n`,
  `${FIRST}[["lastSeq","1"]]\n`,
  `${FIRST}[["scopes",{}]]\n`,
  `${FIRST}[["starts","a","1"]]\n`,
])('data file: %j is refused and not overwritten', async (text) => {
  const file = await dataFile();
  await writeFile(file, text);
  await expect(service({ dataFile: file })).rejects.toThrow(DataFileError);
  expect(await readFile(file, 'utf8')).toBe(text);
});
