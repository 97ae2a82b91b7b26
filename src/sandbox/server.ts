import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Core } from './api.js';
import { buildApp } from './app.js';
import { type FaultPlan, faultMiddleware, noFaults } from './faults.js';
import { History } from './history.js';
import { addKey, hashOf, isActiveKey, newKeyText } from './keyring.js';
import type { RecordedRequest } from './middleware.js';
import { loadWorld, saver } from './persistence.js';
import { defaultSeed, type Seed } from './seed.js';
import { worldFromSeed } from './seed-world.js';
import type { Variant } from './variants.js';
import type { World } from './world.js';

export interface SandboxOptions {
  /** 0, the default, is any free port. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** The initial world. Default: `defaultSeed()`. Not used when the data file exists. */
  seed?: Seed;
  /** How it behaves where interface.md is silent. */
  variants?: readonly Variant[];
  /** Default: real time. */
  clock?: () => Date;
  /** Where the state is kept between runs: read at the start, written after every change. */
  dataFile?: string;
  /** What goes wrong from the beginning. Default: nothing. */
  faults?: Partial<FaultPlan>;
}

export interface Sandbox {
  /** http://127.0.0.1:PORT */
  readonly url: string;
  /** A key of the caller that was active at the start; with full access unless the data file's newest is scoped. */
  readonly apiKey: string;
  /** The live state: read and change it at will. Map keys are ids in lower case. */
  readonly world: World;
  /** Every request, in the order of arrival. */
  readonly requests: RecordedRequest[];
  /** What goes wrong: change it at will. Counting of a fault begins when it is put in. */
  readonly faults: FaultPlan;
  close(): Promise<void>;
}

/** Starts a service of its own: several may run in one process. Rejects when the port is taken. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host = '127.0.0.1', dataFile, clock = () => new Date() } = options;
  const variants = new Set(options.variants);
  const world = await firstWorld(options, clock(), variants);
  const core: Core = { world, variants, clock };
  const saved = dataFile === undefined ? async () => {} : saver(dataFile, world);
  const requests: RecordedRequest[] = [];
  const faults: FaultPlan = { ...noFaults(), ...options.faults };
  const history = new History(world);
  const app = buildApp(core, {
    requests,
    saved: async () => {
      if (faults.lagMs > 0) history.note(Date.now());
      await saved();
    },
    around: faultMiddleware(faults, () => new Response(null, RESPONSE_ALREADY_SENT)),
    before: () => {
      if (faults.lagMs > 0) history.begin();
    },
    listed: () => (faults.lagMs === 0 ? world : history.at(Date.now() - faults.lagMs)),
  });
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  await saved(); // before anyone can call: an unwritable data file must fail here
  const url = await listen(server, port, host);
  return { url, apiKey: world.apiKey, world, requests, faults, close: () => close(server, saved) };
}

async function firstWorld(
  { dataFile, seed }: SandboxOptions,
  now: Date,
  variants: ReadonlySet<Variant>,
): Promise<World> {
  const kept = dataFile === undefined ? undefined : await loadWorld(dataFile);
  if (!kept) return worldFromSeed(seed ?? defaultSeed(), now, variants.has('numeric-schedule-ids'));
  const hash = hashOf(kept.apiKey);
  if (![...kept.keys.values()].some((key) => key.hash === hash && isActiveKey(key, now))) {
    // Its key was revoked without a successor: in the real service the dashboard would give a new one.
    kept.apiKey = newKeyText();
    addKey(kept, kept.apiKey, now, { name: 'sandbox', scopes: [] });
  }
  return kept;
}

function listen(server: ServerType, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(
        taken
          ? new Error(`port ${port} on ${host} is taken: choose another, or 0 for any`, { cause: error })
          : error,
      );
    });
    server.listen(port, host, () => resolve(urlOf(server.address(), host)));
  });
}

function urlOf(address: AddressInfo | string | null, host: string): string {
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

/** Ends open connections too, or a client that keeps one alive would hold the process. */
async function close(server: ServerType, saved: () => Promise<void>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  if ('closeAllConnections' in server) server.closeAllConnections();
  await closed;
  await saved();
}
