// Measures how long the command takes to start, as a multiple of the start of Node itself: npm run bench.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/fresh.js';
import { bundle } from '../../scripts/products.js';
import { inTurns, median, run, type Subject } from './rounds.js';

interface Limited extends Subject {
  /** The most that it may take, as a multiple of the first subject. */
  readonly limit: number;
}

const rounds = 41;
const folder = mkdtempSync(join(tmpdir(), 'roster-bench-'));
const program = join(root, 'dist/roster.cjs');
const subjects: readonly Limited[] = [
  { name: 'node -e 0', parameters: ['-e', '0'], limit: Number.POSITIVE_INFINITY },
  { name: 'roster --help', parameters: [program, '--help'], limit: 1.5 },
  { name: 'roster validate', parameters: [program, 'validate'], limit: 2.5 },
];

try {
  await bundle();
  writeFileSync(
    join(folder, 'roster.yaml'),
    'project: bench\ngroups:\n  shops:\n    members: [acme-shop, globex]\n',
  );
  const times = inTurns(subjects, rounds, (subject) => run(subject, folder).milliseconds);
  process.exitCode = print(times.map(median)) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

function print(results: readonly number[]): boolean {
  console.log(`Node ${process.version}, median of ${rounds} interleaved runs, NODE_EXTRA_CA_CERTS unset\n`);
  const base = results[0] ?? Number.NaN;
  const verdicts = subjects.map(({ name, limit }, index) => {
    const result = results[index] ?? Number.NaN;
    const ratio = result / base;
    const verdict = Number.isFinite(limit) ? `at most ${limit}: ${ratio <= limit ? 'ok' : 'TOO SLOW'}` : '';
    console.log(`${name.padEnd(16)} ${result.toFixed(1).padStart(6)} ms  ${ratio.toFixed(2)}x  ${verdict}`);
    return ratio <= limit;
  });
  return verdicts.every(Boolean);
}
