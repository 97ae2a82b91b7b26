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
/** What a small team has: a group, a pipeline, and schedules of each kind in two zones. */
const project = `project: bench
groups:
  shops: { name: Shops, members: [acme-shop, globex, initech] }
pipelines:
  nightly-refresh: { name: Nightly refresh, stages: [login-check, catalogue, prices] }
schedules:
  six-hourly:
    target: group/shops
    every: 6 hours
    startTime: 2027-01-04T06:00:00
    timeZone: Europe/Berlin
    inputs: { country: DE, pages: 3 }
  nightly: { target: pipeline/nightly-refresh, cron: "0 30 2 * * *", startTime: 2027-01-04T00:00:00 }
  weekdays:
    target: agent/wayne-news
    cron: "0 0 7 * * MON-FRI"
    startTime: 2027-01-04T00:00:00
    timeZone: Europe/Berlin
  weekly: { target: group/shops, every: 1 week, startTime: 2027-01-04T09:00:00 }
`;
const folder = mkdtempSync(join(tmpdir(), 'roster-bench-'));
const program = join(root, 'dist/roster.cjs');
const subjects: readonly Limited[] = [
  { name: 'node -e 0', parameters: ['-e', '0'], limit: Number.POSITIVE_INFINITY },
  { name: 'roster --help', parameters: [program, '--help'], limit: 1.3 },
  { name: 'roster validate', parameters: [program, 'validate'], limit: 3.5 },
];

try {
  await bundle();
  writeFileSync(join(folder, 'roster.yaml'), project);
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
