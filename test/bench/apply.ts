// Measures how a plan and an apply of creates grow with their number: npm run bench.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../scripts/products.js';
import { startSandbox } from '../../src/sandbox/index.js';
import { start } from '../support/program.js';

/** CPU time of the command, which other work on the machine hardly changes, and requests to the service. */
interface Measured {
  readonly milliseconds: number;
  readonly requests: number;
}

const COUNTS = [2000, 4000] as const;
/** Twice as many creates take about twice as long; the start of the program makes it less. */
const LIMIT = 2.5;

const folder = mkdtempSync(join(tmpdir(), 'roster-bench-'));
const usage = join(folder, 'usage');
const probe = join(folder, 'probe.cjs');
const measure = `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(usage)}, JSON.stringify(process.cpuUsage())))`;

try {
  await bundle();
  writeFileSync(probe, measure);
  const results = { plan: [] as Measured[], apply: [] as Measured[] };
  for (const count of COUNTS) {
    const { plan, apply } = await run(count);
    results.plan.push(plan);
    results.apply.push(apply);
  }
  process.exitCode = Object.entries(results).map(print).every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** Half of them groups, half schedules of these groups. */
function manifest(count: number): string {
  const numbers = Array.from({ length: count / 2 }, (_, index) => index);
  return [
    'project: bench\ngroups:',
    ...numbers.map((n) => `  g${n}: { name: Group ${n}, members: [acme-shop, globex] }`),
    'schedules:',
    ...numbers.map((n) => `  s${n}: { target: group/g${n}, every: 6 hours, startTime: 2099-01-01T06:00:00 }`),
  ].join('\n');
}

async function run(count: number): Promise<{ plan: Measured; apply: Measured }> {
  const sandbox = await startSandbox();
  const cwd = mkdtempSync(join(folder, 'project-'));
  writeFileSync(join(cwd, 'roster.yaml'), manifest(count));
  const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
  const command = async (...words: string[]): Promise<Measured> => {
    sandbox.requests.length = 0;
    const { exit, stderr } = await start(words, { cwd, env, preload: probe }).ended;
    if (exit !== 0) throw new Error(`${words.join(' ')} ended with ${exit}: ${stderr}`);
    const { user, system } = JSON.parse(readFileSync(usage, 'utf8')) as NodeJS.CpuUsage;
    return { milliseconds: (user + system) / 1000, requests: sandbox.requests.length };
  };
  try {
    return { plan: await command('plan'), apply: await command('apply', '--yes') };
  } finally {
    await sandbox.close();
  }
}

function print([command, results]: [string, readonly Measured[]]): boolean {
  const [few, many] = results;
  const ratio = (many?.milliseconds ?? Number.NaN) / (few?.milliseconds ?? Number.NaN);
  for (const [index, { milliseconds, requests }] of results.entries())
    console.log(
      `${command.padEnd(5)} of ${COUNTS[index]} creates ${milliseconds.toFixed(0).padStart(7)} ms of CPU time, ${requests} requests`,
    );
  console.log(
    `${command.padEnd(5)} twice as many: ${ratio.toFixed(2)}x  at most ${LIMIT}: ${ratio <= LIMIT ? 'ok' : 'TOO SLOW'}\n`,
  );
  return ratio <= LIMIT;
}
