import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Reply } from './api.js';
import { faults as validator } from './generated/validators.js';
import { bytesOf, type Received, writeHeaders } from './http.js';
import { checkAll, fileError, readJsonFile } from './json-file.js';

/** Injected faults, to rehearse how a run deals with them. */

/** What can happen to a request. `drop`, `lose` and `late` end with a connection that is reset. */
export type FaultType =
  /** The connection is reset before the request takes effect. */
  | 'drop'
  /** The request takes effect, and the connection is reset instead of a response. */
  | 'lose'
  /** The connection is reset, and the request takes effect after `requests` more requests. */
  | 'late'
  /** The request takes effect, and the response breaks off halfway. */
  | 'cut'
  /** The request takes effect, and the response arrives one byte every `ms` milliseconds. */
  | 'drip'
  /** The request does not take effect, and no response ever arrives. */
  | 'hang'
  /** The request takes effect, and no response ever arrives. */
  | 'hang-after'
  /** The request does not take effect, and the response is `status`, `body` and `headers`. */
  | 'status'
  /** The request takes effect, and the response is `status`, `body` and `headers`. */
  | 'status-after'
  /** The response is a redirect to `location`. */
  | 'redirect';

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

/** Wraps a handler. Null for a request that was already answered, or gets no response. */
export type Faults = (request: Received, next: () => Promise<Reply>) => Promise<Reply | null>;

/** Requests that take effect later. */
type Delayed = { left: number; run: () => Promise<unknown> }[];

interface FaultContext {
  readonly request: Received;
  readonly next: () => Promise<Reply>;
  readonly delayed: Delayed;
}

/** Applies the plan around the handler of each authenticated request. */
export function applyFaults(plan: FaultPlan): Faults {
  const findFault = faultFinder<Fault>();
  const delayed: Delayed = [];
  return async (request, next) => {
    await runDelayed(delayed);
    const { method, url } = request;
    const fault = findFault(plan.faults, { method, path: url.pathname });
    if (fault !== undefined) return applyFault(fault, { request, next, delayed });
    return plan.intercept === null ? next() : intercepted(plan.intercept, request, next);
  };
}

async function intercepted(
  intercept: NonNullable<FaultPlan['intercept']>,
  request: Received,
  next: () => Promise<Reply>,
): Promise<Reply | null> {
  const { method, url, incoming } = request;
  const apiKey = incoming.headers['x-api-key']?.toString() ?? '';
  let reply: Reply | null = null;
  const reset = () => {
    resetConnection(request);
  };
  await intercept({ method, path: url.pathname, apiKey, reset }, async () => {
    reply = await next();
  });
  if (reply === null && !incoming.socket.destroyed)
    throw new Error('intercepted, and neither answered nor reset');
  return reply;
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
      const { nth } = filter;
      return nth === undefined || (typeof nth === 'number' ? nth === count : nth.includes(count));
    });
}

function matches({ method, path }: RequestFilter, request: { method: string; path: string }): boolean {
  if (method !== undefined && method !== request.method) return false;
  if (path === undefined) return true;
  const parts = path.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(request.path);
}

async function applyFault(fault: Fault, { request, next, delayed }: FaultContext): Promise<Reply | null> {
  switch (fault.act) {
    case 'drop':
      return resetConnection(request);
    case 'lose':
      await next();
      return resetConnection(request);
    case 'late':
      delayed.push({ left: fault.requests ?? 1, run: next });
      return resetConnection(request);
    case 'hang':
      return hang(request);
    case 'hang-after':
      await next();
      return hang(request);
    case 'status':
      return replyOf(fault);
    case 'status-after':
      await next();
      return replyOf(fault);
    case 'redirect':
      return { status: fault.status ?? 302, body: null, headers: { Location: fault.location ?? '/' } };
    case 'cut':
      return sendInPieces(request, await next(), 0);
    case 'drip':
      return sendInPieces(request, await next(), fault.ms ?? 1_000);
    default:
      return fault.act satisfies never;
  }
}

function resetConnection({ incoming }: Received): null {
  incoming.socket.resetAndDestroy();
  return null;
}

/** Until the client gives up. */
async function hang({ incoming: { socket } }: Received): Promise<null> {
  if (!socket.destroyed) await new Promise<void>((done) => socket.once('close', () => done()));
  return null;
}

function replyOf({ status = 500, body = '', headers = {} }: Fault): Reply {
  const type = { 'Content-Type': 'application/json' };
  return { status, body: body === '' ? null : body, headers: { ...type, ...headers } };
}

/** `ms` between bytes; 0 sends half of the body and then breaks off. */
async function sendInPieces({ outgoing }: Received, reply: Reply, ms: number): Promise<null> {
  const bytes = bytesOf(reply);
  writeHeaders(outgoing, reply);
  outgoing.setHeader('Content-Length', bytes.length);
  if (ms === 0) {
    outgoing.write(bytes.subarray(0, bytes.length >> 1), () => outgoing.socket?.resetAndDestroy());
    return null;
  }
  for (const byte of bytes) {
    if (outgoing.destroyed) break;
    outgoing.write(Buffer.of(byte));
    await new Promise((done) => setTimeout(done, ms));
  }
  outgoing.end();
  return null;
}

async function runDelayed(delayed: Delayed): Promise<void> {
  for (const each of delayed) each.left -= 1;
  for (const each of delayed.filter(({ left }) => left <= 0)) {
    delayed.splice(delayed.indexOf(each), 1);
    await each.run();
  }
}

/** Reads `{ "faults": [ { "act": "lose", "method": "POST", "nth": 1 } ], "lagMs": 2000 }`. Throws JsonFileError. */
export function parseFaults(text: string): Pick<FaultPlan, 'faults' | 'lagMs'> {
  const { faults = [], lagMs = 0 } = readJsonFile<Partial<FaultPlan>>(text, validator, checkHeaders);
  return { faults, lagMs };
}

/** Node refuses others only when the response is written. */
function checkHeaders({ faults = [] }: Partial<FaultPlan>): void {
  const headers = faults.flatMap((fault, index) =>
    Object.entries(fault.headers ?? {}).map(([name, value]) => ({ name, value, index })),
  );
  checkAll(headers, ({ name, value, index }) => {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      const where = `faults[${index}].headers.${name}`;
      throw fileError(where, 'cannot be sent as a header', 'Correct its name or its value.');
    }
  });
}
