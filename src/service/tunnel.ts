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
    const timer = setTimeout(() => asked.destroy(tooLate(timeoutMs)), timeoutMs);
    const fail = (reason: number | Error) => {
      clearTimeout(timer);
      reject(new ProxyFailure(proxy, target, reason));
    };
    asked.on('error', fail);
    asked.on('connect', ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode >= 200 && statusCode < 300) {
        clearTimeout(timer);
        return resolve(socket);
      }
      socket.on('error', () => {}).destroy();
      fail(statusCode);
    });
    asked.end();
  });
}

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
