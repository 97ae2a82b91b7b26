import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Behaviour } from './api.js';
import { buildApp } from './app.js';
import { isLoopback } from './authentication.js';
import { type SandboxClock, sandboxClock } from './clock.js';
import { DataFile, DataFileError, loadWorld, sweepTemporaryFiles } from './data-file.js';
import { lockDataFile } from './data-lock.js';
import { Engine } from './engine/engine.js';
import { applyFaults, type FaultPlan, noFaults } from './faults.js';
import type { RecordedRequest } from './http.js';
import { addKey, DEFAULT_KEY, hashOf, isActiveKey, newKeyText } from './keys.js';
import { Limits } from './limits.js';
import { ListLag } from './list-lag.js';
import { seedHash, worldFromSeed } from './seed/build-world.js';
import { defaultSeed, type Seed } from './seed/seed.js';
import type { World } from './world.js';

export interface SandboxOptions {
  /** 0, the default, is any free port. */
  port?: number;
  /**
   * Default 127.0.0.1, where only requests for this machine are answered. With any other, the default key is a random one.
   */
  host?: string | undefined;
  /** The initial world. Default: `defaultSeed()`. Ignored if the data file exists. */
  seed?: Seed | undefined;
  /** What happens if the data file exists, and was not made from the seed. Default `ignore`. */
  otherSeed?: 'ignore' | 'refuse';
  /** For tests: replies other than the sandbox's own, where interface.md leaves them open. */
  behaviour?: Behaviour;
  /** Where real time comes from, for tests. */
  clock?: () => Date;
  /** The time at the start. Default: the real time. */
  now?: Date | undefined;
  /** Seconds of the sandbox in a second of real time. Default 1; 0 stops the clock. */
  speed?: number | undefined;
  /** The file that keeps the state between runs: read at the start, written after every change. */
  dataFile?: string | undefined;
  /** Default: none. */
  faults?: Partial<FaultPlan> | undefined;
  /** How many requests are recorded. Default 100,000. */
  keepRequests?: number;
  /** Called when a request has been answered. */
  onRequest?: ((request: RecordedRequest) => void) | undefined;
}

export interface Sandbox {
  /** http://127.0.0.1:PORT, also if it listens on all addresses. */
  readonly url: string;
  /** A key of the caller that is active at the start. It has full access, unless it comes from a data file. */
  readonly apiKey: string;
  /**
   * The live state. Map keys are ids in lower case. May be changed directly; a data file gets such a change when the sandbox is
   * closed.
   */
  readonly world: World;
  /** All requests in the order of their arrival. */
  readonly requests: RecordedRequest[];
  /** May be changed at any time. A fault counts requests from when it is added. */
  readonly faults: FaultPlan;
  now(): Date;
  /** Sets the clock forward, by up to 10 years, and lets everything happen that is due until then. */
  advance(ms: number): void;
  close(): Promise<void>;
}

/** Starts a sandbox. Several can run in one process. Rejects if the port is in use. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host = '127.0.0.1', dataFile } = options;
  const time = clockOf(options);
  const clock = () => time.now();
  const unlock =
    dataFile === undefined ? async () => {} : await usable(dataFile, () => lockDataFile(dataFile));
  const { keepRequests: most = 100_000, onRequest = () => {} } = options;
  const world = await initialWorld(options, clock()).catch(async (error: unknown) => {
    await unlock();
    throw error;
  });
  const engine = new Engine(world, clock().getTime());
  const file = dataFile === undefined ? null : new DataFile(dataFile, world);
  const requests: RecordedRequest[] = [];
  const faults: FaultPlan = { ...noFaults(), ...options.faults };
  const advance = (ms: number) => {
    time.advance(ms);
    engine.settle(clock().getTime());
    file?.save();
  };
  const app = buildApp(
    { world, clock, engine, limits: new Limits(world.settings, time) },
    {
      control: { now: clock, advance },
      recorder: { requests, most, onRequest },
      host,
      behaviour: options.behaviour ?? ((reply) => reply()),
      faults: applyFaults(faults),
      lag: new ListLag(world, faults),
      save: () => file?.save(),
    },
  );
  // A connection that is closed while a client begins to use it again looks like a lost response.
  const server = createServer({ keepAliveTimeout: 60_000 }, dated(app, clock));
  const start = async () => {
    await usable(dataFile, async () => file?.rewrite()); // before it listens, so that an unwritable file fails here
    return listen(server, port, host);
  };
  const url = await start().catch(async (error: unknown) => {
    await unlock();
    throw error;
  });
  return {
    url,
    apiKey: world.apiKey,
    world,
    requests,
    faults,
    now: clock,
    advance,
    close: () => close(server, () => file?.rewrite()).finally(unlock),
  };
}

/** Each response has the sandbox's own time. */
function dated(app: RequestListener, clock: () => Date): RequestListener {
  return (incoming, outgoing) => {
    outgoing.setHeader('Date', clock().toUTCString());
    app(incoming, outgoing);
  };
}

