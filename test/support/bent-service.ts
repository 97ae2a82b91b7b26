import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BentRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parsed; null without a body. */
  readonly body: unknown;
}

export interface BentAnswer {
  readonly status: number;
  /** Parsed. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `pass` sends the request on. The answer is what the client gets; null resets the connection. */
export type Bend = (
  request: BentRequest,
  pass: () => Promise<BentAnswer>,
) => BentAnswer | null | undefined | Promise<BentAnswer | null | undefined>;

export interface BentService {
  readonly url: string;
  /** Every request, as "METHOD path". */
  readonly sent: string[];
  /** Undefined as the answer of a bend: the request is passed on. */
  bend: Bend;
  close(): Promise<void>;
}

/** A proxy in front of a service that may change each request and each answer. */
export async function startBent(target: string, bend: Bend = () => undefined): Promise<BentService> {
  const sent: string[] = [];
  const service = { sent, bend };
  const server = createServer(async (incoming, outgoing) => {
    const body = await textOf(incoming);
    const url = new URL(incoming.url ?? '/', target);
    const method = incoming.method ?? 'GET';
    sent.push(`${method} ${url.pathname}`);
    const request = {
      method,
      path: url.pathname,
      query: url.searchParams,
      body: body === '' ? null : JSON.parse(body),
    };
    const pass = () => onward(url, { method, body, headers: incoming.headers });
    const bent = await service.bend(request, pass);
    const answer = bent === undefined ? await pass() : bent;
    if (answer === null) incoming.socket.resetAndDestroy();
    else respond(outgoing, answer);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return Object.assign(service, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  });
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function onward(
  url: URL,
  { method, body, headers: sent }: { method: string; body: string; headers: IncomingMessage['headers'] },
): Promise<BentAnswer> {
  const answer = await fetch(url, {
    method,
    headers: { 'x-api-key': String(sent['x-api-key'] ?? ''), 'content-type': 'application/json' },
    ...(body === '' ? {} : { body }),
  });
  const text = await answer.text();
  // What time it is by the clock of the service.
  const headers = { date: answer.headers.get('date') ?? '' };
  return { status: answer.status, body: text === '' ? null : JSON.parse(text), headers };
}

function respond(outgoing: ServerResponse, { status, body, headers = {} }: BentAnswer): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
  outgoing.end(body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body));
}
