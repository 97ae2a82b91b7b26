import type { RequestOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { HttpProxy } from './proxy.js';

/** The proxy made no connection to the service, so nothing of the request was sent. */
export class ProxyFailure extends Error {
  override readonly name = 'ProxyFailure';

  /**
   * @param target what the proxy was asked for: `host:port`
   * @param reason the status of the proxy's response, or why there was none
   */
  constructor(
    readonly proxy: HttpProxy,
    readonly target: string,
    readonly reason: number | Error,
  ) {
    super(`no connection to ${target} through ${proxy.origin}`);
  }
}

/**
 * Asks the proxy for a connection to the service (RFC 9110 §9.3.6). The caller speaks TLS over it: the proxy sees the
 * host and the port of the service, and nothing else. Throws `ProxyFailure`.
 */
export async function openTunnel(proxy: HttpProxy, target: string, timeoutMs: number): Promise<Socket> {
  const { request } = await (proxy.origin.startsWith('https:') ? import('node:https') : import('node:http'));
  return new Promise((resolve, reject) => {
    const asked = request(proxy.origin, requestFor(proxy, target));
    const fail = (reason: number | Error) => {
      clearTimeout(timer);
      asked.destroy();
      asked.socket?.on('error', () => {}).destroy();
      reject(new ProxyFailure(proxy, target, reason));
    };
    const timer = setTimeout(() => fail(tooLate(timeoutMs)), timeoutMs);
    const answered = (status: number, socket: Socket, rest: Buffer) => {
      if (status >= 100 && status < 200) return readFinalStatus(socket, rest, answered, fail);
      if (status < 200 || status >= 300) return fail(status);
      clearTimeout(timer);
      resolve(socket);
    };
    asked.on('error', fail);
    asked.on('connect', ({ statusCode = 0 }, socket: Socket, rest) => answered(statusCode, socket, rest));
    asked.end();
  });
}

/** Node takes an interim response, such as `103 Early Hints`, for the response to a CONNECT. The next ones are read here. */
function readFinalStatus(
  socket: Socket,
  start: Buffer,
  done: (status: number, socket: Socket, rest: Buffer) => void,
  fail: (reason: Error) => void,
): void {
  let text = start.toString('latin1');
  const read = () => {
    text = text.replace(/^(HTTP\/1\.\d 1\d\d.*?\r\n\r\n)+/s, '');
    const status = /^HTTP\/1\.\d ([2-5]\d\d).*?\r\n\r\n/s.exec(text)?.[1];
    if (text.length > LONGEST) return fail(new Error('its response is too long'));
    if (status === undefined) return;
    socket.off('data', more).off('error', fail).off('close', closed).pause();
    done(Number(status), socket, Buffer.alloc(0));
  };
  const more = (chunk: Buffer) => {
    text += chunk.toString('latin1');
    read();
  };
  const closed = () => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
  socket.on('data', more).on('error', fail).on('close', closed);
  read();
}

/** Characters of the heads of a response. */
const LONGEST = 65_536;

function requestFor({ origin, authorization }: HttpProxy, target: string): RequestOptions {
  const { hostname } = new URL(origin);
  return {
    method: 'CONNECT',
    path: target,
    headers: {
      host: target,
      ...(authorization === null ? {} : { 'proxy-authorization': authorization }),
    },
    // Otherwise Node would expect the name in the header `Host` in the certificate of the proxy.
    servername: isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : '',
    agent: false,
  };
}

function tooLate(ms: number): Error {
  return Object.assign(new Error(`no response within ${ms / 1000} s`), { code: 'ETIMEDOUT' });
}
