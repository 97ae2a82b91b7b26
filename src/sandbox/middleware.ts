import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { Refusal } from './api.js';
import { KEY_MARK, keyFinder } from './keyring.js';
import type { KeyRecord, World } from './world.js';

/** What happens to a request before it reaches a handler: it is recorded, read and authenticated. */

/** One request as a test sees it. `status` is 0 until it is answered. */
export interface RecordedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Parsed JSON; null when there was none or it was none. */
  body: unknown;
  status: number;
}

/** `body` is either the parsed JSON (undefined: none sent) or the reason why it cannot be used. */
export interface Env {
  Bindings: HttpBindings;
  Variables: { body: unknown; caller: KeyRecord };
}

const MAX_BODY = 1_048_576;

/** Records requests in the order they arrive, whatever becomes of them. */
export function recording(requests: RecordedRequest[]): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { pathname, search } = new URL(c.req.url);
    const record: RecordedRequest = { method: c.req.method, path: pathname + search, body: null, status: 0 };
    requests.push(record);
    const body = await readBody(c.req.raw);
    if (!(body instanceof Refusal)) record.body = body ?? null;
    c.set('body', body);
    await next();
    record.status = c.res.status;
  };
}

async function readBody(request: Request): Promise<unknown> {
  const text = await readText(request);
  if (text instanceof Refusal) return text;
  if (text === '') return undefined;
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) {
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

/** Both header forms on every endpoint; what is not an active key is 401 (interface.md §5). */
export function authentication(world: World, clock: () => Date): MiddlewareHandler<Env> {
  const find = keyFinder(world);
  return async (c, next) => {
    const text = c.req.header('x-api-key') ?? bearer(c.req.header('authorization'));
    // A bearer token without the prefix is a dashboard session (§5.3), which this service has none of.
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
