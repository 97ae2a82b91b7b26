import { type Bench, createSubject, rosterSubject, startWorld } from './bench.js';
import { type Cost, inTurns, type Subject } from './measure.js';
import { projectOf } from './project.js';
import { type Exchange, slowestChain, startRelay } from './service.js';

/** A plan, and an apply of creates, where every request takes longer. */

const LATENCY = 20;
const MOST = 10_000;
const CREATES = 1_000;
/** A plan reads all lists at once; where a list has pages, the others follow its first one together. */
const MOST_IN_CHAIN = 3;
/** Of the time without latency, and that of the slowest chain. */
const MOST_TIME = 1.3;

export async function latency(bench: Bench): Promise<void> {
  const { report } = bench;
  const size = bench.sizes.findLast((each) => each <= MOST) ?? MOST;
  report.title(`Latency: ${LATENCY} ms for each request`);
  await plans(bench, size);
  await creates(bench);
}

interface Traced extends Cost {
  readonly exchanges: readonly Exchange[];
}

async function plans(bench: Bench, size: number): Promise<void> {
  const { cwdOf, way: relay, close } = await startWorld(bench, size, startRelay);
  const subjects = bench.builds.flatMap((build) =>
    [0, LATENCY].map((each) => ({
      ...rosterSubject(bench, build, ['plan']),
      name: `${build.name}, ${each} ms`,
      cwd: cwdOf.get(build) ?? '',
      env: relay.env,
      latency: each,
    })),
  );
  const traced = async ({ latency, ...subject }: (typeof subjects)[number]): Promise<Traced> => {
    relay.latency = latency;
    relay.exchanges.length = 0;
    return { ...(await bench.meter.run(subject)), exchanges: [...relay.exchanges] };
  };
  try {
    print(bench, { size, subjects, runs: await inTurns(subjects, bench.roundsOf(size), traced) });
  } finally {
    await close();
  }
}

function print(
  { report }: Bench,
  { size, subjects, runs }: { size: number; subjects: readonly Subject[]; runs: readonly Traced[][] },
): void {
  const rows = subjects.map(({ name }, index) => {
    const own = runs[index] ?? [];
    const typical = own.toSorted((a, b) => a.wall - b.wall)[Math.floor(own.length / 2)];
    const chain = slowestChain(typical?.exchanges ?? []);
    const waiting = chain.reduce((sum, { from, to }) => sum + to - from, 0) / 1000;
    return {
      name,
      wall: typical?.wall ?? Number.NaN,
      requests: typical?.exchanges.length ?? 0,
      chain,
      waiting,
    };
  });
  report.table(
    ['resources', 'program', 'wall s', 'requests', 'in the chain', 'chain s', 'of the chain'],
    rows.map(({ name, wall, requests, chain, waiting }) => [
      size.toLocaleString('en'),
      name,
      wall.toFixed(2),
      String(requests),
      String(chain.length),
      waiting.toFixed(2),
      (wall / waiting).toFixed(2),
    ]),
  );
  const [fast, slow] = rows;
  if (fast === undefined || slow === undefined) return;
  for (const { request, from, to } of slow.chain)
    report.note(`  ${(to - from).toFixed(0).padStart(6)} ms  ${request}`);
  report.note('');
  report.check('requests in the slowest chain', slow.chain.length, { goal: MOST_IN_CHAIN, room: 1 });
  const most = fast.wall + slow.waiting;
  report.check('plan, relative to a plan without latency plus the slowest chain', slow.wall / most, {
    goal: MOST_TIME,
  });
}

async function creates(bench: Bench): Promise<void> {
  const counts = new Map<string, number>();
  const subjects = bench.builds.map((build) =>
    createSubject(bench, build, {
      project: projectOf(CREATES, { hasKey: false }),
      through: async (service) => {
        const relay = await startRelay(service, LATENCY);
        const close = async () => {
          counts.set(build.name, relay.exchanges.length);
          await relay.close();
        };
        return { ...relay, close };
      },
    }),
  );
  const costs = await bench.meter.inTurns(subjects, 1);
  bench.report.note('');
  bench.report.table(
    ['creates', 'program', 'wall s', 'requests', 'ms for each'],
    subjects.map(({ name }, index) => {
      const { wall = Number.NaN } = costs[index] ?? {};
      return [
        String(CREATES),
        name,
        wall.toFixed(2),
        String(counts.get(name)),
        ((wall * 1000) / CREATES).toFixed(2),
      ];
    }),
  );
  const own = counts.get(bench.now.name) ?? Number.NaN;
  bench.report.check('requests for each create', own / CREATES, { goal: 1.7, room: 1 });
}
