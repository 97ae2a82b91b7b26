import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Bench, type Build, write } from './bench.js';
import { type Cost, fastest, inTurns, type Subject } from './measure.js';
import { number } from './report.js';

/**
 * How long the command takes to start, as a multiple of the start of Node itself: from V8's compiled code that an earlier
 * run has kept, without it, and in the run that keeps it.
 */

const ROUNDS = 41;

interface Limited {
  readonly words: readonly string[];
  /** The most that it may take, as a multiple of `node -e 0`. */
  readonly goal: number;
  /** Whether its compiled code is kept. */
  readonly isKept: boolean;
}

const commands: readonly Limited[] = [
  { words: ['--help'], goal: 1.2, isKept: false },
  { words: ['validate'], goal: 2, isKept: true },
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
  const node = (name: string): Subject => ({ name, command: meter.node('-e', '0'), cwd });
  const subject = ({ words }: Limited, { name, program }: Build): Subject => ({
    name: `roster ${words.join(' ')}, ${name}`,
    command: meter.node(program, ...words),
    cwd,
  });
  const subjects = [
    node('node -e 0'),
    node('node -e 0, again'),
    ...commands.flatMap((command) => builds.map((build) => subject(command, build))),
    // The first run leaves the code for the run of the next round.
    ...commands.filter(({ isKept }) => isKept).flatMap((command) => cold(subject(command, now), now)),
    ...(bench.terraform === null ? [] : [{ name: 'terraform -help', command: ['terraform', '-help'], cwd }]),
  ];
  const costs = (await inTurns(subjects, ROUNDS, (each) => meter.run(each))).map(fastest);
  const of = (cost: Cost | undefined, part: keyof Cost) => (cost?.[part] ?? 0) / (costs[0]?.[part] ?? 0);
  report.title(
    'Start',
    `the fastest of ${ROUNDS} runs; the last two columns are multiples of \`node -e 0\`. The CPU time of a first run does not include keeping the code`,
  );
  report.table(
    ['program', 'wall ms', 'CPU ms', 'of wall', 'of CPU'],
    subjects.map(({ name }, index) => {
      const cost = costs[index];
      const milliseconds = [cost?.wall, cost?.cpu].map((each = Number.NaN) => number(each * 1000, 1));
      return [name, ...milliseconds, number(of(cost, 'wall'), 2), number(of(cost, 'cpu'), 2)];
    }),
  );
  for (const command of commands) {
    const { name } = subject(command, now);
    const cost = costs[subjects.findIndex((each) => each.name === name)];
    // Noise only adds time, so the smaller ratio is the better estimate.
    const ratio = Math.min(of(cost, 'wall'), of(cost, 'cpu'));
    report.check(`${name}, relative to node -e 0`, ratio, { goal: command.goal });
  }
}

/** The same command without kept code, and in the run that keeps it. */
function cold(subject: Subject, { program }: Build): readonly Subject[] {
  const forget = () => {
    rmSync(join(dirname(program), 'cache'), { recursive: true, force: true });
    return {};
  };
  return [
    { ...subject, name: `${subject.name}, first run`, prepare: forget },
    { ...subject, name: `${subject.name}, no kept code`, env: { NODE_DISABLE_COMPILE_CACHE: '1' } },
  ];
}
