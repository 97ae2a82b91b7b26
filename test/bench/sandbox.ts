import { type ChildProcess, spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { type Bench, type Build, write } from './bench.js';
import { inTurns, median } from './measure.js';
import { projectOf } from './project.js';
import { type Service, startService } from './service.js';

/**
 * How long the sandbox takes to start with many schedules, to list them and to create more, next to a server that only
 * sends text, or reads the JSON of a create and sends it back.
 */

/** Half of the resources are schedules. */
const RESOURCES = 20_000;
const LISTS = 5;
const CREATES = 300;
/** Multiples of the bare server. */
const GOALS = { start: 15, list: 10, create: 2.8 };

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
      create: of('create'),
      bareStart: of('bareStart'),
      bareList: of('bareList'),
      bareCreate: of('bareCreate'),
    };
  });
  report.title(
    'Sandbox',
    `with a seed of ${RESOURCES / 2} schedules: until it answers, a list of all schedules, and ${CREATES} creates`,
  );
  report.table(
    ['program', 'start ms', 'list ms', 'creates ms', 'bare server: start ms', 'list ms', 'creates ms'],
    rows.map(({ name, start, list, create, bareStart, bareList, bareCreate }) => [
      name,
      ...[start, list, create, bareStart, bareList, bareCreate].map((each) => each.toFixed(0)),
    ]),
  );
  const [now] = rows;
  if (now === undefined) return;
  report.check('start, relative to a bare server', now.start / now.bareStart, { goal: GOALS.start });
  report.check('list, relative to a bare server', now.list / now.bareList, { goal: GOALS.list });
  report.check('creates, of a bare server', now.create / now.bareCreate, { goal: GOALS.create });
}

interface Measured {
  readonly start: number;
  readonly list: number;
  readonly create: number;
  readonly bareStart: number;
  readonly bareList: number;
  readonly bareCreate: number;
}

async function measured({ program }: Build, seed: string): Promise<Measured> {
  const service = await startService(program, seed);
  try {
    const [list, text] = await timeOf(service);
    const bare = await startBare(text);
    try {
      const [bareList] = await timeOf(bare);
      const body = newSchedule(text);
      const create = await timeOfCreates(service, body);
      const bareCreate = await timeOfCreates(bare, body);
      return { start: service.startedIn, list, create, bareStart: bare.startedIn, bareList, bareCreate };
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
    text = await answerOf(env, agent);
    times.push(performance.now() - begin);
  }
  agent.destroy();
  return [median(times), text];
}

/** The body that creates one more schedule for the target of the first. */
function newSchedule(list: string): string {
  const [{ targetType, targetId }] = JSON.parse(list).data;
  const timing = { scheduleType: 'Cron', cronExpression: '0 30 6 * * MON-FRI', timeZoneId: 'Europe/Berlin' };
  return JSON.stringify({ targetType, targetId, ...timing, startTime: '2026-01-01T00:00:00' });
}

/** After as many that only warm up. */
async function timeOfCreates({ env }: Pick<Service, 'env'>, body: string): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  let begin = 0;
  for (let sent = 0; sent < 2 * CREATES; sent += 1) {
    if (sent === CREATES) begin = performance.now();
    await answerOf(env, agent, body);
  }
  agent.destroy();
  return performance.now() - begin;
}

/** With a body, it creates a schedule. */
function answerOf(env: Service['env'], agent: Agent, body?: string): Promise<string> {
  const headers = { 'x-api-key': env.ROSTER_API_KEY, 'content-type': 'application/json' };
  const method = body === undefined ? 'GET' : 'POST';
  return new Promise((resolve, reject) => {
    request(`${env.ROSTER_URL}/api/schedules`, { agent, method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`${method} was answered with ${answer.statusCode}: ${text}`));
      });
    })
      .on('error', reject)
      .end(body);
  });
}

/** A server that sends the text as it is, and what is posted to it, in a process of its own. */
async function startBare(text: string): Promise<Service> {
  const script = `let text = '';
    process.stdin.on('data', (more) => { text += more; }).on('end', () => {
      const server = require('node:http').createServer((request, answer) => {
        if (request.method === 'GET') return answer.end(text);
        let body = '';
        request.on('data', (more) => { body += more; }).on('end', () => {
          answer.setHeader('Content-Type', 'application/json');
          answer.end(JSON.stringify({ success: true, data: JSON.parse(body) }));
        });
      });
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
