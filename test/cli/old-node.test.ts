import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { nodeGuard } from '../../scripts/node-guard.js';
import { inFolder } from '../unit/manifest/project.js';

const program = join(import.meta.dirname, '../../dist/roster.cjs');

it.each([['--help'], ['validate'], ['nonsense']])(
  'with a Node that is too old, roster %s prints one line and fails, whatever it is asked',
  (word) =>
    inFolder({}, (folder) => {
      const older = join(folder, 'older.cjs');
      writeFileSync(
        older,
        "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } });",
      );
      const ended = spawnSync(process.execPath, ['--require', older, program, word], { encoding: 'utf8' });
      expect([ended.status, ended.stdout]).toEqual([1, '']);
      expect(ended.stderr).toMatch(/^error: roster needs Node .* This is Node 18\.20\.4\n$/);
    }),
);

it.each([
  ...(['8.17.0', '18.20.4', '20.18.0', '21.7.3', '22.8.0'].map((version) => [version, false]) as [
    string,
    boolean,
  ][]),
  ...(['20.18.1', '20.19.0', '22.9.0', '22.12.1', '23.0.0', '24.1.0', '26.0.0'].map((version) => [
    version,
    true,
  ]) as [string, boolean][]),
])('Node %s is recent enough: %s', (version, isEnough) => {
  let status: number | null = null;
  const exit = (code: number) => {
    status = code;
  };
  runInNewContext(nodeGuard, {
    process: { versions: { node: version }, stderr: { write: () => true }, exit },
  });
  expect(status).toBe(isEnough ? null : 1);
});
