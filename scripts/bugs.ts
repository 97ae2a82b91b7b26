import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bugs } from '../test/faults/bugs.js';
import type { Bug } from '../test/faults/support/bug.js';
import { root } from './fresh.js';
import { runVitest } from './vitest.js';

/**
 * `npm run test:bugs`: puts each bug of test/faults/bugs.ts into a copy of the source; one of its tests must fail.
 * `-- --shard 2/5` runs every fifth of them, from the second one; any other words, those whose name or file contains one.
 */

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

const chosen = chosenBy(process.argv.slice(2));

function chosenBy(words: readonly string[]): readonly Bug[] {
  const at = words.indexOf('--shard');
  const [, index = '1', count = '1'] = at < 0 ? [] : (/^(\d+)\/(\d+)$/.exec(words[at + 1] ?? '') ?? []);
  const names = at < 0 ? words : words.toSpliced(at, 2);
  const isNamed = ({ name, file }: Bug) => names.some((word) => name.includes(word) || file.includes(word));
  const named = names.length === 0 ? bugs : bugs.filter(isNamed);
  const found = named.filter((_, position) => position % Number(count) === Number(index) - 1);
  if (found.length === 0) throw new Error(`no bug is meant by: ${words.join(' ')}`);
  return found;
}

/** Why a bug cannot be put into the source; null when it can. */
function faultOf({ file, find }: Bug): string | null {
  const count = readFileSync(join(copy, file), 'utf8').split(find).length - 1;
  return count === 1 ? null : `\`${find}\` occurs ${count} times in ${file}: write it as it is there now`;
}

try {
  const misplaced = chosen.flatMap((bug) => {
    const fault = faultOf(bug);
    return fault === null ? [] : [`${bug.name}: ${fault}`];
  });
  if (misplaced.length > 0) throw new Error(`the source has changed:\n${misplaced.join('\n')}`);
  // Without a bug they must pass, or a failure would mean nothing.
  const suites = [...new Set(chosen.flatMap((bug) => bug.tests))];
  if (!pass(suites)) throw new Error('the tests fail without a bug');
  const missed = chosen.filter((bug) => {
    const found = isFound(bug);
    console.log(`${found ? 'found ' : 'MISSED'}  ${bug.name}`);
    return !found;
  });
  console.log(`\n${chosen.length - missed.length} of ${chosen.length} bugs are found.`);
  process.exitCode = missed.length === 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
