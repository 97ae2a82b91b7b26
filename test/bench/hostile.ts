import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { megabytes } from '../support/hostile/megabytes.js';
import { nearMatches } from '../support/hostile/near-matches.js';
import { type Bench, write } from './bench.js';
import type { Cost } from './measure.js';

/** The time and memory to validate 1 MB of the most expensive texts, and how the time of the patterns grows. */

/** The most that 1 MB may cost, including the start of the program. */
const limits = { seconds: 2, megabytes: 256, growth: 30 };
const SHOWN = 5;

interface Named extends Cost {
  readonly name: string;
}

export async function hostile(bench: Bench): Promise<void> {
  const { report } = bench;
  const costs: Named[] = [];
  for (const [name, text] of [...megabytes.bad, ...megabytes.good])
    costs.push(await costOf(bench, name, text));
  report.title('Hostile manifests', `${costs.length} files of 1 MB`);
  for (const by of ['cpu', 'megabytes'] as const)
    report.table(
      [`most ${by === 'cpu' ? 'CPU time' : 'memory'}`, 'CPU s', 'peak MiB'],
      costs
        .toSorted((a, b) => b[by] - a[by])
        .slice(0, SHOWN)
        .map(({ name, cpu, megabytes }) => [name, cpu.toFixed(2), megabytes.toFixed(0)]),
    );
  const most = (by: 'cpu' | 'megabytes') => Math.max(...costs.map((each) => each[by]));
  report.check('CPU seconds', most('cpu'), { goal: limits.seconds, room: 1 });
  report.check('peak MiB', most('megabytes'), { goal: limits.megabytes, room: 1 });
  report.check('growth of a pattern', worstGrowth(), { goal: limits.growth, room: 1 });
}

/** Repeats a run that is over the limits, because other processes may have disturbed it. */
async function costOf({ folder, meter, now }: Bench, name: string, text: string): Promise<Named> {
  const cwd = join(folder, 'hostile');
  write(cwd, { 'roster.yaml': text });
  const subject = { name, command: meter.node(now.program, 'validate'), cwd, exits: [0, 1] };
  const first = { name, ...(await meter.run(subject)) };
  const isWithin = first.cpu <= limits.seconds && first.megabytes <= limits.megabytes;
  return isWithin ? first : { name, ...(await meter.run(subject)) };
}

/** The most that a pattern of the schemas takes for texts ten times as long: 10 if it is linear, 100 if it is quadratic. */
function worstGrowth(): number {
  const [short, long] = [nearMatches(4_000), nearMatches(40_000)];
  // The first search makes one piece of a repeated text.
  millisecondsOf(/$/, [...short, ...long]);
  const growths = [...patterns()].map((pattern) => {
    const regex = new RegExp(pattern, 'u');
    return millisecondsOf(regex, long) / Math.max(millisecondsOf(regex, short), 3);
  });
  return Math.max(...growths);
}

function millisecondsOf(regex: RegExp, texts: readonly string[]): number {
  const before = process.cpuUsage();
  for (const text of texts) regex.test(text);
  return process.cpuUsage(before).user / 1000;
}

function patterns(): Set<string> {
  const found = new Set<string>();
  const schemas = join(import.meta.dirname, '../../schemas');
  for (const name of readdirSync(schemas))
    JSON.parse(readFileSync(join(schemas, name), 'utf8'), (key, value) => {
      if (key === 'pattern' && typeof value === 'string') found.add(value);
      return value;
    });
  return found;
}
