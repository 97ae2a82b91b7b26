import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runVitest } from './vitest.js';

/** `npm run test:faults`: runs all experiments of test/faults and prints a table by invariant. */

const folder = mkdtempSync(join(tmpdir(), 'roster-faults-'));
const file = join(folder, 'tally.jsonl');
const passed = runVitest(['--mode', 'all', 'test/faults', ...process.argv.slice(2)], {
  env: { ROSTER_FAULTS_TALLY: file },
});

interface Tally {
  readonly invariant: string;
  readonly title: string;
  readonly run: number;
  readonly passed: number;
}

const tallies = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Tally);
rmSync(folder, { recursive: true });
const numberOf = ({ invariant }: Tally) => Number(invariant.slice(1));
const sorted = tallies.toSorted((a, b) => numberOf(a) - numberOf(b) || a.title.localeCompare(b.title));
console.log('| invariant | experiment | run | passed |\n|---|---|---:|---:|');
for (const each of sorted)
  console.log(`| ${each.invariant} | ${each.title} | ${each.run} | ${each.passed} |`);
const sum = (of: (each: Tally) => number) => tallies.reduce((total, each) => total + of(each), 0);
console.log(`| all | | ${sum((each) => each.run)} | ${sum((each) => each.passed)} |`);
process.exitCode = passed ? 0 : 1;
