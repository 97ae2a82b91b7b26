import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Sandbox } from '../../../../src/sandbox/index.js';
import { startSandbox } from '../../../support/sandbox.js';

export interface Webhook {
  readonly id: string;
  readonly groupId: string;
  name: string;
  url: string;
}

export interface WebhookService {
  readonly url: string;
  readonly apiKey: string;
  readonly webhooks: Map<string, Webhook>;
  /** Requests for webhooks, as `METHOD /path`. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** The sandbox with routes for webhooks, over real HTTP. */
export async function startWebhookService(): Promise<WebhookService> {
  const sandbox = await startSandbox();
  const webhooks = new Map<string, Webhook>();
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    if (!/^\/api\/(groups\/[^/]+\/)?webhooks/.test(path)) return forward(sandbox, request, response);
    requests.push(`${request.method} ${path}`);
    const body = JSON.parse((await textOf(request)) || '{}');
    const data = answer(webhooks, request.method ?? '', path.split('/').slice(2), body);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: true, data }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: sandbox.apiKey,
    webhooks,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await sandbox.close();
    },
  };
}

function answer(
  webhooks: Map<string, Webhook>,
  method: string,
  [, id = '']: readonly string[],
  { name, url }: { name: string; url: string },
): unknown {
  switch (method) {
    case 'GET':
      return [...webhooks.values()];
    case 'POST': {
      const webhook = { id: `hook-${webhooks.size + 1}`, groupId: id, name, url };
      webhooks.set(webhook.id, webhook);
      return webhook;
    }
    case 'PUT':
      return Object.assign(webhooks.get(id) ?? {}, { name, url });
    default:
      return webhooks.delete(id);
  }
}

async function forward(sandbox: Sandbox, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
  const body = await textOf(request);
  const reply = await fetch(`${sandbox.url}${request.url}`, {
    method: request.method ?? 'GET',
    headers: headers as Record<string, string>,
    ...(body === '' ? {} : { body }),
  });
  response.writeHead(reply.status, { 'content-type': 'application/json' });
  response.end(await reply.text());
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
