import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { roster } from '../support/program.js';

const hasCompileCache = !process.version.startsWith('v20.');

/** What a run leaves in its home and in the folder for temporary files. */
async function leftBy(env: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'roster-compiled-'));
  const [HOME, TMPDIR] = [join(folder, 'home'), join(folder, 'temporary')];
  for (const each of [HOME, TMPDIR]) mkdirSync(each);
  try {
    const { exit, stderr } = await roster(['version'], { cwd: folder, env: { HOME, TMPDIR, ...env } });
    expect([exit, stderr]).toEqual([0, '']);
    return [HOME, TMPDIR].map((each) => readdirSync(each, { recursive: true, encoding: 'utf8' }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('compiled code is kept in the folder of the user for caches alone, by a Node that keeps any', async () => {
  const [home = [], temporary] = await leftBy({});
  expect(home.length > 3).toBe(hasCompileCache);
  expect(home.filter((path) => !/^\.cache($|\/roster($|\/))/.test(path.replaceAll('\\', '/')))).toEqual([]);
  expect(temporary).toEqual([]);
});

test.each([
  ['it is turned off', { NODE_DISABLE_COMPILE_CACHE: '1' }],
  ['there is no home', { HOME: '' }],
  ['the home cannot be written', { HOME: '/dev/null' }],
  ['Node would try for ever to make a folder in the home', { HOME: '/proc' }],
])('a run leaves nothing, and works, where %s', async (_, env) => {
  expect(await leftBy(env)).toEqual([[], []]);
});
