import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { pipeline, Readable, type Writable } from 'node:stream';
import { type FileAnswer, Refusal, type Reply, refusalReply } from './api.js';
import { parseJson, writeJson } from './digits.js';

/** Records and reads each request, and sends the reply to it. */

/** One request, for tests. `status` is 0 until the response is ready. */
export interface RecordedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Parsed JSON; null if there was no body or it was not JSON. */
  body: unknown;
  status: number;
}

export interface Recorder {
  readonly requests: RecordedRequest[];
  /** How many are kept: the older half is dropped when there are more. */
  readonly most: number;
  /** Called when a request has been answered. */
  readonly onRequest: (request: RecordedRequest) => void;
}

export interface Received {
  readonly method: string;
  readonly url: URL;
  /** Either the parsed JSON (undefined without a body) or the reason why it cannot be used. */
  readonly body: unknown;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Null for a request that was already answered, or gets no response. */
export type Handler = (request: Received) => Promise<Reply | null>;

const MAX_BODY = 1_048_576;

/** Records requests in the order of their arrival. */
export function listener(recorder: Recorder, handle: Handler): RequestListener {
  return (incoming, outgoing) => {
    serve(recorder, handle, { incoming, outgoing }).catch((error: unknown) => {
      if (incoming.destroyed || outgoing.headersSent) outgoing.destroy();
      else send(outgoing, refusalReply(error));
    });
  };
}

async function serve(
  { requests, most, onRequest }: Recorder,
  handle: Handler,
  { incoming, outgoing }: Pick<Received, 'incoming' | 'outgoing'>,
): Promise<void> {
  const { method = 'GET' } = incoming;
  const url = urlOf(incoming);
  const record: RecordedRequest = { method, path: url.pathname + url.search, body: null, status: 0 };
  requests.push(record);
  if (requests.length > most) requests.splice(0, requests.length - Math.floor(most / 2));
  const body = await readBody(incoming);
  if (!(body instanceof Refusal)) record.body = body ?? null;
  const reply = await handle({ method, url, body, incoming, outgoing });
  record.status = reply?.status ?? 200;
  onRequest(record);
  if (reply !== null) send(outgoing, reply);
}

/** The host is of no use here. A proxy's request names it. */
function urlOf({ url: target = '/' }: IncomingMessage): URL {
  const url = target.startsWith('/') ? `http://sandbox${target}` : target;
  try {
    return new URL(url);
  } catch {
    throw new Refusal(400, 'The path of the request is not valid.');
  }
}

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  if (incoming.method === 'GET' || incoming.method === 'HEAD') return undefined;
  const text = await readText(incoming);
  if (text === null) return new Refusal(413, `The request body is larger than ${MAX_BODY} bytes.`);
  if (text === '') return undefined;
  if (!/^application\/json\s*(;|$)/i.test(incoming.headers['content-type'] ?? '')) {
    return new Refusal(415, 'A request with a body must send Content-Type: application/json.');
  }
  try {
    return parseJson(text);
  } catch {
    return new Refusal(400, 'The request body is not JSON.');
  }
}

/** Null for one that is too large: its rest is read and dropped, so that the client sees the response. */
function readText(incoming: IncomingMessage): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = Number(incoming.headers['content-length'] ?? 0) > MAX_BODY ? Number.POSITIVE_INFINITY : 0;
    if (size > MAX_BODY) resolve(null);
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY) chunks.push(chunk);
      else resolve(null);
    });
    incoming.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    incoming.once('error', reject);
  });
}

function send(outgoing: ServerResponse, reply: Reply): void {
  writeHeaders(outgoing, reply);
  if (reply.file === undefined) sendText(outgoing, textOf(reply));
  else sendPieces(reply.file, outgoing);
}

function sendText(outgoing: ServerResponse, text: string): void {
  if (text !== '') outgoing.setHeader('Content-Length', Buffer.byteLength(text));
  outgoing.end(text);
}

/** Status and headers, without a length. Nothing is sent yet. */
export function writeHeaders(outgoing: ServerResponse, { status, body, file, headers = {} }: Reply): void {
  outgoing.statusCode = status;
  if (file !== undefined) {
    outgoing.setHeader('Content-Type', file.contentType);
    outgoing.setHeader('Content-Disposition', `attachment; filename="${headerText(file.fileName)}"`);
  } else if (body !== null) {
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    outgoing.setHeader('Content-Type', `${type}; charset=utf-8`);
  }
  for (const [name, value] of Object.entries({ ...file?.headers, ...headers }))
    outgoing.setHeader(name, value);
}

function headerText(name: string): string {
  return name.replace(/[^\x20-\x7e]|["\\]/g, '_');
}

function textOf({ body }: Reply): string {
  return body === null ? '' : typeof body === 'string' ? body : writeJson(body);
}

/** The body of a reply at once. */
export function bytesOf(reply: Reply): Buffer {
  if (reply.file === undefined) return Buffer.from(textOf(reply));
  const bytes = Buffer.concat([...reply.file.pieces()]);
  reply.file.sent?.();
  return bytes;
}

/** Sends a file while its pieces are made: the next piece when the client has taken the last. */
export function sendPieces({ pieces, sent }: FileAnswer, outgoing: Writable): void {
  pipeline(Readable.from(pieces()), outgoing, () => sent?.());
}
