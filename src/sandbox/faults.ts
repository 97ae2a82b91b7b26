import type { Context, MiddlewareHandler } from 'hono';
import { type Fields, isFields } from './body.js';
import type { Env } from './middleware.js';

/** Trouble on purpose, to rehearse what a run does about it. */

/** What can happen to a request. `drop` to `late` end with a connection that is reset. */
export const FAULT_TYPES = {
  drop: 'the connection is reset before anything is done',
  lose: 'it is done, and the connection is reset instead of an answer',
  late: 'the connection is reset, and it is done after `requests` more requests',
  cut: 'it is done, and the answer breaks off in its middle',
  drip: 'it is done, and the answer comes a byte every `ms` milliseconds',
  hang: 'nothing is done, and no answer ever comes',
  'hang-after': 'it is done, and no answer ever comes',
  status: 'nothing is done, and it is answered with `status`, `body` and `headers`',
  'status-after': 'it is done, and answered with `status`, `body` and `headers`',
  redirect: 'it is answered with a redirect to `location`',
  'kill-before': 'the client is killed (SIGKILL) before anything is done',
  'kill-after': 'it is done, and the client is killed before it is answered',
  signal: 'the client is sent `signal`, and all goes on',
} as const;

export type FaultType = keyof typeof FAULT_TYPES;

/** One fault. It meets every request that fits, or the `nth` of them alone. */
export interface Fault {
  readonly act: FaultType;
  readonly method?: string;
  /** A path without its query; `*` stands for any part of it. */
  readonly path?: string;
  /** From 1. */
  readonly nth?: number;
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly location?: string;
  readonly requests?: number;
  readonly ms?: number;
  readonly signal?: NodeJS.Signals;
}

/** What goes wrong. May be changed while the sandbox runs. */
export interface FaultPlan {
  faults: readonly Fault[];
  /** Lists show the state of so many milliseconds ago. */
  lagMs: number;
  /** The process that `kill-before`, `kill-after` and `signal` are for; null for none. */
  targetPid: number | null;
  /** Stands around every request that meets no fault; null for nothing. */
  intercept: ((request: PassedRequest, next: () => Promise<void>) => Promise<void>) | null;
}

export interface PassedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly apiKey: string;
}

/** Says what is wrong with a file of faults. */
export class FaultError extends Error {}

export function noFaults(): FaultPlan {
  return { faults: [], lagMs: 0, targetPid: null, intercept: null };
}

/** Carries the plan out, around the handler of each authenticated request. `sent` ends a request without an answer. */
export function faultMiddleware(plan: FaultPlan, sent: () => Response): MiddlewareHandler<Env> {
  const seen = new Map<Fault, number>();
  const later: { left: number; run: () => Promise<void> }[] = [];
  return async (c, next) => {
    await runLater(later);
    const fault = plan.faults.find((each) => hits(each, c.req.method, c.req.path, seen));
    if (fault === undefined) return plan.intercept === null ? next() : plan.intercept(passing(c), next);
    return act(fault, { c, next, plan, sent, later });
  };
}

function passing({ req }: Context<Env>): PassedRequest {
  return { method: req.method, path: req.path, apiKey: req.header('x-api-key') ?? '' };
}

interface Scene {
  readonly c: Context<Env>;
  next(): Promise<void>;
  readonly plan: FaultPlan;
  sent(): Response;
  readonly later: { left: number; run: () => Promise<void> }[];
}

/** Counts each fault's own requests: two faults for one path have counts of their own. */
function hits(fault: Fault, method: string, path: string, seen: Map<Fault, number>): boolean {
  if (fault.method !== undefined && fault.method !== method) return false;
  if (fault.path !== undefined && !pathFits(fault.path, path)) return false;
  const count = (seen.get(fault) ?? 0) + 1;
  seen.set(fault, count);
  return fault.nth === undefined || fault.nth === count;
}

function pathFits(pattern: string, path: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(path);
}

async function act(fault: Fault, scene: Scene): Promise<Response | undefined> {
  const { c, next } = scene;
  switch (fault.act) {
    case 'drop':
      return reset(scene);
    case 'lose':
      await next();
      return reset(scene);
    case 'late':
      scene.later.push({ left: fault.requests ?? 1, run: next });
      return reset(scene);
    case 'hang':
      return hang(scene);
    case 'hang-after':
      await next();
      return hang(scene);
    case 'status':
      return made(fault);
    case 'status-after':
      await next();
      return instead(c, () => made(fault));
    case 'redirect':
      return new Response(null, {
        status: fault.status ?? 302,
        headers: { Location: fault.location ?? '/' },
      });
    case 'cut':
      await next();
      return inPieces(scene, 0);
    case 'drip':
      await next();
      return inPieces(scene, fault.ms ?? 1_000);
    case 'kill-before':
      return kill(scene);
    case 'kill-after':
      await next();
      return kill(scene);
    case 'signal':
      if (scene.plan.targetPid !== null) process.kill(scene.plan.targetPid, fault.signal ?? 'SIGTERM');
      return void (await next());
    default:
      return fault.act satisfies never;
  }
}

