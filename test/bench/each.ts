import { join } from 'node:path';
import { type Bench, rosterSubject, write } from './bench.js';
import { COST_HEAD, costCells, type Row } from './report.js';

/** Entries from one `each`, against the same entries written out. */

const ENTRIES = 10_000;
/** Of the CPU time and the memory of the entries written out. */
const MOST = 1;

const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo'];
const keys = Array.from({ length: ENTRIES }, (_, index) => `shop-${index}`);

const repeated = `project: bench
vars:
  shops:
${keys.map((key, index) => `    ${key}:\n      zone: ${zones[index % 3]}\n      hour: ${index % 24}\n      country: c${index}\n`).join('')}
schedules:
  \${each.key}:
    each: \${var.shops}
    target: agent/shop-000
    cron: "0 30 \${each.value.hour} * * *"
    startTime: 2027-01-04T06:00:00
    timeZone: \${each.value.zone}
    inputs: { country: "\${each.value.country}", page: "1" }
`;

const copies = keys.map(
  (key, index) => `  ${key}:
    target: agent/shop-000
    cron: "0 30 ${index % 24} * * *"
    startTime: 2027-01-04T06:00:00
    timeZone: ${zones[index % 3]}
    inputs: { country: "c${index}", page: "1" }
`,
);

const writtenOut = `project: bench\nschedules:\n${copies.join('')}`;

export async function each(bench: Bench): Promise<void> {
  const { report, meter, now } = bench;
  const subjects = Object.entries({ 'from one each': repeated, 'written out': writtenOut }).map(
    ([name, text]) => {
      const cwd = join(bench.folder, name.replaceAll(' ', '-'));
      write(cwd, { 'roster.yaml': text });
      return { ...rosterSubject(bench, now, ['validate']), name, cwd };
    },
  );
  const costs = await meter.inTurns(subjects, bench.roundsOf(ENTRIES));
  const rows: Row[] = costs.map((cost, index) => ({
    size: ENTRIES,
    name: subjects[index]?.name ?? '',
    cost,
  }));
  const [first] = rows;
  if (first === undefined) return;
  report.title(
    'Repeated entries',
    '`roster validate`; the last three columns are those of `from one each`, as multiples',
  );
  report.table(
    [...COST_HEAD, 'wall', 'CPU', 'memory'],
    rows.map((row) => costCells(row, first)),
  );
  const [own, other] = costs;
  const ratio = (by: 'cpu' | 'megabytes') => (own?.[by] ?? Number.NaN) / (other?.[by] ?? Number.NaN);
  report.check('CPU time, relative to written out', ratio('cpu'), { goal: MOST });
  report.check('memory, relative to written out', ratio('megabytes'), { goal: MOST });
}
