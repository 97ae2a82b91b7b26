import { isJsonObject, type JsonObject, MAX_JSON_DEPTH, readJson, TooDeep } from '../model/json.js';
import { type Effect, Unexpected } from '../model/request.js';
import { unexpected } from '../model/shape.js';
import { explain, oneLine, ServiceFailure, type ServiceWords } from './failure.js';
import { firstHeader, type Reply } from './http.js';

/** The content of a valid answer (interface §1.3). */
export interface Envelope {
  /** Null when the answer to an action has no data. */
  readonly data: unknown;
  /** The properties next to `data`: some services put the totals of a bare list there. */
  readonly rest: JsonObject;
  /** The header `Link` refers to a next page. */
  readonly hasNextLink?: boolean;
}

/** Other 2xx announce a part of the answer (206), several answers (207) or one that was changed (203). */
const successes: Readonly<Record<'read' | 'write', ReadonlySet<number>>> = {
  read: new Set([200]),
  write: new Set([200, 201, 202, 204]),
};

export function isSuccess(effect: Effect, status: number): boolean {
  return successes[effect === 'read' ? 'read' : 'write'].has(status);
}

/** Reads the body of a success. Throws `Unexpected`, and ServiceFailure where it says `success: false`. */
export function readAnswer(subject: string, effect: Effect, reply: Reply, words: ServiceWords): Envelope {
  const range = firstHeader(reply, 'content-range');
  if (range !== null)
    throw new Unexpected(`expected a complete response, got the range ${JSON.stringify(range.slice(0, 40))}`);
  if (reply.body.length === 0 && effect !== 'read') return { data: null, rest: {} };
  const body = readBody(reply, words);
  if (!isJsonObject(body)) throw unexpected('an object with data', body);
  const { success, message: _, data, ...rest } = body;
  if (success === false) throw failedInside(subject, reply.status, body, words);
  if (success !== undefined && success !== true) throw unexpected('success to be true or false', success);
  if (data !== undefined) return { data, rest, hasNextLink: hasNextLink(reply) };
  // A new key "in the response field `key`" may be next to the message (interface §2), and would otherwise be lost.
  const isAnswer = success === true || (effect === 'create' && ('id' in rest || 'key' in rest));
  if (effect === 'read' || !isAnswer) throw new Unexpected(`expected data, got ${propertiesOf(body, words)}`);
  return { data: Object.keys(rest).length === 0 ? null : rest, rest };
}

/** RFC 8288: `<…>; rel="next"`. There may be several links in a header, and several headers. */
function hasNextLink({ headers }: Reply): boolean {
  const links = [headers['link'] ?? []].flat();
  return links.some((each) => /;\s*rel\s*=\s*("[^"]*\bnext\b|next\b)/i.test(each));
}

function readBody(reply: Reply, words: ServiceWords): unknown {
  const encoding = firstHeader(reply, 'content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity')
    throw new Unexpected(`expected an uncompressed answer, got ${JSON.stringify(encoding.slice(0, 40))}`);
  const text = decoded(reply.body);
  try {
    return readJson(text);
  } catch (failure) {
    if (failure instanceof TooDeep)
      throw new Unexpected(`expected JSON of at most ${MAX_JSON_DEPTH} levels, got more`);
    const header = firstHeader(reply, 'content-type');
    const type = header === null ? 'no content type' : oneLine(words.text(header)).slice(0, 80);
    const help = 'Check the URL: a sign-in page or a proxy may respond instead of the service.';
    const shown = JSON.stringify(words.text(text).slice(0, 80));
    throw new Unexpected(`expected JSON, got ${type}: ${shown}`, help);
  }
}

function decoded(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new Unexpected('expected UTF-8 text, got other bytes');
  }
}

/** Only the names: the values may be private. */
function propertiesOf(body: JsonObject, words: ServiceWords): string {
  const names = Object.keys(body).slice(0, 8);
  return names.length === 0
    ? 'an empty object'
    : `an object with ${words.text(names.join(', ')).slice(0, 80)}`;
}

function failedInside(
  subject: string,
  status: number,
  body: JsonObject,
  words: ServiceWords,
): ServiceFailure {
  const { message, errorCode } = explain(body, words);
  return new ServiceFailure({
    code: 'service-error',
    message: `${subject} returned ${status} with success: false${message === '' ? '' : `: ${message}`}`,
    status,
    errorCode,
  });
}

/** Properties with texts for people (interface §2 and §3): the service may repeat in them what it was sent. */
const messageNames: ReadonlySet<string> = new Set([
  'errorMessage',
  'statusMessage',
  'message',
  'error',
  'reason',
]);

/** Masks the messages anywhere in an answer, in place. */
export function maskMessages(answer: unknown, mask: (text: string) => string): void {
  const open = [answer];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const record = value as Record<string, unknown>;
    for (const name of Object.keys(record)) {
      const inside = record[name];
      if (typeof inside === 'object') open.push(inside);
      else if (typeof inside === 'string' && messageNames.has(name)) record[name] = mask(inside);
    }
  }
}
