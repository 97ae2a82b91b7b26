import { join } from 'node:path';
import { type Bench, type Build, write } from './bench.js';
import { inTurns, median, type Subject } from './measure.js';

/** How long the command takes to start, as a multiple of the start of Node itself. */

const ROUNDS = 41;

interface Limited {
  readonly words: readonly string[];
  /** The most that it may take, as a multiple of `node -e 0`. */
  readonly goal: number;
}

const commands: readonly Limited[] = [
  { words: ['--help'], goal: 1.2 },
  { words: ['validate'], goal: 2 },
];

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
  const node = (name: string): Subject => ({ name, command: [process.execPath, '-e', '0'], cwd });
  const subject = ({ words }: Limited, { name, program }: Build): Subject => ({
    name: `roster ${words.join(' ')}, ${name}`,
    command: [process.execPath, program, ...words],
    cwd,
  });
  const subjects = [
    node('node -e 0'),
    node('node -e 0, again'),
    ...commands.flatMap((command) => builds.map((build) => subject(command, build))),
    ...(bench.terraform === null ? [] : [{ name: 'terraform -help', command: ['terraform', '-help'], cwd }]),
  ];
  const costs = await inTurns(subjects, ROUNDS, (each) => meter.run(each));
  const times = costs.map((each) => median(each.map(({ wall }) => wall)));
  const [base = Number.NaN] = times;
  report.title('Start', `medians of ${ROUNDS} runs`);
  report.table(
    ['program', 'wall ms', 'of node -e 0'],
    subjects.map(({ name }, index) => {
      const time = times[index] ?? Number.NaN;
      return [name, (time * 1000).toFixed(1), (time / base).toFixed(2)];
    }),
  );
  for (const command of commands) {
    const { name } = subject(command, now);
    const time = times[subjects.findIndex((each) => each.name === name)] ?? Number.NaN;
    report.check(`${name}, of node -e 0`, time / base, { goal: command.goal });
  }
}
