import type { Context, MiddlewareHandler } from 'hono';
import type { Env } from '../middleware.js';

/** Injected faults, to rehearse how a run deals with them. */

/** What can happen to a request. `drop`, `lose` and `late` end with a connection that is reset. */
export const FAULT_TYPES = {
  drop: 'the connection is reset before the request takes effect',
  lose: 'the request takes effect, and the connection is reset instead of a response',
  late: 'the connection is reset, and the request takes effect after `requests` more requests',
  cut: 'the request takes effect, and the response breaks off halfway',
  drip: 'the request takes effect, and the response arrives one byte every `ms` milliseconds',
  hang: 'the request does not take effect, and no response ever arrives',
  'hang-after': 'the request takes effect, and no response ever arrives',
  status: 'the request does not take effect, and the response is `status`, `body` and `headers`',
  'status-after': 'the request takes effect, and the response is `status`, `body` and `headers`',
  redirect: 'the response is a redirect to `location`',
} as const;

export type FaultType = keyof typeof FAULT_TYPES;

/** Selects requests: all that match, or only the `nth` of them, which may be several. */
export interface RequestFilter {
  readonly method?: string;
  /** A path without its query; `*` matches any part of it. */
  readonly path?: string;
  /** From 1. */
  readonly nth?: number | readonly number[];
}

/** One fault, as in a faults file. */
export interface Fault extends RequestFilter {
  readonly act: FaultType;
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly location?: string;
  readonly requests?: number;
  readonly ms?: number;
}

/** What goes wrong. May be changed while the sandbox runs. */
export interface FaultPlan {
  faults: readonly Fault[];
  /** Lists show the state of this many milliseconds ago. */
  lagMs: number;
  /** Runs around every authenticated request that no fault applies to; null for nothing. */
  intercept: ((request: InterceptedRequest, next: () => Promise<void>) => Promise<void>) | null;
}

export interface InterceptedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly apiKey: string;
  /** Resets the connection instead of responding. */
  reset(): void;
}

export function noFaults(): FaultPlan {
  return { faults: [], lagMs: 0, intercept: null };
}

/** Requests that take effect later. */
type Delayed = { left: number; run: () => Promise<void> }[];

interface FaultContext {
  readonly c: Context<Env>;
  next(): Promise<void>;
  /** A response that tells Hono to send nothing. */
  alreadySent(): Response;
  readonly delayed: Delayed;
}

/** Applies the plan around the handler of each authenticated request. */
export function faultMiddleware(plan: FaultPlan, alreadySent: () => Response): MiddlewareHandler<Env> {
  const findFault = faultFinder<Fault>();
  const delayed: Delayed = [];
  return async (c, next) => {
    await runDelayed(delayed);
    const context: FaultContext = { c, next, alreadySent, delayed };
    const fault = findFault(plan.faults, c.req);
    if (fault !== undefined) return applyFault(fault, context);
    return plan.intercept === null ? next() : plan.intercept(intercepted(context), next);
  };
}

function intercepted(context: FaultContext): InterceptedRequest {
  const { req } = context.c;
  const apiKey = req.header('x-api-key') ?? '';
  return { method: req.method, path: req.path, apiKey, reset: () => resetConnection(context) };
}

/**
 * Finds the first filter that matches a request. Each filter counts its own matches: two filters for one path have
 * separate counts.
 */
export function faultFinder<T extends RequestFilter>() {
  const counts = new Map<T, number>();
  return (filters: readonly T[], request: { method: string; path: string }): T | undefined =>
    filters.find((filter) => {
      if (!matches(filter, request)) return false;
      const count = (counts.get(filter) ?? 0) + 1;
      counts.set(filter, count);
      return filter.nth === undefined || [filter.nth].flat().includes(count);
    });
}

function matches({ method, path }: RequestFilter, request: { method: string; path: string }): boolean {
  if (method !== undefined && method !== request.method) return false;
  if (path === undefined) return true;
  const parts = path.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(request.path);
}

async function applyFault(fault: Fault, context: FaultContext): Promise<Response | undefined> {
  const { c, next } = context;
  switch (fault.act) {
    case 'drop':
      return resetConnection(context);
    case 'lose':
      await next();
      return resetConnection(context);
    case 'late':
      context.delayed.push({ left: fault.requests ?? 1, run: next });
      return resetConnection(context);
    case 'hang':
      return hang(context);
    case 'hang-after':
      await next();
      return hang(context);
    case 'status':
      return responseOf(fault);
    case 'status-after':
      await next();
      return replaceResponse(c, responseOf(fault));
    case 'redirect':
      return new Response(null, {
        status: fault.status ?? 302,
        headers: { Location: fault.location ?? '/' },
      });
    case 'cut':
      await next();
      return sendInPieces(context, 0);
    case 'drip':
      await next();
      return sendInPieces(context, fault.ms ?? 1_000);
    default:
      return fault.act satisfies never;
  }
}

function resetConnection({ c, alreadySent }: FaultContext): undefined {
  c.env.incoming.socket.resetAndDestroy();
  return replaceResponse(c, alreadySent());
}

/** Until the client gives up. */
async function hang({ c, alreadySent }: FaultContext): Promise<undefined> {
  const { socket } = c.env.incoming;
  if (!socket.destroyed) await new Promise<void>((done) => socket.once('close', () => done()));
  return replaceResponse(c, alreadySent());
}

/** Drops the response that the handler may have made first: Hono would merge the headers of the two. */
function replaceResponse(c: Context<Env>, response: Response): undefined {
  c.res = undefined;
  c.res = response;
}

function responseOf({ status = 500, body = '', headers = {} }: Fault): Response {
  return new Response(body === '' ? null : body, {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

/** `ms` between bytes; 0 sends half of the body and then breaks off. */
async function sendInPieces({ c, alreadySent }: FaultContext, ms: number): Promise<undefined> {
  const { status, headers } = c.res;
  const bytes = Buffer.from(await c.res.arrayBuffer());
  const { outgoing } = c.env;
  const type = headers.get('content-type') ?? '';
  outgoing.writeHead(status, { 'content-length': String(bytes.length), 'content-type': type });
  if (ms === 0) {
    outgoing.write(bytes.subarray(0, bytes.length >> 1), () => outgoing.socket?.resetAndDestroy());
    return replaceResponse(c, alreadySent());
  }
  for (const byte of bytes) {
    if (outgoing.destroyed) break;
    outgoing.write(Buffer.of(byte));
    await new Promise((done) => setTimeout(done, ms));
  }
  outgoing.end();
  return replaceResponse(c, alreadySent());
}

async function runDelayed(delayed: Delayed): Promise<void> {
  for (const each of delayed) each.left -= 1;
  for (const each of delayed.filter(({ left }) => left <= 0)) {
    delayed.splice(delayed.indexOf(each), 1);
    await each.run();
  }
}
