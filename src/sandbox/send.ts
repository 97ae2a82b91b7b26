import type { ServerResponse } from 'node:http';
import { pipeline, Readable, type Writable } from 'node:stream';
import type { FileAnswer, Reply } from './api.js';

/** Replies as HTTP. */

export function send(outgoing: ServerResponse, reply: Reply): void {
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
  return body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body);
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
