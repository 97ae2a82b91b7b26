import { setTimeout as pause } from 'node:timers/promises';
import { Problem, problem } from '../model/diagnostic.js';
import { isJsonObject, parseJson } from '../model/json.js';
import { Unexpected } from '../model/request.js';
import { object, type Shape } from '../model/shape.js';
import { count } from '../model/words.js';
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
/** A list with more pages is not read: the host may send the same items for ever. */
const MOST_PAGES = 1_000;
/** Seconds between looks for what a host may only know a little later. */
const LATER_S = [1, 2, 4];
/** Of what the host says about an error. */
const LONGEST_REASON = 300;

/** How a job waits. Tests replace it. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

/** A request that the host did not fulfil. */
export interface RefusedRequest {
  readonly status: number;
  readonly method: HttpRequest['method'];
  /** Below the base of the API. */
  readonly path: string;
}

export interface ApiSettings {
  /** The base of the API, without a final slash. */
  readonly url: string;
  /** Its token, as the host expects it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Says that a request is tried again. */
  readonly log: (line: string) => void;
  /** Which permission or setting may be missing. */
  readonly helpFor: (refused: RefusedRequest) => string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly sleep?: Sleep | undefined;
}

type Method = HttpRequest['method'];
type Query = Readonly<Record<string, string | number>>;

/** The host responded with something else than what was asked for. */
export class ApiFailure extends Problem {
  constructor(
    readonly status: number,
    message: string,
    help?: string,
  ) {
    super({ severity: 'error', code: 'ci-host-error', message, help });
    this.name = 'ApiFailure';
    // Where only the message is shown, the help is what a person needs.
    this.message = help === undefined ? message : `${message}. ${help}`;
  }
}

/** What became of one attempt. */
interface AttemptOutcome {
  readonly reply?: Reply;
  readonly failure?: Problem;
  /** It may be sent again after so many seconds, or, with null, after a wait that grows. */
  readonly again?: number | null | undefined;
}

/**
 * Requests to the API of the CI host: never to another origin, and no redirect is followed. What fails for a moment is tried
 * again, unless it could then be done twice. All failures are Problems that say what was asked and what came.
 */
export class Api {
  private readonly base: URL;
  private readonly transport: Transport;

  constructor(private readonly settings: ApiSettings) {
    if (!URL.canParse(settings.url) || !/^https?:/.test(settings.url))
      throw problem('usage', `the API address of the CI host is not a URL`);
    this.base = new URL(settings.url);
    this.transport = createTransport({
      origin: this.base.origin,
      connections: 4,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      proxy: proxyFor(this.base, settings.env),
      signal: settings.signal,
    });
  }

  async get<T>(path: string, shape: Shape<T>, query: Query = {}): Promise<T> {
    return this.read('GET', path, await this.request('GET', path + queryText(query)), shape);
  }

  /** The items of all pages. */
  async all<T>(path: string, page: Shape<readonly T[]>, query: Query = {}): Promise<readonly T[]> {
    const items: T[] = [];
    let last = '';
    for (let number = 1; number <= MOST_PAGES; number += 1) {
      const reply = await this.request(
        'GET',
        path + queryText({ ...query, per_page: PAGE_SIZE, page: number }),
      );
      const found = this.read('GET', path, reply, page);
      const text = JSON.stringify(found);
      // A host that does not know `page` sends all items, or the same ones, again and again.
      if (number > 1 && text === last) return items;
      last = text;
      // Not as arguments: a host can send any number at once.
      for (const each of found) items.push(each);
      if (!hasNext(reply, found.length)) return items;
    }
    const help = 'Delete what is not needed any more, or report this as a bug.';
    throw new ApiFailure(200, `${this.shown('GET', path)}: the list has more than ${MOST_PAGES} pages`, help);
  }

  /** Creates or changes something. */
  async send(method: Exclude<Method, 'GET'>, path: string, body: object): Promise<void> {
    this.read(method, path, await this.request(method, path, body), object({}));
  }

  /** Creates something, and reads what is needed of it. */
  async create<T>(path: string, body: object, shape: Shape<T>): Promise<T> {
    return this.read('POST', path, await this.request('POST', path, body), shape);
  }

  /** Looks again, a few times, for what the host may only know a moment after an event. */
  async eventually<T>(look: () => Promise<T | null>): Promise<T | null> {
    for (const seconds of LATER_S) {
      const found = await look();
      if (found !== null) return found;
      await this.wait(seconds);
    }
    return look();
  }

  /** The response to a request that succeeds or is redirected. */
  async request(method: Method, path: string, body?: object): Promise<Reply> {
    for (let attempt = 1; ; attempt += 1) {
      const { reply, failure, again } = await this.attempt(method, path, { attempt, body });
      if (reply !== undefined) return reply;
      const wait = again === null ? Math.random() * 2 ** attempt : again;
      if (wait === undefined || wait > LONGEST_WAIT_S || attempt === ATTEMPTS) throw failure;
      this.settings.log(`${failure?.diagnostics[0]?.message ?? ''}. Trying again in ${Math.ceil(wait)} s.\n`);
      await this.wait(wait);
    }
  }

