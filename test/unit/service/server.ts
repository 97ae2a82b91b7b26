import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Client, type ClientSettings, createClient } from '../../../src/service/client.js';

export const apiKey = 'svc_live_0123456789abcdefSECRET';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: Seen[];
  client(settings?: Partial<ClientSettings>): Client;
}

export type Handler = (seen: Seen, response: ServerResponse, index: number, socket: Socket) => void;

/** A real server on a free loopback port: nothing between the client and its answers is simulated. */
export async function serve(handler: Handler): Promise<TestServer> {
  const seen: Seen[] = [];
  const clients: Client[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
    seen.push(one);
    handler(one, response, seen.length, request.socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    seen,
    client(settings = {}) {
      const client = createClient({ ...defaults, baseUrl: url, ...settings });
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const defaults = {
  apiKey,
  concurrency: 4,
  // Only against answers that never come: on a busy machine everything is slow.
  timeoutMs: 60_000,
  userAgent: 'roster/test',
  random: () => 0,
  sleep: async () => {},
} satisfies Partial<ClientSettings>;

export function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function ok(response: ServerResponse, data: unknown): void {
  json(response, 200, { success: true, data });
}
