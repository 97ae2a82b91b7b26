import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Reply } from './api.js';
import { bytesOf, type Fields, isFields, type Received, writeHeaders } from './http.js';
import {
  COUNTS,
  checkAll,
  checkField,
  checkObject,
  checkSection,
  checkTogether,
  integerFrom,
  JsonFileError,
  numberTo,
  OBJECT,
  readJsonFile,
  type Shape,
  TEXT,
  wordOf,
} from './json-file.js';

/** Injected faults, to rehearse how a run deals with them. */

/** What can happen to a request. `drop`, `lose` and `late` end with a connection that is reset. */
const FAULT_TYPES = {
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
      return filter.nth === undefined || [filter.nth].flat().includes(count);
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

const HOUR_MS = 3_600_000;

const FAULT: Shape = {
  required: { act: wordOf(...Object.keys(FAULT_TYPES)) },
  optional: {
    method: wordOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
    path: TEXT,
    nth: COUNTS,
    status: integerFrom(200, 599),
    body: TEXT,
    headers: OBJECT,
    location: TEXT,
    requests: integerFrom(1, 1_000_000),
    ms: integerFrom(0, HOUR_MS),
  },
};

/** What a response cannot be made up without. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ['status', 'status'],
  ['status-after', 'status'],
  ['redirect', 'location'],
]);

/** Reads `{ "faults": [ { "act": "lose", "method": "POST", "nth": 1 } ], "lagMs": 2000 }`. Throws JsonFileError. */
export function parseFaults(text: string): Pick<FaultPlan, 'faults' | 'lagMs'> {
  return readJsonFile(text, (plan) => {
    checkPlan(plan);
    const { faults = [], lagMs = 0 } = plan;
    return { faults: faults as Fault[], lagMs: lagMs as number };
  });
}

function checkPlan(plan: unknown): asserts plan is Fields {
  checkTogether(
    () => checkObject(plan, ['faults', 'lagMs']),
    () => isFields(plan) && checkParts(plan),
  );
}

function checkParts({ faults = [], lagMs = 0 }: Fields): void {
  checkTogether(
    () => checkSection('faults', faults, FAULT),
    () => checkField('lagMs', lagMs, numberTo(HOUR_MS)),
  );
  checkAll((faults as Fields[]).entries(), ([index, fault]) => checkFault(`faults[${index}]`, fault));
}

function checkFault(where: string, { act, headers = {}, ...fault }: Fields): void {
  const need = NEEDED.get(act as string);
  checkTogether(
    () => {
      if (need === undefined || fault[need] !== undefined) return;
      throw new JsonFileError(where, `has no "${need}", which "${act}" needs`, 'Add it.');
    },
    () =>
      checkAll(Object.entries(headers as Fields), ([name, value]) => {
        checkField(`${where}.headers.${name}`, value, TEXT);
        checkHeader(`${where}.headers.${name}`, name, value as string);
      }),
  );
}

/** Node refuses others only when the response is written. */
function checkHeader(where: string, name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new JsonFileError(where, 'cannot be sent as a header', 'Correct its name or its value.');
  }
}
