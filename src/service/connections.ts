import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { type ConnectionSettings, type HttpProxy, ProxyFailure } from './proxy.js';

type Connect = NonNullable<Pool.Options['connect']>;

/**
 * The connections to the service: at most as many as the settings say, one request at a time on each. With a gate, a single
 * one.
 */
export function openPool(settings: ConnectionSettings, gate: SocketGate | null): Dispatcher {
  const { origin, proxy = null } = settings;
  const connections = gate === null ? settings.connections : 1;
  const timeout = Math.min(settings.timeoutMs, 10_000);
  const limits = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };
  const poolWith = (connect: Connect) => new Pool(origin, { ...limits, connect: gated(connect, gate) });
  if (proxy === null) return poolWith({ timeout, ...(isLocalhost(origin) ? { lookup: loopback } : {}) });
  return new ProxyAgent({
    uri: proxy.origin,
    ...(proxy.authorization === null ? {} : { token: proxy.authorization }),
    requestTls: { timeout },
    clientFactory: () => new Tunnels(proxy, timeout),
    factory: (_origin, { connect = {} }: Pool.Options) => poolWith(connect),
  });
}

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

function gated(connect: Connect, gate: SocketGate | null): Connect {
  if (gate === null) return connect;
  const connector = typeof connect === 'function' ? connect : buildConnector(connect);
  return (options, callback) =>
    connector(options, (...result) => {
      if (result[1] !== null) gate.watch(result[1]);
      callback(...result);
    });
}

/**
 * Holds a response back at its socket. undici's own pause must not be used for that: if the connection ends while
 * its parser is paused, an assertion ends the process (nodejs/undici#5360). For one connection at a time.
 */
export class SocketGate {
  #socket: Socket | null = null;
  #isShut = false;
  /** Why the connection broke. It need not end the request: undici does so afterwards. */
  error: Error | null = null;

  /** Before undici has the socket, so that its listeners come second. */
  watch(socket: Socket): void {
    const read = socket.read.bind(socket);
    socket.read = (size) => (this.#isShut ? null : read(size));
    socket.on('error', (error) => {
      this.error = error;
    });
    this.#socket = socket;
  }

  shut(): void {
    this.#isShut = true;
  }

  open(): void {
    if (!this.#isShut) return;
    this.#isShut = false;
    // undici reads when it hears of bytes, which it may have done while nothing could be read.
    this.#socket?.emit('readable');
  }
}

/**
 * Connections to the proxy, each of which becomes one to the service. Every failure is a `ProxyFailure`: by its own
 * errors, `ProxyAgent` does not tell the proxy from the service.
 */
class Tunnels extends Pool {
  readonly #proxy: HttpProxy;
  readonly #timeoutMs: number;

  constructor(proxy: HttpProxy, timeoutMs: number) {
    const connector = buildConnector({ timeout: timeoutMs });
    super(proxy.origin, {
      // A certificate may be for an address, but TLS has no such server names.
      connect: ({ servername, ...options }, callback) =>
        connector({ ...options, ...(isAddress(servername) ? {} : { servername }) }, callback),
    });
    this.#proxy = proxy;
    this.#timeoutMs = timeoutMs;
  }

  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const fail = (reason: number | Error) => new ProxyFailure(this.#proxy, options.path, reason);
    try {
      const connected = await super.connect({ ...options, signal });
      const { socket } = connected;
      const status = await finalStatus(connected, signal);
      // ProxyAgent expects 200, but any 2xx will do (RFC 9110 §9.3.6).
      if (status >= 200 && status < 300) return { ...connected, statusCode: 200 };
      socket.on('error', () => {}).destroy();
      throw fail(status);
    } catch (error) {
      if (error instanceof ProxyFailure || !(error instanceof Error)) throw error;
      throw fail(signal.aborted ? tooLate(this.#timeoutMs) : error);
    }
  }
}

/** undici gives null for a proxy without TLS, against its types. */
function isAddress(name: string | null | undefined): boolean {
  return isIP((name ?? '').replace(/^\[|\]$/g, '')) !== 0;
}

/** Bytes of the heads of a response. */
const LONGEST = 65_536;

/** undici takes an interim response to CONNECT, such as `103 Early Hints`, for the final one. The next are read here. */
async function finalStatus(
  { statusCode, socket }: Dispatcher.ConnectData,
  signal: AbortSignal,
): Promise<number> {
  if (statusCode >= 200) return statusCode;
  const stop = () => void socket.destroy();
  signal.addEventListener('abort', stop);
  try {
    return await readStatus(socket);
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The status of the first response that is not an interim one. */
async function readStatus(socket: Duplex): Promise<number> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += Buffer.from(chunk).toString('latin1');
    const heads = text.split('\r\n\r\n').slice(0, -1);
    const statuses = heads.map((head) => Number(/^HTTP\/1\.\d (\d{3})/.exec(head)?.[1]));
    const final = statuses.find((status) => !(status < 200));
    if (Number.isNaN(final)) throw new Error('its response is not HTTP/1.1');
    if (final !== undefined) return final;
    if (text.length > LONGEST) throw new Error('its response is too long');
  }
  throw Object.assign(new Error('closed'), { code: 'ECONNRESET' });
}

function tooLate(ms: number): Error {
  return Object.assign(new Error(`no response within ${ms / 1000} s`), { code: 'ETIMEDOUT' });
}