function clockOf({ now, speed, clock: real }: SandboxOptions): SandboxClock {
  return sandboxClock({
    ...(now === undefined ? {} : { now }),
    ...(speed === undefined ? {} : { speed }),
    ...(real === undefined ? {} : { real }),
  });
}

/** The data file exists, and was not made from the seed. */
export class OtherSeedError extends Error {}

async function initialWorld(options: SandboxOptions, now: Date): Promise<World> {
  const { dataFile, seed, host } = options;
  if (dataFile !== undefined) await sweepTemporaryFiles(dataFile);
  const kept = dataFile === undefined ? undefined : await usable(dataFile, async () => loadWorld(dataFile));
  const isPrivate = host === undefined || isLoopback(host);
  if (!kept) return worldFromSeed(seed ?? defaultSeed(), now, isPrivate ? DEFAULT_KEY : newKeyText());
  if (seed !== undefined && options.otherSeed === 'refuse' && isFromOther(seed, kept))
    throw new OtherSeedError(`${dataFile} exists, and was not made from the seed`);
  if (!isPrivate) revokePublished(kept);
  const hash = hashOf(kept.apiKey);
  if (![...kept.keys.values()].some((key) => key.hash === hash && isActiveKey(key, now))) {
    // Its key was revoked and not replaced. For the real service, a user would create a key in the dashboard.
    kept.apiKey = newKeyText();
    addKey(kept, kept.apiKey, now, { name: 'sandbox', scopes: [] });
  }
  return kept;
}

/** Files of earlier versions do not say what they were made from. */
function isFromOther(seed: Seed, kept: World): boolean {
  return kept.seedHash !== '' && kept.seedHash !== seedHash(seed);
}

/** Others can reach the sandbox: the key that every sandbox has on its own machine no longer opens it. */
function revokePublished({ keys }: World): void {
  const hash = hashOf(DEFAULT_KEY);
  for (const key of keys.values()) if (key.hash === hash) key.isRevoked = true;
}

/** Says which file it is when the system refuses it. */
async function usable<T>(file: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (file === undefined || !(error instanceof Error && 'code' in error)) throw error;
    const help = 'Use a file in a folder that exists and can be written.';
    throw new DataFileError(file, `cannot be used as a data file: ${error.code}`, help);
  }
}

function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = `port ${port} on ${host} is in use: choose another one, or 0 for any free port`;
      reject(error.code === 'EADDRINUSE' ? new Error(inUse, { cause: error }) : error);
    });
    server.listen(port, host, () => resolve(urlOf(server.address(), host)));
  });
}

/** Where to call a server that listens on all addresses: no client needs to accept the wildcard as one. */
const THIS_MACHINE: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

function urlOf(address: AddressInfo | string | null, host: string): string {
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const name = THIS_MACHINE.get(address.address) ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${address.port}`;
}

/** Also closes open connections, because a client that keeps one alive would keep the process running. */
async function close(server: Server, finish: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
  finish();
}