  /** What went wrong with a response, for a request whose body is not JSON. */
  failed(method: Method, path: string, { status }: Reply, what: string, help?: string): ApiFailure {
    const came = `${this.base.host} responded with ${status} and ${what}`;
    return new ApiFailure(status, `${this.shown(method, path)}: ${came}`, help);
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  private async wait(seconds: number): Promise<void> {
    const { signal, sleep = pauseFor } = this.settings;
    await sleep(seconds * 1000, signal);
    if (signal?.aborted === true) throw problem('interrupted', 'interrupted while waiting for the CI host');
  }

  private read<T>(method: Method, path: string, reply: Reply, shape: Shape<T>): T {
    if (reply.status >= 300) throw this.redirected(method, path, reply);
    const text = new TextDecoder().decode(reply.body);
    const value = text === '' ? undefined : parseJson(text);
    const type = firstHeader(reply, 'content-type')?.split(';')[0]?.trim() ?? '';
    if (text !== '' && value === undefined) {
      const what =
        /\bjson$/.test(type) || type === '' ? 'JSON that cannot be read' : `${type} instead of JSON`;
      throw this.failed(method, path, reply, what, odd(method));
    }
    try {
      return shape(value);
    } catch (failure) {
      if (!(failure instanceof Unexpected)) throw failure;
      throw this.failed(method, path, reply, `an unexpected answer: ${failure.message}`, odd(method));
    }
  }

  private redirected(method: Method, path: string, reply: Reply): ApiFailure {
    const location = firstHeader(reply, 'location');
    const where = location === null ? 'a redirect without a location' : `a redirect to ${pathOf(location)}`;
    const help =
      'The repository or the host may have moved: check the git remote and the address of the API.';
    return this.failed(method, path, reply, where, help);
  }

  /** A path in full, as people see it. */
  private shown(method: Method, path: string): string {
    return `${method} ${this.whole(path).split('?')[0]}`;
  }

  private whole(path: string): string {
    const base = this.base.pathname.replace(/\/$/, '');
    return path === '' ? base : `${base}/${path}`;
  }

  private async attempt(
    method: Method,
    path: string,
    { attempt, body }: { readonly attempt: number; readonly body: object | undefined },
  ): Promise<AttemptOutcome> {
    const headers = {
      'User-Agent': 'roster',
      ...this.settings.headers,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    };
    const text = body === undefined ? null : JSON.stringify(body);
    try {
      const reply = await this.transport.exchange({
        method,
        path: this.whole(path),
        headers,
        body: text,
        attempt,
        // The host may close an idle connection at any time, and what creates something is not sent twice.
        ownConnection: method === 'POST',
      });
      if (reply.truncated !== null) throw new NoReply(reply.truncated, true);
      return reply.status < 400 ? { reply } : this.refused(method, path, reply);
    } catch (failure) {
      if (!(failure instanceof NoReply)) throw failure;
      const mayRepeat = method !== 'POST' || !failure.sent;
      const found = problem(
        'ci-host-error',
        `${this.shown(method, path)}: no response from ${this.base.host}: ${failure.message}`,
        mayRepeat ? undefined : 'The request may have succeeded: check before you run the job again.',
      );
      return { failure: found, again: mayRepeat && isBrief(failure) ? null : undefined };
    }
  }

  private refused(method: Method, path: string, reply: Reply): AttemptOutcome {
    const { status } = reply;
    const again = isAgain(method, reply) ? waitOf(reply) : undefined;
    const reason = reasonOf(reply);
    const message = `${this.shown(method, path)}: ${this.base.host} responded with ${status}`;
    const help =
      isLimited(reply) && again != null
        ? `The host limits requests: run the job again in ${minutes(again)}.`
        : (this.settings.helpFor({ status, method, path }) ?? (status >= 500 ? BROKEN : undefined));
    return {
      failure: new ApiFailure(status, reason === '' ? message : `${message}: ${reason}`, help),
      again,
    };
  }
}

const BROKEN = 'The host has failed: run the job again later.';

/** What to do about an answer that is none. */
function odd(method: Method): string {
  const done = method === 'GET' ? '' : ' The request may have succeeded: check before you run the job again.';
  return `A proxy or a login page may have answered in place of the API: check its address and the network.${done}`;
}

async function pauseFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  // An interrupt ends the wait. Whoever waits looks for it.
  await pause(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

function minutes(seconds: number): string {
  return count(Math.max(1, Math.ceil(seconds / 60)), 'minute');
}

/** Without a query, which can be signed. */
function pathOf(location: string): string {
  return location.split(/[?#]/)[0] ?? '';
}

/** By the header `Link`, which hosts send with a list that has several pages; else by the number of items. */
function hasNext(reply: Reply, items: number): boolean {
  const link = firstHeader(reply, 'link');
  return link === null ? items >= PAGE_SIZE : /rel="?next\b/.test(link);
}

/** Why, in the words of the host: both hosts send an object with a text. */
function reasonOf(reply: Reply): string {
  const answer = parseJson(new TextDecoder().decode(reply.body.subarray(0, 65_536)));
  if (!isJsonObject(answer)) return '';
  const { message, error, error_description: more, errors } = answer as Readonly<Record<string, unknown>>;
  const details = Array.isArray(errors)
    ? errors.map((each) => (isJsonObject(each) ? each['message'] : each))
    : [];
  const words = [message ?? error, more, ...details].filter((each) => typeof each === 'string');
  const line = words.join(': ').replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON)}…` : line;
}

function queryText(query: Query): string {
  const words = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return words.size === 0 ? '' : `?${words}`;
}

/** A host that limits requests has not done this one. After any other failure, a POST may have been done. */
function isAgain(method: Method, reply: Reply): boolean {
  return isLimited(reply) || (reply.status >= 500 && method !== 'POST');
}

function isLimited(reply: Reply): boolean {
  const isExhausted = firstHeader(reply, 'x-ratelimit-remaining') === '0';
  return (
    reply.status === 429 ||
    (reply.status === 403 && (firstHeader(reply, 'retry-after') !== null || isExhausted))
  );
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
