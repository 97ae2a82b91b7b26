import { setTimeout as sleep } from 'node:timers/promises';
import { type Problem, problem } from '../model/diagnostic.js';
import {
  createTransport,
  firstHeader,
  type HttpRequest,
  NoReply,
  type Reply,
  type Transport,
} from '../service/http.js';
import { proxyFor } from '../service/proxy.js';

const ATTEMPTS = 5;
/** Longer waits would use up the time of the job. */
const LONGEST_WAIT_S = 120;
const TIMEOUT_MS = 60_000;
const MAX_BYTES = 128 * 1024 * 1024;
const PAGE_SIZE = 100;

export interface ApiSettings {
  /** The base of the API, without a final slash. */
  readonly url: string;
  /** Its token, as the host expects it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Says that a request is tried again. */
  readonly log: (line: string) => void;
  /** What to do after a response with this status. */
  readonly helpFor: (status: number, path: string) => string | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Method = HttpRequest['method'];
type Query = Readonly<Record<string, string | number>>;

/** The host responded with an error. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';

  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.message);
  }
}

/**
 * Requests to the API of the CI host: never to another origin, and no redirect is followed. What fails for a moment is tried
 * again, unless it could then be done twice.
 */
export class Api {
  private readonly base: URL;
  private readonly transport: Transport;

  constructor(private readonly settings: ApiSettings) {
    this.base = new URL(settings.url);
    this.transport = this.open();
  }

  private open(): Transport {
    const { env, signal } = this.settings;
    return createTransport({
      origin: this.base.origin,
      connections: 4,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      proxy: proxyFor(this.base, env),
      signal,
    });
  }

  get<T>(path: string, query: Query = {}): Promise<T> {
    return this.send<T>('GET', path + queryText(query));
  }

  /** The items of all pages. */
  async all<T>(path: string, query: Query = {}, itemsOf = (answer: unknown) => answer as T[]): Promise<T[]> {
    const list: T[] = [];
    for (let page = 1; ; page += 1) {
      const items = itemsOf(await this.get(path, { ...query, per_page: PAGE_SIZE, page }));
      list.push(...items);
      if (items.length < PAGE_SIZE) return list;
    }
  }

  async send<T>(method: Method, path: string, body?: object): Promise<T> {
    const reply = await this.request(method, path, body);
    if (reply.status >= 300) throw problem('service-error', `${method} ${path}: unexpected redirect`);
    const text = new TextDecoder().decode(reply.body);
    return (text === '' ? null : JSON.parse(text)) as T;
  }

  /** The response to a request that succeeds or is redirected. */
  async request(method: Method, path: string, body?: object): Promise<Reply> {
    for (let attempt = 1; ; attempt += 1) {
      const { reply, failure, again } = await this.attempt(method, path, { attempt, body });
      if (reply !== undefined) return reply;
      const wait = again === null ? Math.random() * 2 ** attempt : again;
      if (wait === undefined || wait > LONGEST_WAIT_S || attempt === ATTEMPTS) throw failure;
      this.settings.log(`${failure?.message}. Trying again in ${Math.ceil(wait)} s.\n`);
      await sleep(wait * 1000, undefined, { signal: this.settings.signal });
    }
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  /** With `again`, it may be sent again after so many seconds, or, with null, after a wait that grows. */
  private async attempt(
    method: Method,
    path: string,
    { attempt, body }: { readonly attempt: number; readonly body: object | undefined },
  ): Promise<{ reply?: Reply; failure?: Error; again?: number | null | undefined }> {
    const base = this.base.pathname.replace(/\/$/, '');
    const whole = path === '' ? base : `${base}/${path}`;
    const headers = {
      'User-Agent': 'roster',
      ...this.settings.headers,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    };
    const text = body === undefined ? null : JSON.stringify(body);
    const shown = `${method} ${whole.split('?')[0]}`;
    // The host may close an idle connection at any time, and what creates something is not sent twice.
    const transport = method === 'POST' ? this.open() : this.transport;
    try {
      const reply = await transport.exchange({ method, path: whole, headers, body: text, attempt });
      if (reply.truncated !== null) throw new NoReply(reply.truncated, true);
      if (reply.status < 400) return { reply };
      const message = `${shown}: ${this.base.host} responded with ${reply.status}`;
      const help = this.settings.helpFor(reply.status, path);
      const failure = new ApiFailure(reply.status, problem('service-error', message, help));
      return { failure, again: isAgain(method, reply) ? waitOf(reply) : undefined };
    } catch (failure) {
      if (!(failure instanceof NoReply)) throw failure;
      const mayRepeat = method !== 'POST' || !failure.sent;
      const found = problem('service-error', `${shown}: ${failure.message}`);
      return { failure: found, again: mayRepeat && isBrief(failure) ? null : undefined };
    } finally {
      if (transport !== this.transport) await transport.close();
    }
  }
}

function queryText(query: Query): string {
  const words = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return words.size === 0 ? '' : `?${words}`;
}

/** A host that limits requests has not done this one. After any other failure, a POST may have been done. */
function isAgain(method: Method, reply: Reply): boolean {
  const { status } = reply;
  const isExhausted = firstHeader(reply, 'x-ratelimit-remaining') === '0';
  const isLimited =
    status === 429 || (status === 403 && (firstHeader(reply, 'retry-after') !== null || isExhausted));
  return isLimited || (status >= 500 && method !== 'POST');
}

/** Not a certificate that is not trusted. */
function isBrief({ code, sent }: NoReply): boolean {
  return !sent || ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(code ?? '') || /^UND_/.test(code ?? '');
}

/** In seconds, as the response says, or null. */
function waitOf(reply: Reply): number | null {
  const after = firstHeader(reply, 'retry-after');
  if (/^\d+$/.test(after ?? '')) return Number(after);
  const isExhausted = firstHeader(reply, 'x-ratelimit-remaining') === '0';
  const reset = isExhausted
    ? Number(firstHeader(reply, 'x-ratelimit-reset') ?? Number.NaN) * 1000
    : Number.NaN;
  const until = after === null ? reset : Date.parse(after);
  return Number.isNaN(until) ? null : Math.max(0, (until - Date.now()) / 1000);
}
