// Compares counting the starts of 3,000 cron schedules over 42 days with listing them with cron-parser in the same
// process: npm run bench.
import { CronExpressionParser } from 'cron-parser';
import { startsPerMinute } from '../../src/timing/start-counts.js';
import { inTurns, median } from './rounds.js';

const schedules = 3_000;
const days = 42;
const rounds = 7;
/** Starts that cron-parser lists in one turn: all of them would take a quarter of an hour. */
const listed = 4_000;
const limits = { times: 200, megabytes: 200 };

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

const [counted = Number.NaN, parsed = Number.NaN] = inTurns(subjects, rounds, (subject) => subject()).map(
  median,
);
const times = counted / parsed;
const megabytes = process.resourceUsage().maxRSS / 1024;
const verdict = (within: boolean) => (within ? 'ok' : 'TOO MUCH');
console.log(
  `Node ${process.version}, ${schedules} schedules over ${days} days, median of ${rounds} interleaved runs\n`,
);
console.log(`counted      ${counted.toFixed(0).padStart(10)} starts a second`);
console.log(`cron-parser  ${parsed.toFixed(0).padStart(10)} starts a second`);
console.log(
  `${times.toFixed(0)} times its rate, at least ${limits.times}: ${verdict(times >= limits.times)}`,
);
console.log(
  `${megabytes.toFixed(0)} MB, at most ${limits.megabytes}: ${verdict(megabytes <= limits.megabytes)}`,
);
process.exitCode = times >= limits.times && megabytes <= limits.megabytes ? 0 : 1;
