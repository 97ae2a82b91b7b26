import { join } from 'node:path';
import { type Bench, type Build, write } from './bench.js';
import { fastest, inTurns, type Subject } from './measure.js';
import { number } from './report.js';

/** How long the command takes to start, as a multiple of the start of Node itself. */

const ROUNDS = 41;

interface Limited {
  readonly words: readonly string[];
  /** The most that it may take, as a multiple of `node -e 0`. */
  readonly goal: number;
  /** Uses the compile cache, which the first run fills. */
  readonly isCached?: true;
}

const cold: readonly Limited[] = [
  { words: ['--help'], goal: 1.8 },
  { words: ['validate'], goal: 6 },
];
const hasCompileCache = !process.version.startsWith('v20.');
const commands = hasCompileCache
  ? [...cold, { words: ['validate'], goal: 3, isCached: true } as const]
  : cold;

const manifest = `project: bench
vars: { zone: Europe/Berlin }
groups:
  shops:
    name: Shops
    members: [acme-shop, globex]
pipelines:
  refresh: { name: Refresh, stages: [login-check, prices] }
schedules:
  often: { target: group/shops, every: 6 hours, startTime: 2027-01-04T06:00:00, timeZone: "\${var.zone}" }
  daily: { target: group/shops, cron: "0 30 2 * * *", startTime: 2027-01-04T00:00:00, timeZone: Asia/Tokyo }
  weekdays:
    target: pipeline/refresh
    cron: "0 0 7 * * MON-FRI"
    startTime: 2027-01-04T00:00:00
    timeZone: \${var.zone}
  weekly: { target: agent/globex, every: 1 week, startTime: 2027-01-04T09:00:00, inputs: { country: DE } }
`;

export async function start(bench: Bench): Promise<void> {
  const { report, meter, builds, now } = bench;
  const cwd = join(bench.folder, 'start');
  write(cwd, { 'roster.yaml': manifest });
  const node = (name: string): Subject => ({ name, command: meter.node('-e', '0'), cwd });
  const subject = ({ words, isCached }: Limited, { name, program }: Build): Subject => ({
    name: `roster ${words.join(' ')}, ${isCached ? 'from the second run, ' : ''}${name}`,
    command: meter.node(program, ...words),
    cwd,
    ...(isCached ? { env: { NODE_DISABLE_COMPILE_CACHE: undefined } } : {}),
  });
  const subjects = [
    node('node -e 0'),
    node('node -e 0, again'),
    ...commands.flatMap((command) => builds.map((build) => subject(command, build))),
    ...(bench.terraform === null ? [] : [{ name: 'terraform -help', command: ['terraform', '-help'], cwd }]),
  ];
  const costs = (await inTurns(subjects, ROUNDS, (each) => meter.run(each))).map(fastest);
  const [base] = costs;
  const rows = subjects.map(({ name }, index) => {
    const { wall = Number.NaN, cpu = Number.NaN } = costs[index] ?? {};
    return { name, wall, cpu, ofWall: wall / (base?.wall ?? 1), ofCpu: cpu / (base?.cpu ?? 1) };
  });
  report.title('Start', `the fastest of ${ROUNDS} runs; the last two columns are multiples of \`node -e 0\``);
  report.table(
    ['program', 'wall ms', 'CPU ms', 'of wall', 'of CPU'],
    rows.map(({ name, wall, cpu, ofWall, ofCpu }) => [
      name,
      ...[wall * 1000, cpu * 1000].map((each) => number(each, 1)),
      ...[ofWall, ofCpu].map((each) => number(each, 2)),
    ]),
  );
  for (const command of commands) {
    const { name } = subject(command, now);
    const row = rows.find((each) => each.name === name);
    // Noise only adds time, so the smaller ratio is the better estimate.
    const ratio = Math.min(row?.ofWall ?? Number.NaN, row?.ofCpu ?? Number.NaN);
    report.check(`${name}, relative to node -e 0`, ratio, { goal: command.goal });
  }
}
