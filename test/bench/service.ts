import { spawn } from 'node:child_process';
import { createServer, Agent as HttpAgent, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A sandbox in a process of its own. */
export interface Service {
  readonly env: { readonly ROSTER_URL: string; readonly ROSTER_API_KEY: string };
  /** Milliseconds from the start of the process until it answers. */
  readonly startedIn: number;
  close(): Promise<void>;
}

/** Starts `roster sandbox` of a build. Its clock stands still, so that no schedule starts anything. */
export async function startService(program: string, seedFile: string): Promise<Service> {
  const begin = performance.now();
  const words = ['sandbox', '--port', '0', '--speed', '0', '--format', 'json', '--seed', seedFile];
  const child = spawn(process.execPath, [program, ...words], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = () => void child.kill();
  // Also when the bench fails.
  process.once('exit', stop);
  const gone = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const { url, apiKey } = await new Promise<{ url: string; apiKey: string }>((resolve, reject) => {
    let [text, problem] = ['', ''];
    child.stdout.on('data', (more: Buffer) => {
      text += more.toString();
      if (text.endsWith('\n}\n')) resolve(JSON.parse(text));
    });
    child.stderr.on('data', (more: Buffer) => {
      problem += more.toString();
    });
    child.on('close', (status) => reject(new Error(`the sandbox ended with ${status}: ${problem}`)));
  });
  return {
    env: { ROSTER_URL: url, ROSTER_API_KEY: apiKey },
    startedIn: performance.now() - begin,
    close: async () => {
      process.off('exit', stop);
      stop();
      await gone;
    },
  };
}

/** When a request arrived and when its response was complete, in milliseconds. */
export interface Exchange {
  readonly request: string;
  readonly from: number;
  readonly to: number;
}

/** A way to a service that takes longer. */
export interface Relay {
  readonly env: Service['env'];
  /** Milliseconds for each request. */
  latency: number;
  /** In the order in which they were answered. */
  readonly exchanges: Exchange[];
  close(): Promise<void>;
}

/** Passes every request on to the service. */
export async function startRelay({ env }: Service, latency = 0): Promise<Relay> {
  const agent = new HttpAgent({ keepAlive: true });
  const server = createServer(async (incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const from = performance.now();
    outgoing.on('finish', () =>
      relay.exchanges.push({ request: `${method} ${url}`, from, to: performance.now() }),
    );
    await wait(relay.latency);
    const onward = send(`${env.ROSTER_URL}${url}`, { method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const relay: Relay = {
    env: { ...env, ROSTER_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    latency,
    exchanges: [],
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return relay;
}

/**
 * The slowest chain: the last exchange to end, before it the last of those that had ended when it began, and so on. A
 * client cannot be faster than this unless it waits for fewer responses.
 */
export function slowestChain(exchanges: readonly Exchange[]): readonly Exchange[] {
  const byEnd = exchanges.toSorted((a, b) => b.to - a.to);
  const chain: Exchange[] = [];
  for (const each of byEnd) if (each.to <= (chain[0]?.from ?? Number.POSITIVE_INFINITY)) chain.unshift(each);
  return chain;
}
