import { type ChildProcess, spawn } from 'node:child_process';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { type Bench, type Build, write } from './bench.js';
import { inTurns, median } from './measure.js';
import { projectOf } from './project.js';
import { type Service, startService } from './service.js';

/** How long the sandbox takes to start with many schedules and to list them, next to a server that only sends the text. */

/** Half of the resources are schedules. */
const RESOURCES = 20_000;
const LISTS = 5;
/** Multiples of the bare server. */
const GOALS = { start: 15, list: 10 };

export async function sandbox(bench: Bench): Promise<void> {
  const { report, builds, folder } = bench;
  const seed = join(folder, 'seed.json');
  write(folder, { 'seed.json': JSON.stringify(projectOf(RESOURCES).seed) });
  const started = await inTurns(builds, bench.roundsOf(RESOURCES), (build) => measured(build, seed));
  const rows = builds.map(({ name }, index) => {
    const own = started[index] ?? [];
    const of = (part: keyof Measured) => median(own.map((each) => each[part]));
    return {
      name,
      start: of('start'),
      list: of('list'),
      bareStart: of('bareStart'),
      bareList: of('bareList'),
    };
  });
  report.title(
    'Sandbox',
    `with a seed of ${RESOURCES / 2} schedules: until it answers, and a list of all schedules`,
  );
  report.table(
    ['program', 'start ms', 'list ms', 'bare server: start ms', 'list ms'],
    rows.map(({ name, start, list, bareStart, bareList }) => [
      name,
      ...[start, list, bareStart, bareList].map((each) => each.toFixed(0)),
    ]),
  );
  const [now] = rows;
  if (now === undefined) return;
  report.check('start, of a bare server', now.start / now.bareStart, { goal: GOALS.start });
  report.check('list, of a bare server', now.list / now.bareList, { goal: GOALS.list });
}

interface Measured {
  readonly start: number;
  readonly list: number;
  readonly bareStart: number;
  readonly bareList: number;
}

async function measured({ program }: Build, seed: string): Promise<Measured> {
  const service = await startService(program, seed);
  try {
    const [list, text] = await timeOf(service);
    const bare = await startBare(text);
    try {
      const [bareList] = await timeOf(bare);
      return { start: service.startedIn, list, bareStart: bare.startedIn, bareList };
    } finally {
      await bare.close();
    }
  } finally {
    await service.close();
  }
}

/** The median of several lists, and the text. */
async function timeOf({ env }: Pick<Service, 'env'>): Promise<[number, string]> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  let text = '';
  for (let index = 0; index < LISTS; index += 1) {
    const begin = performance.now();
    text = await textOf(`${env.ROSTER_URL}/api/schedules`, {
      agent,
      headers: { 'x-api-key': env.ROSTER_API_KEY },
    });
    times.push(performance.now() - begin);
  }
  agent.destroy();
  return [median(times), text];
}

function textOf(url: string, options: { agent: Agent; headers: Record<string, string> }): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve(Buffer.concat(chunks).toString()));
    }).on('error', reject);
  });
}

/** A server that sends the text as it is, in a process of its own. */
async function startBare(text: string): Promise<Service> {
  const script = `let text = '';
    process.stdin.on('data', (more) => { text += more; }).on('end', () => {
      const server = require('node:http').createServer((_, answer) => answer.end(text));
      server.listen(0, '127.0.0.1', () => console.log(server.address().port));
    });`;
  const begin = performance.now();
  const child: ChildProcess = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin?.end(text);
  const port = await new Promise<string>((resolve) =>
    child.stdout?.once('data', (line: Buffer) => resolve(line.toString().trim())),
  );
  const gone = new Promise((resolve) => child.on('close', resolve));
  return {
    env: { ROSTER_URL: `http://127.0.0.1:${port}`, ROSTER_API_KEY: '' },
    startedIn: performance.now() - begin,
    close: async () => {
      child.kill();
      await gone;
    },
  };
}
