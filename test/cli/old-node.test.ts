import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import { expect, it, test } from 'vitest';
import { program } from '../support/program.js';
import { inFolder } from '../unit/manifest/project.js';

/** Runs the command as if this were the version of Node. */
function on(version: string, word: string) {
  return inFolder({}, (folder) => {
    const preload = `${folder}/version.cjs`;
    const versions = `{ ...process.versions, node: '${version}' }`;
    writeFileSync(preload, `Object.defineProperty(process, 'versions', { value: ${versions} });`);
    return spawnSync(process.execPath, ['--require', preload, program, word], { encoding: 'utf8' });
  });
}

it.each([['--help'], ['validate'], ['nonsense']])(
  'with a Node that is too old, roster %s prints one line and fails, whatever it is asked',
  async (word) => {
    const { status, stdout, stderr } = await on('18.20.4', word);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: roster needs Node .* This is Node 18\.20\.4\n$/);
  },
);

it.each([['8.17.0'], ['12.22.12'], ['20.18.0'], ['21.7.3'], ['22.8.0']])(
  'Node %s is too old',
  async (version) => {
    expect((await on(version, '--help')).status).toBe(1);
  },
);

it.each([['20.18.1'], ['20.19.0'], ['22.9.0'], ['22.12.1'], ['23.0.0'], ['24.1.0'], ['26.0.0']])(
  'Node %s is recent enough',
  async (version) => {
    expect((await on(version, '--help')).status).toBe(0);
  },
);

test('roster.cjs parses on Node 10', () => {
  const text = readFileSync(program, 'utf8');
  // What is newer would be written in another way. Node 10 can read `import()`, too.
  const as = (target: string) => transformSync(text, { target, supported: { 'dynamic-import': true } }).code;
  expect(as('node10')).toBe(as('esnext'));
});
