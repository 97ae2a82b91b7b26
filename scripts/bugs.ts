import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Bug, bugs } from '../test/faults/bugs.js';

/** `npm run test:bugs`: each of test/faults/bugs.ts in a copy of the source must turn one of its tests red. */

const root = resolve(import.meta.dirname, '..');
const copied = [
  'src',
  'test',
  'schemas',
  'scripts',
  'examples',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
  'README.md',
  'CHANGELOG.md',
];
const copy = mkdtempSync(join(tmpdir(), 'roster-bugs-'));
for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');

/** Whether the tests notice. */
function bites({ file, find, replace, tests }: Bug): boolean {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  try {
    return runTests(tests) !== 0;
  } finally {
    writeFileSync(path, text);
  }
}

function runTests(tests: readonly string[]): number {
  const options = { cwd: copy, stdio: 'ignore', shell: process.platform === 'win32' } as const;
  return spawnSync('npx', ['vitest', 'run', '--bail', '1', ...tests], options).status ?? 1;
}

try {
  // Without a bug they are green: otherwise nothing would be shown by red.
  const suites = [...new Set(bugs.flatMap((bug) => bug.tests))];
  if (runTests(suites) !== 0) throw new Error('the tests fail without a bug');
  const missed = bugs.filter((bug) => {
    const bitten = bites(bug);
    console.log(`${bitten ? 'noticed' : 'MISSED '}  ${bug.name}`);
    return !bitten;
  });
  console.log(`\n${bugs.length - missed.length} of ${bugs.length} bugs are noticed.`);
  process.exitCode = missed.length === 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
