import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bug, bugs } from '../test/faults/bugs.js';
import { root } from './fresh.js';
import { runVitest } from './vitest.js';

/** `npm run test:bugs`: puts each bug of test/faults/bugs.ts into a copy of the source; one of its tests must fail. */

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

/** Whether a test fails. */
function isFound({ file, find, replace, tests }: Bug): boolean {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  try {
    return !pass(tests);
  } finally {
    writeFileSync(path, text);
  }
}

/** With all their experiments: a sample could miss the bug. */
function pass(tests: readonly string[]): boolean {
  return runVitest(['--bail', '1', ...tests], { cwd: copy, env: { ROSTER_TESTS: 'long' }, stdio: 'ignore' });
}

try {
  // Without a bug they must pass, or a failure would mean nothing.
  const suites = [...new Set(bugs.flatMap((bug) => bug.tests))];
  if (!pass(suites)) throw new Error('the tests fail without a bug');
  const missed = bugs.filter((bug) => {
    const found = isFound(bug);
    console.log(`${found ? 'found ' : 'MISSED'}  ${bug.name}`);
    return !found;
  });
  console.log(`\n${bugs.length - missed.length} of ${bugs.length} bugs are found.`);
  process.exitCode = missed.length === 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
