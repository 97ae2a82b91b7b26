import { type Diagnostic, type DiagnosticCode, Problem } from '../model/diagnostic.js';
import { isJsonObject, parseJson } from '../model/json.js';
import { BudgetError } from './byte-budget.js';
import { codeOf, DeadlineError, firstHeader, type NoReply, NotAllowed, type Reply } from './http.js';
import { type HttpProxy, ProxyFailure } from './proxy.js';

/**
 * What is known about a failed request. `not-sent`: no byte of it can have reached the service. `refused`: the service
 * rejected it (4xx). `unknown`: it may have taken effect; then look for the object of a create, and never repeat it.
 */
export type Certainty = 'not-sent' | 'refused' | 'unknown';

/** What a failure means, and what to do about it. */
interface Meaning {
  readonly code: DiagnosticCode;
  readonly help?: string;
}

export interface FailureFacts extends Meaning {
  /** One line, without secrets. */
  readonly message: string;
  /** What the service itself says, without the request. */
  readonly reason?: string;
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** `errorCode` of the answer (interface §7). */
  readonly errorCode: string | null;
  /** The answer is a web page: the status may be that of a proxy, and not a verdict of the service. */
  readonly isPage?: boolean;
  readonly certainty: Certainty;
  /** Might succeed a moment later. Does not say whether the request may be sent again. */
  readonly transient: boolean;
  /** How long the service asks to wait, in ms; null when it does not. */
  readonly retryAfterMs: number | null;
  /** Why roster stopped waiting for a rate limit. Other requests need not be tried. */
  readonly givenUp?: 'deadline' | 'interrupt';
}

const defaults = {
  status: null,
  errorCode: null,
  certainty: 'unknown',
  transient: false,
  retryAfterMs: null,
} as const satisfies Partial<FailureFacts>;

/** A request that failed, after all retries. Facts that are not given are unknown. */
export class ServiceFailure extends Problem {
  readonly facts: FailureFacts;
  readonly diagnostic: Diagnostic;

  /** @param attempts how often it was sent: after the first attempt, a 404 to a DELETE may follow from an earlier success. */
  constructor(
    facts: Pick<FailureFacts, 'code' | 'message'> & Partial<FailureFacts>,
    readonly attempts = 1,
  ) {
    const help = facts.help === undefined ? {} : { help: facts.help };
    const diagnostic = { severity: 'error', code: facts.code, message: facts.message, ...help } as const;
    super(diagnostic);
    this.diagnostic = diagnostic;
    this.name = 'ServiceFailure';
    this.facts = { ...defaults, ...facts };
  }

  get status(): number | null {
    return this.facts.status;
  }

  get errorCode(): string | null {
    return this.facts.errorCode;
  }

  get certainty(): Certainty {
    return this.facts.certainty;
  }

  /** What the service itself says, else what happened. */
  get reason(): string {
    return this.facts.reason ?? this.facts.message;
  }
}

/** Where the service is, and where its URL comes from: the wrong one is a likely reason for a failure. */
export interface ServicePlace {
  readonly base: URL;
  /** `ROSTER_URL`, or a place such as roster.yaml:3. */
  readonly urlFrom?: string | undefined;
  /** Through which it is reached, if any. */
  readonly proxy?: HttpProxy | null | undefined;
}

/** `https://collect.example.com/base (from roster.yaml:3)` */
function placeText({ base: { origin, pathname }, urlFrom }: ServicePlace): string {
  return `${origin}${pathname.replace(/\/+$/, '')}${fromText(urlFrom)}`;
}

function fromText(urlFrom: string | undefined): string {
  return urlFrom === undefined ? '' : ` (from ${urlFrom})`;
}

