import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { pipeline, Readable, type Writable } from 'node:stream';
import {
  badRequest,
  type FileAnswer,
  notFound,
  Refusal,
  type Reply,
  type Route,
  refusalReply,
} from './api.js';
import { Digits, parseJson, writeJson } from './digits.js';

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

/** A request that was read. */
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

/** Replies as HTTP. */

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

/** Read request bodies. Unknown fields are ignored; a null field counts as omitted. */

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Digits);
}

/** The body as an object; a missing body counts as an empty one. */
export function bodyFields(body: unknown): Fields {
  if (body === undefined) return {};
  if (!isFields(body)) throw badRequest('The request body must be a JSON object.');
  return body;
}

export function optionalText(body: Fields, field: string): string | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw badRequest(`The field '${field}' must be a string.`);
}

export function requiredText(body: Fields, field: string): string {
  const value = optionalText(body, field);
  if (value === undefined || value.trim() === '') throw badRequest(`The field '${field}' is required.`);
  return value;
}

export function optionalFlag(body: Fields, field: string): boolean | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  throw badRequest(`The field '${field}' must be true or false.`);
}

export function requiredFlag(body: Fields, field: string): boolean {
  const value = optionalFlag(body, field);
  if (value === undefined) throw badRequest(`The field '${field}' is required.`);
  return value;
}

export function optionalTexts(body: Fields, field: string): string[] | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) return value;
  throw badRequest(`The field '${field}' must be an array of strings.`);
}

export function requiredTexts(body: Fields, field: string): string[] {
  const value = optionalTexts(body, field);
  if (value === undefined) throw badRequest(`The field '${field}' is required.`);
  return value;
}

/** One of a closed set of words, spelled exactly. */
export function optionalWord<T extends string>(
  body: Fields,
  field: string,
  words: readonly T[],
): T | undefined {
  const value = optionalText(body, field);
  if (value === undefined) return undefined;
  const word = words.find((known) => known === value);
  if (word === undefined) throw badRequest(`The field '${field}' must be one of ${words.join(', ')}.`);
  return word;
}

/** `inputParameters`: a string that contains a JSON object (interface.md §1, convention 5). */
export function optionalInputs(body: Fields): string | undefined {
  const text = optionalText(body, 'inputParameters');
  if (text === undefined || holdsObject(text)) return text;
  throw badRequest("The field 'inputParameters' must be a string that contains a JSON object.");
}

function holdsObject(text: string): boolean {
  try {
    return isFields(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Finds the route of a request. */

export interface Found {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** All routes of one path. */
interface Path {
  readonly pattern: RegExp;
  readonly methods: ReadonlyMap<string, Route>;
}

/** The first matching path decides: if it lacks the method, no later path is tried. Throws a Refusal. */
export function router(routes: readonly Route[]): (method: string, path: string) => Found {
  const paths = [...new Set(routes.map((route) => route.path))].map((path) => pathOf(path, routes));
  return (method, path) => {
    for (const { pattern, methods } of paths) {
      const match = pattern.exec(path);
      if (match === null) continue;
      const route = methods.get(method === 'HEAD' ? 'GET' : method);
      if (route === undefined) throw notAllowed(method, methods);
      return { route, params: decodedParams(match.groups) };
    }
    throw notFound('The requested path');
  };
}

function pathOf(path: string, routes: readonly Route[]): Path {
  const pattern = new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
  const own = routes.filter((route) => route.path === path);
  return { pattern, methods: new Map(own.map((route) => [route.method, route])) };
}

function notAllowed(method: string, methods: Path['methods']): Refusal {
  const headers = { Allow: [...methods.keys()].join(', ') };
  return new Refusal(405, `The method ${method} is not allowed here.`, undefined, headers);
}

function decodedParams(groups: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decoded(value)]));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
