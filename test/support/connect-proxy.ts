import { type IncomingHttpHeaders, request } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

export interface ConnectProxy {
  readonly port: number;
  /** The head of each CONNECT request. */
  readonly heads: string[];
  /** All bytes that clients have sent through it. */
  received(): Buffer;
  close(): Promise<void>;
}

export interface ConnectProxyOptions {
  /** Where tunnels lead, whatever the client asks for: the tests have no DNS. */
  readonly to: number;
  /** The status line of its responses, without `HTTP/1.1`. Null closes the connection instead. */
  readonly answer?: string | null;
  /** Makes it a proxy over TLS. */
  readonly tls?: TlsOptions;
}

/** A real HTTP proxy on this machine that knows only CONNECT. */
export async function startConnectProxy(options: ConnectProxyOptions): Promise<ConnectProxy> {
  const { to, answer = '200 Connection established', tls } = options;
  const heads: string[] = [];
  const chunks: Buffer[] = [];
  const accept = (client: Socket) => {
    client.on('error', () => client.destroy());
    client.on('data', (chunk: Buffer) => chunks.push(chunk));
    client.once('data', (head: Buffer) => {
      heads.push(head.toString('latin1'));
      if (answer === null) return void client.destroy();
      client.write(`HTTP/1.1 ${answer}\r\n\r\n`);
      if (/^(1\d\d .*\s)?200/s.test(answer)) tunnel(client, to);
      else client.end();
    });
  };
  const server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept);
  const port = await listening(server);
  return { port, heads, received: () => Buffer.concat(chunks), close: () => closed(server) };
}

export interface TlsFront {
  readonly port: number;
  /** The headers of each request that has arrived. */
  readonly headers: IncomingHttpHeaders[];
  close(): Promise<void>;
}

/** Ends TLS in front of a service that speaks plain HTTP. */
export async function startTlsFront(tls: TlsOptions, service: string): Promise<TlsFront> {
  const headers: IncomingHttpHeaders[] = [];
  const { host } = new URL(service);
  const server = createHttpsServer(tls, (incoming, outgoing) => {
    headers.push(incoming.headers);
    const options = { method: incoming.method, headers: { ...incoming.headers, host } };
    const onward = request(`${service}${incoming.url}`, options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  const port = await listening(server);
  return { port, headers, close: () => closed(server) };
}

function tunnel(client: Socket, to: number): void {
  const onward = dial(to, '127.0.0.1');
  for (const [one, other] of [[client, onward] as const, [onward, client] as const])
    one.on('error', () => void other.destroy());
  client.pipe(onward).pipe(client);
}

const sockets = new WeakMap<Server, Set<Socket>>();

async function listening(server: Server): Promise<number> {
  const open = new Set<Socket>();
  sockets.set(server, open);
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

function closed(server: Server): Promise<void> {
  for (const socket of sockets.get(server) ?? []) socket.destroy();
  return new Promise((done) => server.close(() => done()));
}
