import { CronExpressionParser } from 'cron-parser';
import { startsPerMinute } from '../../src/timing/start-counts.js';
import type { Bench } from './bench.js';
import { inTurns, median } from './measure.js';

/** Counting the starts of cron schedules over 42 days, next to listing them with cron-parser in the same process. */

const schedules = 3_000;
const days = 42;
const rounds = 7;
/** Starts that cron-parser lists in one turn: all of them would take a quarter of an hour. */
const listed = 4_000;
/** How many times the rate of cron-parser. */
const times = 200;

const expressions = [
  '0 */5 * * * *',
  '0 7 * * * *',
  '30 */15 6-20 * * MON-FRI',
  '0 30 2 * * *',
  '0 0,20,40 * * * *',
];
const zones = ['Europe/Berlin', 'America/New_York', 'UTC', 'Australia/Lord_Howe', 'Asia/Tokyo'];
// The clocks of two zones change in it.
const from = new Date('2026-10-05T12:00:00Z');
const span = { from, until: new Date(from.getTime() + days * 86_400_000) };

const starters = Array.from({ length: schedules }, (_, index) => ({
  timing: {
    type: 'Cron',
    // Another second for each schedule, so that no cache helps.
    expression: (expressions[index % expressions.length] ?? '').replace(/^\d+/, String(index % 60)),
    startTime: '2026-01-01T00:00:00',
  } as const,
  timeZone: zones[Math.floor(index / expressions.length) % zones.length] ?? 'UTC',
  starts: 1,
}));

/** Each returns starts per second. */
const subjects: readonly (() => number)[] = [
  () => rateOf(() => startsPerMinute(starters, span).minutes.reduce((sum, each) => sum + each, 0)),
  () => rateOf(listSome),
];

function listSome(): number {
  const each = listed / 20;
  for (const { timing, timeZone } of starters.filter((_, index) => index % (schedules / 20) === 7)) {
    const cron = CronExpressionParser.parse(timing.expression, { tz: timeZone, currentDate: from });
    for (let run = 0; run < each; run += 1) cron.next();
  }
  return listed;
}

/** Uses processor time, which does not include waiting for other processes. */
function rateOf(work: () => number): number {
  const before = process.cpuUsage();
  const done = work();
  const { user, system } = process.cpuUsage(before);
  return done / ((user + system) / 1e6);
}

export async function startRate({ report }: Bench): Promise<void> {
  const rates = await inTurns(subjects, rounds, (subject) => subject());
  const [counted = Number.NaN, parsed = Number.NaN] = rates.map(median);
  report.title('Start counts', `${schedules} schedules over ${days} days, medians of ${rounds} runs`);
  report.table(
    ['program', 'starts per CPU second'],
    [
      ['counted', counted.toFixed(0)],
      ['cron-parser', parsed.toFixed(0)],
    ],
  );
  report.check('CPU time of a start, relative to cron-parser', parsed / counted, { goal: 1 / times });
}
