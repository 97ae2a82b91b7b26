import { BudgetError } from './byte-budget.js';
import { oneLine } from './explain.js';
import { ServiceFailure } from './failure.js';
import { codeOf, DeadlineError, type NoReply, NotAllowed } from './http.js';
import { type HttpProxy, ProxyFailure } from './proxy.js';
import { fromText, proxyText, type ServicePlace } from './service-place.js';

/** The wrong host is a likely reason: the message says which it was, and where its URL comes from. */
export function noAnswer(
  subject: string,
  { cause, code, sent }: NoReply,
  { base, urlFrom, proxy }: ServicePlace,
): ServiceFailure {
  if (cause instanceof NotAllowed) {
    const message = `${subject} was not sent: ${cause.message}`;
    return new ServiceFailure({ code: 'locked', message, certainty: 'not-sent' });
  }
  if (cause instanceof ProxyFailure) return noTunnel(subject, cause, base);
  const through = proxy == null ? '' : ` through ${proxyText(proxy)}`;
  const help = reasonOf(cause, code)?.help ?? (sent ? unsecured(base, code) : CHECK);
  return new ServiceFailure({
    // The answer is not HTTP. The error's code depends on where the parser stopped.
    code: isParserError(cause) ? 'unexpected-response' : 'service-error',
    message: `${subject} to ${base.host}${fromText(urlFrom)}${through} failed: ${reasonFor(cause)}`,
    ...(help === undefined ? {} : { help }),
    certainty: sent ? 'unknown' : 'not-sent',
    transient: cause instanceof DeadlineError || isTransient(code),
  });
}

/** Other errors, such as a wrong certificate or an answer that is not HTTP, do not go away by themselves. */
const transientCode =
  /^(ECONN(REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_SOCKET|UND_ERR_CONNECT_TIMEOUT|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/;

function isTransient(code: string | null): boolean {
  return code !== null && transientCode.test(code);
}

/** The service has no part in it. */
function noTunnel(subject: string, { proxy, target, reason }: ProxyFailure, base: URL): ServiceFailure {
  const { said, help, transient } =
    typeof reason === 'number' ? refusedTunnel(proxy, target, reason) : unreachable(proxy, reason);
  return new ServiceFailure({
    code: 'proxy-error',
    message: `${subject} was not sent: ${proxyText(proxy)} ${said}`,
    help: `${help} To reach the service without the proxy, add \`${base.hostname}\` to \`NO_PROXY\`.`,
    certainty: 'not-sent',
    transient,
  });
}

function refusedTunnel({ authorization, from }: HttpProxy, target: string, status: number) {
  if (status !== 407) {
    const said = `did not connect to ${target}: it returned ${status}`;
    const help = 'The proxy cannot reach the service, or does not allow it.';
    return { said, help, transient: status >= 500 };
  }
  const said =
    authorization === null ? 'requires a user name and a password' : 'rejected the user name or the password';
  return {
    said: `${said} (407)`,
    help: `Set \`${from}\` to \`http://USER:PASSWORD@HOST:PORT\`.`,
    transient: false,
  };
}

function unreachable({ from }: HttpProxy, reason: Error) {
  const code = codeOf(reason);
  const isUntrusted = reasonOf(reason, code)?.help === CERTIFICATES;
  const help = isUntrusted ? CERTIFICATES : `Check \`${from}\` and the network connection.`;
  return { said: `failed: ${reasonFor(reason)}`, help, transient: isTransient(code) };
}

interface Reason {
  /** Undefined for the library's own message. */
  readonly text?: string;
  readonly help?: string;
}

const CHECK = 'Check the URL of the service and the network connection.';
const CERTIFICATES =
  'To trust another certificate authority, set `NODE_EXTRA_CA_CERTS` to a file that contains its certificate.';
const NO_TLS: Reason = {
  text: 'the server does not use TLS on this port',
  help: 'Check the port of the URL. Only a service on this machine may have a URL that begins with `http://`.',
};

/** By the system's, OpenSSL's or undici's code. The first that matches counts. */
const reasons: readonly (readonly [RegExp, Reason])[] = [
  [/^ECONNREFUSED$/, { text: 'the connection was refused' }],
  [/^ENOTFOUND$/, { text: 'the host name is unknown' }],
  [/^EAI_AGAIN$/, { text: 'the host name lookup failed' }],
  [/^ECONNRESET$/, { text: 'the connection was reset' }],
  [/^UND_ERR_SOCKET$/, { text: 'the connection was closed' }],
  [/^UND_ERR_CONNECT_TIMEOUT$/, { text: 'the connection timed out' }],
  [
    /^CERT_HAS_EXPIRED$/,
    {
      text: "the server's certificate has expired",
      help: 'The service needs a new certificate. If it has one, check the clock of this machine.',
    },
  ],
  [
    /^CERT_NOT_YET_VALID$/,
    { text: "the server's certificate is not valid yet", help: 'Check the clock of this machine.' },
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    { help: 'Check the host name in the URL. It must be one of the names in the certificate.' },
  ],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/,
    { text: "the server's certificate is self-signed", help: CERTIFICATES },
  ],
  [/^UNABLE_TO_/, { text: "the server's certificate is from an unknown authority", help: CERTIFICATES }],
  [/^(CERT_|ERR_TLS_CERT|HOSTNAME_MISMATCH$|INVALID_CA$)/, { help: 'Check the certificate of the service.' }],
  [
    /NO_APPLICATION_PROTOCOL/,
    {
      text: 'the server does not accept HTTP/1.1, which roster uses',
      help: 'Enable HTTP/1.1 on the server, or on the proxy in front of it.',
    },
  ],
  [/^(ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)|EPROTO)$/, NO_TLS],
  [
    /^ERR_SSL_/,
    {
      text: 'a TLS connection could not be established',
      help: 'Check the URL, and the TLS settings of the server.',
    },
  ],
];

const NOT_HTTP: Reason = {
  text: 'the response is not HTTP/1.1',
  help: 'Check the port of the URL: the server there may use another protocol.',
};
const ONLY_HTTP_2: Reason = {
  text: 'the server accepts only HTTP/2, and roster uses HTTP/1.1',
  help: 'Enable HTTP/1.1 on the server, or on the proxy in front of it.',
};

function reasonOf(cause: unknown, code: string | null): Reason | undefined {
  if (isParserError(cause)) return beginsLikeHttp2(cause) ? ONLY_HTTP_2 : NOT_HTTP;
  return code === null ? undefined : reasons.find(([pattern]) => pattern.test(code))?.[1];
}

function isParserError(cause: unknown): cause is Error {
  return cause instanceof Error && cause.name === 'HTTPParserError';
}

/** A server begins with a SETTINGS frame: three bytes of length, type 4, flags, stream 0 (RFC 9113 §3.4). */
function beginsLikeHttp2(cause: Error): boolean {
  const data = 'data' in cause ? String(cause.data) : '';
  return data.startsWith('\0\0') && data.startsWith('\u0004\0\0\0\0\0', 3);
}

/** A TLS server closes a connection that does not use TLS. */
function unsecured({ protocol }: URL, code: string | null): string | undefined {
  const isClosed = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET';
  if (protocol !== 'http:' || !isClosed) return undefined;
  return 'If the server uses TLS on this port, use a URL that begins with `https://`.';
}

export function reasonFor(error: unknown): string {
  if (error instanceof DeadlineError || error instanceof BudgetError) return error.message;
  if (!(error instanceof Error)) return 'no response';
  const code = codeOf(error);
  const text = reasonOf(error, code)?.text ?? oneLine(error.message);
  return code === null || isParserError(error) ? text : `${text} (${code})`;
}
