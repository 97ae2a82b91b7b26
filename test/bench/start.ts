// How long the command takes to start, as a multiple of what Node itself takes: npm run bench.
// Runs are interleaved, so that whatever else the machine does touches all of them alike.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/fresh.js';
import { bundle } from '../../scripts/products.js';

interface Subject {
  readonly name: string;
  readonly parameters: readonly string[];
  /** Most that it may take, as a multiple of the first subject. */
  readonly limit: number;
}

const rounds = 41;
const folder = mkdtempSync(join(tmpdir(), 'roster-bench-'));
const program = join(root, 'dist/roster.cjs');
const subjects: readonly Subject[] = [
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
  process.exitCode = print(medians()) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

function medians(): number[] {
  const times: number[][] = subjects.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, subject] of subjects.entries()) times[index]?.push(time(subject));
  }
  return times.map((each) => each.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN);
}

function time({ name, parameters }: Subject): number {
  // Node 20 reads NODE_EXTRA_CA_CERTS at every start, which can take longer than all the rest.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const begin = performance.now();
  const { status, stderr } = spawnSync(process.execPath, parameters, { cwd: folder, env });
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
  return performance.now() - begin;
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
