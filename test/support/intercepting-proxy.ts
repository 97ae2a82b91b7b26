import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface InterceptedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parsed; null without a body. */
  readonly body: unknown;
}

export interface ProxyAnswer {
  readonly status: number;
  /** Parsed. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `pass` sends the request on. The answer is what the client gets; null resets the connection. */
export type Intercept = (
  request: InterceptedRequest,
  pass: () => Promise<ProxyAnswer>,
) => ProxyAnswer | null | undefined | Promise<ProxyAnswer | null | undefined>;

export interface InterceptingProxy {
  readonly url: string;
  /** Every request, as "METHOD path". */
  readonly sent: string[];
  /** Where it returns undefined, the request is passed on. */
  intercept: Intercept;
  close(): Promise<void>;
}

/** A proxy in front of a service that may change each request and each answer. */
export async function startInterceptingProxy(
  target: string,
  intercept: Intercept = () => undefined,
): Promise<InterceptingProxy> {
  const sent: string[] = [];
  const service = { sent, intercept };
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
    const changed = await service.intercept(request, pass);
    const answer = changed === undefined ? await pass() : changed;
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
): Promise<ProxyAnswer> {
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

function respond(outgoing: ServerResponse, { status, body, headers = {} }: ProxyAnswer): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
  outgoing.end(body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body));
}