/** `the proxy http://proxy.example.com:3128 (from `HTTPS_PROXY`)` */
function proxyText({ origin, from }: HttpProxy): string {
  return `the proxy ${origin}${fromText(`\`${from}\``)}`;
}

/** The message of an error body of any shape (interface §7: "the complete shape: not shown"). */
export interface ServiceMessage {
  /** Empty when none was found. */
  readonly message: string;
  readonly errorCode: string | null;
}

/** Texts of the service as they may be shown. They are given whole: a text that was cut may end inside a secret. */
export interface ServiceWords {
  /** A text that the service wrote. */
  text(text: string): string;
  /** Its error message. */
  message(message: ServiceMessage): ServiceMessage;
}

export function wordsWith(clean: (text: string) => string): ServiceWords {
  const codeOf = (code: string | null) => (code === null ? null : clean(code));
  return {
    text: clean,
    message: ({ message, errorCode }) => ({ message: clean(message), errorCode: codeOf(errorCode) }),
  };
}

const WITHHELD =
  "the service's message is not shown, because the request contained values from environment variables";

/**
 * For the answer to a request with values from the environment: it may quote them in any form. It is left out whatever it
 * says, because a mask in a part of it would tell what the secret is.
 */
export const withheldWords: ServiceWords = {
  text: () => '(not shown)',
  message: ({ errorCode }) => ({ message: WITHHELD, errorCode: isWord(errorCode) ? errorCode : null }),
};

/** `InvalidInput`, but nothing with a digit, or as long as a secret. */
function isWord(code: string | null): boolean {
  return code !== null && /^[A-Za-z]+([_-][A-Za-z]+)*$/.test(code) && code.length <= 40;
}

const MAX_MESSAGE_LENGTH = 500;
/** Levels that are searched for a message. The number of paths to search may double with each. */
const MAX_DEPTH = 8;

/** Reads a raw body: JSON, plain text or a web page. */
export function explainText(body: string, words: ServiceWords): ServiceMessage {
  const data = parseJson(body);
  // Not JSON: the text of a proxy or a web server.
  return explain(data === undefined ? plain(body) : data, words);
}

export function explain(data: unknown, words: ServiceWords): ServiceMessage {
  const { message, errorCode } = words.message({ message: messageIn(data) ?? '', errorCode: codeIn(data) });
  return {
    message: oneLine(message),
    errorCode: errorCode === null ? null : oneLine(errorCode).slice(0, 100),
  };
}

/** One line of at most 500 characters. Other control characters stay: the views escape them. */
export function oneLine(text: string): string {
  const line = text.replace(/[\s\u0085\u2028\u2029]+/g, ' ').trim();
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH)}…` : line;
}

function isPage(body: string): boolean {
  return /^\s*</.test(body);
}

/** Only the title of a web page is useful. */
function plain(body: string): string {
  if (!isPage(body)) return body;
  return /<title[^<>]*>([^<]+)/i.exec(body)?.[1] ?? '';
}

function messageIn(data: unknown, depth = 0): string | null {
  if (typeof data === 'string') return data === '' ? null : data;
  if (depth === MAX_DEPTH) return null;
  if (Array.isArray(data)) return joined(data, depth + 1);
  if (!isJsonObject(data)) return null;
  const titled = [data['title'], data['detail']].filter(isText).join(': ');
  const inside = (value: unknown) => messageIn(value, depth + 1);
  const own = ['message', 'error', 'errorMessage'].map((name) => inside(data[name])).find(isText);
  const list = inside(data['errors']) ?? fieldErrors(data['errors'], inside);
  const parts = [own ?? titled, list ?? ''].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join(': ');
}

function joined(list: readonly unknown[], depth: number): string | null {
  const found = list.map((each) => messageIn(each, depth)).filter(isText);
  return found.length === 0 ? null : found.join('; ');
}

/** `{ errors: { Name: ["is too long"] } }`. */
function fieldErrors(errors: unknown, inside: (value: unknown) => string | null): string | null {
  if (!isJsonObject(errors)) return null;
  const parts = Object.entries(errors).flatMap(([name, value]) => {
    const message = inside(value);
    return message === null ? [] : [`${name}: ${message}`];
  });
  return parts.length === 0 ? null : parts.join('; ');
}

