import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Sends many requests of all areas to a sandbox with a small heap, and watches its memory. */

export interface SoakOptions {
  /** The built command. */
  readonly program: string;
  readonly requests: number;
  readonly heapMb: number;
  /** Pass before the first request: after three, the history is full. */
  readonly days: number;
  /** It ends then, also with fewer requests. Default: never. */
  readonly minutes?: number;
  /** Called for each sample. */
  readonly onSample?: (sent: number, memory: Memory) => void;
}

/** Of the process of the sandbox, in megabytes. */
export interface Memory {
  /** The heap that is used after a garbage collection: what the sandbox keeps. */
  readonly heap: number;
  readonly resident: number;
}

export interface SoakResult {
  readonly sent: number;
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** After each tenth of the requests. */
  readonly memory: readonly Memory[];
}

const WORKERS = 16;
const SAMPLES = 10;
/** Runs in the process of the sandbox: each message is answered with its memory. */
const GAUGE = `
const megabytes = (bytes) => Math.round(bytes / 104857.6) / 10;
process.on('message', () => {
  gc();
  const { heapUsed, rss } = process.memoryUsage();
  process.send({ heap: megabytes(heapUsed), resident: megabytes(rss) });
});`;
/** What a long run keeps more than half of it: pages of code, and a list that is being answered. */
const TOLERANCE = 1.15;
const AGENT = 'a9e00000-0000-4000-8000-000000000001';
const GROUP = 'c0000000-0000-4000-8000-000000000001';
const PIPELINE = 'd0000000-0000-4000-8000-000000000001';
/** Jobs last seconds, and ten minutes pass in one: the history is full, and forgets, most of the time. */
const SPEED = '600';
const SEED = {
  groups: [{ id: GROUP, name: 'soak', members: ['acme-shop', 'globex'] }],
  pipelines: [{ id: PIPELINE, name: 'soak', steps: ['prices', 'catalogue'] }],
  schedules: [
    {
      targetId: 'initech',
      scheduleType: 'Cron',
      cronExpression: '0 * * * * *',
      startTime: '2020-01-01T00:00:00',
    },
  ],
  settings: { startsPerMinute: 1_000_000 },
};

