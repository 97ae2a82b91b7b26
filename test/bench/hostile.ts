// Measures the time and memory to validate 1 MB of the most expensive texts: npm run bench.
// Each run is a separate process of the same Node version that runs this script.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/fresh.js';
import { bundle } from '../../scripts/products.js';
import { megabytes } from '../support/hostile/megabytes.js';

interface Cost {
  readonly name: string;
  /** Processor time, which does not include waiting for other processes. */
  readonly seconds: number;
  readonly megabytes: number;
}

/** The most that 1 MB may cost, including the start of the program. */
const limits = { seconds: 2, megabytes: 256 };
const shown = 10;
const folder = mkdtempSync(join(tmpdir(), 'roster-bench-'));
/** Loaded into each process: reports its cost when it ends. */
const meter = `process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cost = { seconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1024 };
  require('node:fs').writeSync(3, JSON.stringify(cost));
});`;

try {
  await bundle();
  writeFileSync(join(folder, 'meter.cjs'), meter);
  const costs = [...megabytes.bad, ...megabytes.good].map(([name, text]) => costOf(name, text));
  const worst = (by: 'seconds' | 'megabytes') => costs.toSorted((a, b) => b[by] - a[by]).slice(0, shown);
  console.log(`Node ${process.version}, NODE_EXTRA_CA_CERTS unset, ${costs.length} files of 1 MB`);
  console.log(`\nmost time, at most ${limits.seconds} s\n${worst('seconds').map(line).join('\n')}`);
  console.log(`\nmost memory, at most ${limits.megabytes} MB\n${worst('megabytes').map(line).join('\n')}`);
  const over = costs.filter((each) => !isWithin(each)).length;
  console.log(`\n${over === 0 ? 'all within' : `${over} over`} the limits`);
  process.exitCode = over === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** Repeats a run that is over the limits, because other processes may have disturbed it. */
function costOf(name: string, text: string): Cost {
  writeFileSync(join(folder, 'roster.yaml'), text);
  const first = { name, ...run() };
  return isWithin(first) ? first : { name, ...run() };
}

function run(): Omit<Cost, 'name'> {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const parameters = ['--require', join(folder, 'meter.cjs'), join(root, 'dist/roster.cjs'), 'validate'];
  const { output, status } = spawnSync(process.execPath, parameters, {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  if (status !== 0 && status !== 1) throw new Error(`validate ended with ${status}`);
  return JSON.parse(output[3] ?? '') as Omit<Cost, 'name'>;
}

function isWithin(cost: Cost): boolean {
  return cost.seconds <= limits.seconds && cost.megabytes <= limits.megabytes;
}

function line(cost: Cost): string {
  const figures = [`${cost.seconds.toFixed(2).padStart(6)} s`, `${cost.megabytes.toFixed(0).padStart(5)} MB`];
  return `${figures.join('  ')}  ${cost.name}${isWithin(cost) ? '' : '  TOO MUCH'}`;
}