function reset({ c, sent }: Scene): undefined {
  const { socket } = c.env.incoming;
  socket.resetAndDestroy();
  return instead(c, sent);
}

/** Until the client gives up. */
async function hang({ c, sent }: Scene): Promise<undefined> {
  const { socket } = c.env.incoming;
  if (!socket.destroyed) await new Promise<void>((done) => socket.once('close', () => done()));
  return instead(c, sent);
}

/** In the place of the answer that the handler may have made: the two must not be merged. */
function instead(c: Context<Env>, sent: () => Response): undefined {
  c.res = undefined;
  c.res = sent();
}

function kill(scene: Scene): undefined {
  const { targetPid } = scene.plan;
  if (targetPid !== null) process.kill(targetPid, 'SIGKILL');
  return reset(scene);
}

function made({ status = 500, body = '', headers = {} }: Fault): Response {
  return new Response(body === '' ? null : body, {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

/** `ms` between bytes; 0 sends half of the body and then breaks off. */
async function inPieces({ c, sent }: Scene, ms: number): Promise<undefined> {
  const { status, headers } = c.res;
  const bytes = Buffer.from(await c.res.arrayBuffer());
  const { outgoing } = c.env;
  const length = {
    'content-length': String(bytes.length),
    'content-type': headers.get('content-type') ?? '',
  };
  outgoing.writeHead(status, length);
  if (ms === 0) {
    outgoing.write(bytes.subarray(0, bytes.length >> 1), () => outgoing.socket?.resetAndDestroy());
    return instead(c, sent);
  }
  for (const byte of bytes) {
    if (outgoing.destroyed) break;
    outgoing.write(Buffer.of(byte));
    await new Promise((done) => setTimeout(done, ms));
  }
  outgoing.end();
  return instead(c, sent);
}

async function runLater(later: Scene['later']): Promise<void> {
  for (const each of later) each.left -= 1;
  for (const each of later.filter(({ left }) => left <= 0)) {
    later.splice(later.indexOf(each), 1);
    await each.run();
  }
}

/** Reads a file of faults: `{ "faults": [ { "act": "lose", "method": "POST", "nth": 1 } ], "lagMs": 2000 }`. */
export function parseFaults(text: string): Pick<FaultPlan, 'faults' | 'lagMs'> {
  const value = readJson(text);
  if (!isFields(value)) throw new FaultError('it is no JSON object');
  const { faults = [], lagMs = 0, ...rest } = value;
  refuseUnknown(rest, 'the file');
  if (!Array.isArray(faults)) throw new FaultError('"faults" is no list');
  if (typeof lagMs !== 'number' || !(lagMs >= 0)) throw new FaultError('"lagMs" is no number from 0');
  return { faults: faults.map(readFault), lagMs };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FaultError('it is not JSON');
  }
}

function readFault(value: unknown, index: number): Fault {
  const where = `fault ${index + 1}`;
  if (!isFields(value)) throw new FaultError(`${where} is no object`);
  const { act: name, method, path, body, location, nth, status, requests, ms, headers, ...rest } = value;
  refuseUnknown(rest, where);
  if (typeof name !== 'string' || !Object.hasOwn(FAULT_TYPES, name))
    throw new FaultError(`${where}: "act" is none of ${Object.keys(FAULT_TYPES).join(', ')}`);
  if (name.startsWith('kill') || name === 'signal')
    throw new FaultError(`${where}: "${name}" is for programs that know whom to kill`);
  for (const [key, each] of Object.entries({ method, path, body, location }))
    if (each !== undefined && typeof each !== 'string') throw new FaultError(`${where}: "${key}" is no text`);
  for (const [key, each] of Object.entries({ nth, status, requests, ms }))
    if (each !== undefined && !Number.isSafeInteger(each))
      throw new FaultError(`${where}: "${key}" is no whole number`);
  if (headers !== undefined && !isFields(headers)) throw new FaultError(`${where}: "headers" is no object`);
  return value as unknown as Fault;
}

function refuseUnknown(rest: Fields, where: string): void {
  const [name] = Object.keys(rest);
  if (name !== undefined) throw new FaultError(`${where} has an unknown property "${name}"`);
}
