import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { Refusal } from './api.js';
import { KEY_MARK, keyFinder } from './keyring.js';
import type { KeyRecord, World } from './world.js';

/** Records, reads and authenticates a request before it reaches a handler. */

/** One request, for tests. `status` is 0 until the response is ready. */
export interface RecordedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Parsed JSON; null if there was no body or it was not JSON. */
  body: unknown;
  status: number;
}

/** `body` is either the parsed JSON (undefined without a body) or the reason why it cannot be used. */
export interface Env {
  Bindings: HttpBindings;
  Variables: { body: unknown; caller: KeyRecord };
}

const MAX_BODY = 1_048_576;

export interface Recorder {
  readonly requests: RecordedRequest[];
  /** How many are kept: the older half is dropped when there are more. */
  readonly most: number;
  /** Called when a request has been answered. */
  readonly onRequest: (request: RecordedRequest) => void;
}

/** Records requests in the order of their arrival. */
export function recording({ requests, most, onRequest }: Recorder): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { pathname, search } = new URL(c.req.url);
    const record: RecordedRequest = { method: c.req.method, path: pathname + search, body: null, status: 0 };
    requests.push(record);
    if (requests.length > most) requests.splice(0, requests.length - Math.floor(most / 2));
    const body = await readBody(c.req.raw);
    if (!(body instanceof Refusal)) record.body = body ?? null;
    c.set('body', body);
    await next();
    record.status = c.res.status;
    onRequest(record);
  };
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Refuses names that only look like this machine: a web page whose name resolves to it could use the sandbox. */
export function hostCheck(host: string): MiddlewareHandler<Env> {
  const isLocal = isLoopback(host);
  return async (c, next) => {
    const name = (c.req.header('host') ?? '').replace(/:\d+$/, '');
    if (isLocal && !LOOPBACK.test(name))
      throw new Refusal(403, 'The Host of the request is not this machine.');
    await next();
  };
}

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host) || host === '::1';
}

async function readBody(request: Request): Promise<unknown> {
  const text = await readText(request);
  if (text instanceof Refusal) return text;
  if (text === '') return undefined;
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
    return new Refusal(415, 'A request with a body must send Content-Type: application/json.');
  }
  try {
    return JSON.parse(text);
  } catch {
    return new Refusal(400, 'The request body is not JSON.');
  }
}

async function readText(request: Request): Promise<string | Refusal> {
  const tooLarge = new Refusal(413, `The request body is larger than ${MAX_BODY} bytes.`);
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY) return tooLarge;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY) return tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Accepts both headers on every endpoint; 401 without an active key (interface.md §5). */
export function authentication(world: World, clock: () => Date): MiddlewareHandler<Env> {
  const find = keyFinder(world);
  return async (c, next) => {
    const text = c.req.header('x-api-key') ?? bearer(c.req.header('authorization'));
    // A bearer token without the prefix is a dashboard session (§5.3), which the sandbox does not have.
    const caller = text?.startsWith(KEY_MARK) ? find(text, clock()) : undefined;
    if (!caller) throw new Refusal(401, 'The API key is missing, malformed or revoked.');
    caller.lastUsedDate = clock().toISOString();
    c.set('caller', caller);
    await next();
  };
}

function bearer(header: string | undefined): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(header ?? '')?.[1];
}
