import type { LookupFunction, Socket } from 'node:net';
import type { buildConnector, Dispatcher, Pool } from 'undici';
import type { ConnectionSettings } from './connection-settings.js';
import type { HttpProxy } from './proxy.js';

/** The connections to the service. */
export type Connections = Pick<Pool, 'dispatch' | 'destroy'>;
/** Aborts a request that has a connection. */
export type RequestControl = Dispatcher.DispatchController;

/** A resolver may answer anything: a key that may go to this machine over http must stay there. */
const loopback: LookupFunction = (_host, { all }, found) => {
  if (all !== true) return found(null, '127.0.0.1', 4);
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  found(null, addresses);
};

function isLocalhost(origin: string): boolean {
  return new URL(origin).hostname === 'localhost';
}

/** `onSocket` gets each new connection before it is used. Only the pool: the package's entry also loads fetch, WebSocket and caches, and takes twice as long to start. */
export async function openPool(
  settings: ConnectionSettings,
  onSocket?: (socket: Socket) => void,
): Promise<Connections> {
  const { origin, connections, maxBytes, proxy = null } = settings;
  const { default: UndiciPool } = await import('undici/lib/dispatcher/pool.js');
  const timeout = Math.min(settings.timeoutMs, 10_000);
  const direct = { timeout, ...(isLocalhost(origin) ? { lookup: loopback } : {}) };
  const through = proxy === null ? null : await connectorThrough(proxy, new URL(origin), timeout);
  return new UndiciPool(origin, {
    connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: onSocket === undefined ? (through ?? direct) : await watched(through ?? direct, onSocket),
    maxResponseSize: maxBytes,
  });
}

async function watched(
  connect: buildConnector.connector | buildConnector.BuildOptions,
  onSocket: (socket: Socket) => void,
): Promise<buildConnector.connector> {
  const { default: connectorOf } = await import('undici/lib/core/connect.js');
  const connector = typeof connect === 'function' ? connect : connectorOf(connect);
  return (options, callback) =>
    connector(options, (...result) => {
      if (result[1] !== null) onSocket(result[1]);
      callback(...result);
    });
}

/**
 * undici's own `ProxyAgent` needs the whole package, and its errors do not say whether the proxy or the service has failed.
 */
async function connectorThrough(
  proxy: HttpProxy,
  { hostname, port }: URL,
  timeout: number,
): Promise<buildConnector.connector> {
  const [{ default: connectorOf }, { openTunnel }] = await Promise.all([
    import('undici/lib/core/connect.js'),
    import('./tunnel.js'),
  ]);
  const secure = connectorOf({ timeout });
  const target = `${hostname}:${port === '' ? '443' : port}`;
  return (options, callback) => {
    openTunnel(proxy, target, timeout).then(
      (httpSocket) => secure({ ...options, httpSocket }, callback),
      (failure) => callback(failure, null),
    );
  };
}
