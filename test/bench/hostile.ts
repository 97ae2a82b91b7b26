import { join } from 'node:path';
import { megabytes } from '../support/hostile/megabytes.js';
import { type Bench, rosterSubject, write } from './bench.js';
import type { Cost } from './measure.js';
import { number } from './report.js';

/** `validate` of single files of at most 1 MB, each of which is as costly for its size as its author could make it. */

const MOST_SECONDS = 2;
const MOST_MEBIBYTES = 256;
/** As many are shown. */
const SHOWN = 5;

export async function hostile(bench: Bench): Promise<void> {
  const { report, meter, folder, now } = bench;
  const files = [...megabytes.bad, ...megabytes.good];
  const rows: { readonly name: string; readonly cost: Cost }[] = [];
  for (const [index, [name, text]] of files.entries()) {
    const cwd = join(folder, `hostile-${index}`);
    write(cwd, { 'roster.yaml': text });
    const subject = { ...rosterSubject(bench, now, ['validate']), cwd, mayFail: true } as const;
    rows.push({ name, cost: await meter.run(subject) });
  }
  report.title('roster validate, one hostile file', `the most expensive of ${rows.length} files`);
  const slowest = rows.toSorted((a, b) => b.cost.cpu - a.cost.cpu);
  const largest = rows.toSorted((a, b) => b.cost.megabytes - a.cost.megabytes);
  const shown = new Set([...slowest.slice(0, SHOWN), ...largest.slice(0, SHOWN)]);
  report.table(
    ['file', 'CPU s', 'peak MiB'],
    [...shown].map(({ name, cost }) => [name, number(cost.cpu, 2), number(cost.megabytes, 0)]),
  );
  const [slow, large] = [slowest[0], largest[0]];
  if (slow !== undefined) report.check(`CPU seconds of ${slow.name}`, slow.cost.cpu, { goal: MOST_SECONDS });
  if (large !== undefined)
    report.check(`peak MiB of ${large.name}`, large.cost.megabytes, { goal: MOST_MEBIBYTES, room: 1.05 });
}
