// Which proxy the environment names. undici's `EnvHttpProxyAgent` lacks two guarantees: that a loopback address is
// always reached directly, and that NO_PROXY may hold address ranges (test/unit/service/proxy.test.ts).
import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { isLoopback } from '../model/connection.js';
import { problem } from '../model/diagnostic.js';

/** The HTTP proxy on the way to the service. */
export interface HttpProxy {
  /** Without user name and password, so that it can be shown. */
  readonly origin: string;
  /** The header `Proxy-Authorization`; null when the URL of the proxy contains no credentials. */
  readonly authorization: string | null;
  /** The variable that names it. */
  readonly from: string;
}

export interface ConnectionSettings {
  readonly origin: string;
  readonly connections: number;
  /** For one whole attempt, from connecting to the last byte of the body; while a stream arrives, without a byte. */
  readonly timeoutMs: number;
  /** Null to connect directly. */
  readonly proxy?: HttpProxy | null | undefined;
}

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
 * The proxy for an https service; null for none. `HTTP_PROXY` is not read, because the only services over http are on
 * loopback addresses, which are always reached directly. Throws Problem `proxy-error` for a value that is not the URL of
 * an HTTP proxy.
 */
export function proxyFor(service: URL, env: Readonly<Record<string, string | undefined>>): HttpProxy | null {
  if (service.protocol !== 'https:' || isLoopback(service.hostname)) return null;
  const [from, text] = firstSet(env, 'https_proxy', 'HTTPS_PROXY');
  if (text === '' || isExempt(service, firstSet(env, 'no_proxy', 'NO_PROXY')[1])) return null;
  return parseProxy(from, text);
}

/** As in curl, the name in lower case comes first, even if it is empty. */
function firstSet(env: Parameters<typeof proxyFor>[1], ...names: [string, string]): [string, string] {
  const name = names.find((each) => env[each] !== undefined) ?? names[1];
  return [name, env[name]?.trim() ?? ''];
}

/** The value can contain a password, so it is never shown. */
function parseProxy(from: string, text: string): HttpProxy {
  const withScheme = text.includes('://') ? text : `http://${text}`;
  const url = isTorn(withScheme) || !URL.canParse(withScheme) ? null : new URL(withScheme);
  const credentials = url === null ? null : credentialsOf(url);
  if (url === null || credentials === null || !/^https?:$/.test(url.protocol)) {
    const help =
      'For example: `http://proxy.example.com:3128`. Percent-encode special characters in a password.';
    throw problem('proxy-error', `\`${from}\` is not the URL of an HTTP proxy`, help);
  }
  const authorization = credentials === ':' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { origin: url.origin, authorization, from };
}

/** Whether the credentials have a character that must be percent-encoded. Some end the host, or the password, for a parser: the rest of it would be shown as a host. */
function isTorn(url: string): boolean {
  const credentials = url.slice(url.indexOf('://') + 3, Math.max(0, url.lastIndexOf('@')));
  return /[^!-~]|[@/\\?#]/.test(credentials);
}

/** `user:password`; null when a percent sign encodes nothing. */
function credentialsOf({ username, password }: URL): string | null {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return null;
  }
}

function isExempt(service: URL, list: string): boolean {
  const host = spelled(service.hostname);
  const port = service.port === '' ? '443' : service.port;
  const entries = list.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => entry !== '' && matches(entry, host, port));
}

/** `example.com` and `.example.com` include all names below; `*` is every host; ports and address ranges narrow an entry. */
function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, before = '', entryPort] = (isIP(entry) === 0 && /^(.+):(\d+)$/.exec(entry)) || ['', entry];
  if (entryPort !== undefined && entryPort !== port) return false;
  const name = spelled(before.replace(/^\*?\./, ''));
  if (name === '') return false;
  if (isIP(host) !== 0) return host === name || isInRange(host, name);
  return host === name || host.endsWith(`.${name}`);
}

function isInRange(address: string, range: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const version = isIP(network);
  if (!/^\d+$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128)) return false;
  if (version === 0 || version !== isIP(address)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}

/** As in a URL: other characters than ASCII encoded, addresses in their shortest form. A final dot has no meaning. */
function spelled(name: string): string {
  const bare = name.replace(/^\[(.*)\]/, '$1').replace(/\.$/, '');
  if (isIP(bare) === 6) return new URL(`http://[${bare}]`).hostname.slice(1, -1);
  return /^[ -~]*$/.test(bare) ? bare : domainToASCII(bare);
}