export async function soak({ program, heapMb, ...options }: SoakOptions): Promise<SoakResult> {
  const folder = mkdtempSync(join(tmpdir(), 'roster-soak-'));
  const seed = join(folder, 'seed.json');
  writeFileSync(seed, JSON.stringify(SEED));
  const flags = ['sandbox', '--port', '0', '--format', 'json', '--speed', SPEED, '--seed', seed];
  const gauge = `data:text/javascript,${encodeURIComponent(GAUGE)}`;
  const nodeFlags = [`--max-old-space-size=${heapMb}`, '--expose-gc', '--import', gauge];
  const child = spawn(process.execPath, [...nodeFlags, program, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  try {
    return await measured(child, options);
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether the sandbox keeps as much at the end as after half of the requests. */
export function isFlat(memory: readonly Memory[]): boolean {
  const [half, end] = [memory[memory.length >> 1], memory.at(-1)];
  return half !== undefined && end !== undefined && end.heap <= half.heap * TOLERANCE;
}

function memoryOf(child: ChildProcess): Promise<Memory> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.send('measure', (error) => error && reject(error));
  });
}

async function measured(
  child: ChildProcess,
  {
    requests,
    days,
    minutes = Number.POSITIVE_INFINITY,
    onSample = () => {},
  }: Omit<SoakOptions, 'program' | 'heapMb'>,
): Promise<SoakResult> {
  const { url, apiKey } = await greetingOf(child);
  const agent = new Agent({ keepAlive: true, maxSockets: WORKERS });
  const statuses: Record<string, number> = {};
  const memory: Memory[] = [];
  const begin = performance.now();
  let sent = 0;
  const isOver = () => sent >= requests || performance.now() - begin > minutes * 60_000;
  const send: Send = async (method, path, body) => {
    sent += 1;
    if (sent % Math.floor(requests / SAMPLES) === 0) {
      const at = sent;
      memory.push(await memoryOf(child));
      onSample(at, memory.at(-1) ?? { heap: 0, resident: 0 });
    }
    const { status, text } = await answerOf({ url, apiKey, agent }, method, path, body);
    statuses[status] = (statuses[status] ?? 0) + 1;
    return text.startsWith('{') ? JSON.parse(text).data : undefined;
  };
  const work = async (worker: number) => {
    for (let round = worker; !isOver(); round += WORKERS) await step(send, round);
  };
  for (let day = 0; day < days; day += 1)
    await answerOf({ url, apiKey, agent }, 'POST', '/sandbox/clock', { advance: '1d' });
  await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
  agent.destroy();
  return { sent, statuses, seconds: Math.round((performance.now() - begin) / 1000), memory };
}

type Send = (method: string, path: string, body?: object) => Promise<unknown>;

const A = '/api/scraper-agents';
const D = '/api/data-explorer';
/** Over thousands of jobs, these take the longest. */
const LISTS = [
  `${A}/jobs`,
  `${A}/runs?state=failed`,
  `${A}/runs/status-counts`,
  '/api/schedules',
  '/api/pipelines/runs?pageSize=5',
  '/api/search-groups/runs?pageSize=5',
];
const READS = [
  A,
  `${A}/${AGENT}`,
  `${A}/${AGENT}/sample-output`,
  '/api/schedules/page',
  '/api/search-groups',
  `/api/pipelines/${PIPELINE}`,
  `${D}/saved-queries`,
  '/api/api-keys',
];

/** What people do, in turns: what they create is deleted again. */
async function step(send: Send, round: number): Promise<void> {
  const turn = Math.floor(round / WORKERS);
  switch (turn % 32) {
    case 0:
    case 16:
      await send('POST', `${A}/acme-shop/start-job`, {});
      return;
    case 1:
      return withObject(send, '/api/search-groups', {
        name: `group ${round}`,
        description: '',
        agentIds: [AGENT],
      });
    case 2:
      return withObject(send, '/api/schedules', {
        targetId: AGENT,
        scheduleType: 'Cron',
        cronExpression: `0 ${round % 60} * * * *`,
        startTime: '2026-01-01T00:00:00',
      });
    case 3:
      return withDataset(send, round);
    case 4:
      if (turn % 64 === 4) await send('POST', `/api/search-groups/${GROUP}/run`, {});
      else await send('POST', `/api/pipelines/${PIPELINE}/run`);
      return;
    case 5:
      await send('GET', LISTS[round % LISTS.length] ?? A);
      return;
    default:
      await send('GET', READS[turn % READS.length] ?? A);
  }
}

async function withObject(send: Send, path: string, body: object): Promise<void> {
  const { id } = (await send('POST', path, body)) as { id: string };
  await send('DELETE', `${path}/${id}`);
}

async function withDataset(send: Send, round: number): Promise<void> {
  const { items } = (await send('GET', `${A}/cached-exports?pageSize=1`)) as { items: { id: string }[] };
  const [dataset] = items;
  if (dataset === undefined) return;
  await send('POST', `${D}/datasets/${dataset.id}/query`, { search: 'lamp', pageSize: 5 });
  await send('GET', `${D}/datasets/${dataset.id}/download`);
  const body = { name: `query ${round}`, datasetId: dataset.id, definition: {} };
  await withObject(send, `${D}/saved-queries`, body);
}

interface Service {
  readonly url: string;
  readonly apiKey: string;
  readonly agent: Agent;
}

function answerOf(
  { url, apiKey, agent }: Service,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; text: string }> {
  const headers = {
    'X-Api-Key': apiKey,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    request(url + path, { agent, method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      });
    })
      .on('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function greetingOf(child: ChildProcess): Promise<{ url: string; apiKey: string }> {
  let text = '';
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      if (text.trimEnd().endsWith('}')) resolve(JSON.parse(text));
    });
    child.once('close', () => reject(new Error('the sandbox ended before it listened')));
  });
}