function codeIn(data: unknown): string | null {
  if (!isJsonObject(data)) return null;
  const inner = isJsonObject(data['error']) ? data['error'] : {};
  const found = [data['errorCode'], data['code'], inner['errorCode'], inner['code']].find(isText);
  return found ?? null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Statuses for which HTTP allows another attempt a moment later. */
const transient = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Enough of an error page to find its message. */
const MAX_ERROR_BYTES = 65_536;

/** The failure for an answer that is not a success (interface §7). `subject` is the method and path of the request. */
export function refusal(
  subject: string,
  reply: Reply,
  words: ServiceWords,
  place: ServicePlace,
): ServiceFailure {
  const { status } = reply;
  const body = new TextDecoder().decode(reply.body.subarray(0, MAX_ERROR_BYTES));
  const { message, errorCode } = explainText(body, words);
  const base = {
    status,
    errorCode,
    certainty: certaintyOf(status),
    transient: transient.has(status),
    retryAfterMs: retryAfterMs(firstHeader(reply, 'retry-after'), firstHeader(reply, 'date')),
  };
  if (status < 300) {
    const said = `${subject} returned ${status}, which is not the status of a complete response`;
    return new ServiceFailure({ ...base, code: 'unexpected-response', message: said });
  }
  if (status < 400) return new ServiceFailure({ ...base, ...redirect(subject, reply, words) });
  const said = `${subject} returned ${status}${errorCode === null ? '' : ` ${errorCode}`}`;
  return new ServiceFailure({
    ...base,
    ...meaning(status, parseJson(body) !== undefined && !listRequests.test(subject), place),
    ...(isPage(body) ? { isPage: true, ...pageHelp(status, place) } : {}),
    message: message === '' ? said : `${said}: ${message}`,
    ...(message === '' ? {} : { reason: message }),
  });
}

/** A 408 does not say what the service did before it stopped waiting, and a 303 may follow a success. */
function certaintyOf(status: number): Certainty {
  return status >= 400 && status < 500 && status !== 408 ? 'refused' : 'unknown';
}

/** The wrong place is a likely reason for most of these, so the help says which it was, and where its URL comes from. */
function meaning(status: number, isAboutObject: boolean, place: ServicePlace): Meaning {
  const base = placeText(place);
  if (status === 401)
    return {
      code: 'unauthorized',
      help: `Check that \`ROSTER_API_KEY\` is a key of ${base}: creating a key revokes the previous one.`,
    };
  if (status === 403)
    return {
      code: 'forbidden',
      help: 'The API key or its user lacks the permission: request it, or use another key.',
    };
  if (status >= 500)
    return { code: 'service-error', help: `The service at ${base} has a problem: try again later.` };
  // The service says of which object it knows nothing.
  if (status === 404 && isAboutObject) return { code: 'service-error' };
  const help = status === 404 && hasPrefix(place) ? prefixHelp(base) : placeHelp(status, base);
  return help === undefined ? { code: 'service-error' } : { code: 'service-error', help };
}

/** Every service has these, whatever it holds. */
const listRequests = /^GET \/api\/(?:scraper-agents|search-groups|pipelines|schedules|api-keys)$/;

/** All paths begin with it (interface §1.1), and roster adds it. */
function hasPrefix({ base }: ServicePlace): boolean {
  return /\/api\/*$/.test(base.pathname);
}

function prefixHelp(base: string): string {
  return `Remove \`/api\` from ${base}: roster adds it.`;
}

function placeHelp(status: number, base: string): string | undefined {
  if (status === 404) return `Check that ${base} is the base URL of the service.`;
  if (status === 407) return `A proxy on the way to ${base} requires a sign-in.`;
  return status === 429 ? `The limit is that of ${base}, or of a proxy in front of it.` : undefined;
}

/** The service answers in JSON (interface §1.3), so a web page is from something else. */
function pageHelp(status: number, place: ServicePlace): { readonly help?: string } {
  const page = 'The response is a web page, not JSON.';
  const base = placeText(place);
  switch (status) {
    case 401:
    case 403:
      return {
        help: `${page} A proxy or a sign-in page may have responded instead of the service: check that ${base} is its base URL. Otherwise, check \`ROSTER_API_KEY\`.`,
      };
    case 402:
    case 410:
      return {
        help: `${page} A proxy may have responded instead of the service: check that ${base} is its base URL.`,
      };
    case 404:
    case 407:
    case 429:
      return { help: `${page} ${placeHelp(status, base)}` };
    default:
      return {};
  }
}

/** Following a redirect would send the API key to any address that the answer names. */
function redirect(subject: string, reply: Reply, words: ServiceWords) {
  const location = firstHeader(reply, 'location');
  const to = location !== null && URL.canParse(location) ? ` to ${words.text(new URL(location).origin)}` : '';
  return {
    code: 'unexpected-response',
    message: `${subject} returned ${reply.status}, a redirect${to}; redirects are not followed`,
    help: 'Set the URL of the service itself.',
  } as const;
}

/** A success with an incomplete body. */
export function incompleteAnswer(subject: string, { status, truncated }: Reply): ServiceFailure {
  const isTooLarge = truncated instanceof BudgetError;
  return new ServiceFailure({
    code: isTooLarge ? 'unexpected-response' : 'service-error',
    message: `${subject} returned ${status}, then failed: ${reasonFor(truncated)}`,
    status,
    transient: !isTooLarge,
  });
}

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

function reasonFor(error: unknown): string {
  if (error instanceof DeadlineError || error instanceof BudgetError) return error.message;
  if (!(error instanceof Error)) return 'no response';
  const code = codeOf(error);
  const text = reasonOf(error, code)?.text ?? oneLine(error.message);
  return code === null || isParserError(error) ? text : `${text} (${code})`;
}

/** Longer than any run waits, and short enough for a timer: those fire at once beyond 24.8 days. */
const MAX_MS = 20 * 86_400_000;

/**
 * How many ms the service asks to wait; null when the header is missing or not valid. At most 20 days.
 * @param header `Retry-After`: whole seconds or an HTTP date.
 * @param date `Date` of the same answer: the service's clock, by which to measure a date, because ours may be wrong.
 */
export function retryAfterMs(header: string | null, date: string | null): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(MAX_MS, Number(text) * 1000);
  const until = httpDate(text);
  if (until === null) return null;
  const now = date === null ? Date.now() : (httpDate(date) ?? Date.now());
  return Math.min(MAX_MS, Math.max(0, until - now));
}

/** Milliseconds since 1970; null if it is not a date. Date.parse reads "-1" as a year, so the shape is checked first. */
export function httpDate(text: string): number | null {
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}
