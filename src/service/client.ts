import { setTimeout as wait } from 'node:timers/promises';
import { problem } from '../model/diagnostic.js';
import { writeJson } from '../model/exact-number.js';
import { readOnlyRefusal } from '../model/read-only.js';
import { type Call, type ListCall, type Reader, type Request, Unexpected } from '../model/request.js';
import { wholeNumber } from '../model/shape.js';
import { maskApiKeys, SecretSearch } from '../redact/redactor.js';
import { type Envelope, isSuccess, maskMessages, readAnswer } from './answer.js';
import { ByteBudget, MAX_BODY_BYTES, MAX_TOTAL_BYTES } from './byte-budget.js';
import {
  type FailureFacts,
  httpDate,
  incompleteAnswer,
  noAnswer,
  refusal,
  ServiceFailure,
  type ServicePlace,
  type ServiceWords,
  withheldWords,
  wordsWith,
} from './failure.js';
import {
  type AttemptEvent,
  createTransport,
  NoReply,
  type Reply,
  type SendGuard,
  type SendOptions,
  type Transport,
} from './http.js';
import { type PageQuery, parseItems, readPages, UnexpectedItem } from './paging.js';
import type { HttpProxy } from './proxy.js';
import { createQueue, type Queue } from './queue.js';
import { RateLimiter, type RateLimitSettings } from './rate-limit.js';
import {
  type RetryBudget,
  type RetryEvent,
  type RetrySettings,
  withOtherMethods,
  withRetries,
} from './retry.js';
import { requestPath, serviceUrl, subjectOf } from './url.js';

/** The `data` of the answer to a write: of any shape, null when there is none (interface §4). */
export interface WriteResult {
  readonly data: unknown;
}

export interface ClientStats {
  readonly requests: number;
  readonly attempts: number;
  readonly retries: number;
}

/** A client without a way to write. */
export interface ReadClient {
  /** The same client without a way to write, and with the guard of its reads. */
  reader(guard?: SendGuard): Reader;
}

/** Reads requests whose answers are files. */
export interface FileOpener {
  /** `take` is given the beginning of the answer, with its stream. */
  open<T>(request: Request, take: (reply: Reply) => T): Promise<T>;
}

/** The client of the service. Every failure is a ServiceFailure; an invalid request is a bug and throws a plain error. */
export interface Client extends Reader, ReadClient, FileOpener {
  /** `guard` is asked before each attempt, retries included: once it gives a reason, nothing is sent. */
  send(request: Request, guard?: SendGuard): Promise<WriteResult>;
  /** All further attempts use this key: a new key has revoked the old one (interface §5.5). */
  useKey(key: string): void;
  close(): Promise<void>;
  readonly stats: ClientStats;
  /** The service's clock, in milliseconds since 1970; null before it has answered. */
  serviceTime(): number | null;
}

/** One attempt at a request. */
interface Sending extends SendOptions {
  /** With base path and query. */
  readonly path: string;
  readonly attempt: number;
}

export function createClient(settings: ClientSettings): Client {
  return new HttpClient(settings);
}

class HttpClient implements Client {
  readonly #base: URL;
  readonly #settings: ClientSettings;
  readonly #transport: Transport;
  readonly #queue: Queue;
  readonly #retry: RetrySettings;
  readonly #limiter: RateLimiter;
  readonly #secrets = new SecretSearch();
  readonly #bytes: ByteBudget;
  #key: string | null;
  /** The key that the service has answered with 401: no further request is sent with it. */
  #refusedKey: string | null = null;
  #attempts = 0;
  readonly #time = new ServiceTime();

  constructor(settings: ClientSettings) {
    const { concurrency, timeoutMs, apiKey } = settings;
    this.#base = serviceUrl(String(settings.baseUrl));
    this.#settings = settings;
    this.#bytes = new ByteBudget(settings.maxTotalBytes ?? MAX_TOTAL_BYTES);
    this.#key = apiKey;
    this.#secrets.add([...(settings.secrets ?? []), ...(apiKey === null ? [] : [apiKey])]);
    this.#queue = createQueue(concurrency);
    this.#retry = retrySettings(settings);
    this.#limiter = rateLimiter(settings);
    this.#transport = createTransport({
      origin: this.#base.origin,
      connections: concurrency,
      timeoutMs,
      maxBytes: settings.maxBytes ?? MAX_BODY_BYTES,
      proxy: settings.proxy,
      signal: settings.signal,
      onAttempt: settings.onAttempt,
    });
  }

  async read<T>(call: Call<T>, guard?: SendGuard): Promise<T> {
    const meter = this.#bytes.hold(null);
    try {
      const get = (sent: Request) => this.#get(sent, sent.query ?? null, { guard, meter });
      const { data } = await withOtherMethods(call.request, get);
      return this.#parsed(call, data);
    } finally {
      meter.end();
    }
  }

  async readAll<T>(call: ListCall<T>, guard?: SendGuard): Promise<T[]> {
    const { request } = call;
    const meter = this.#bytes.hold(requestPath(this.#base, request.path, request.query ?? null));
    const options = { guard, meter };
    const fetch = (query: PageQuery | null) => this.#get(request, { ...request.query, ...query }, options);
    const asked = wholeNumber(request.query?.['pageSize']);
    try {
      const queue = createQueue(this.#settings.concurrency);
      return parseItems(await readPages({ fetch, queue, pageSize: asked }), call);
    } catch (error) {
      throw this.#explained(subjectOf(request), error);
    } finally {
      meter.end();
    }
  }

  #parsed<T>({ request, parse }: Call<T>, data: unknown): T {
    try {
      return parse(data);
    } catch (error) {
      throw this.#explained(subjectOf(request), error);
    }
  }

  async send(request: Request, guard?: SendGuard): Promise<WriteResult> {
    if (this.#settings.readOnly === true) throw readOnlyRefusal();
    const { data } = await this.#answerTo(request, request.query ?? null, { guard });
    return { data };
  }

  open<T>(request: Request, take: (reply: Reply) => T): Promise<T> {
    return this.#withRetries(request, request.query ?? null, { asStream: true }, take);
  }

  useKey(key: string): void {
    this.#key = key;
    this.#secrets.add([key]);
  }

  reader(guard?: SendGuard): Reader {
    return { read: (call) => this.read(call, guard), readAll: (call) => this.readAll(call, guard) };
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  serviceTime(): number | null {
    return this.#time.now();
  }

  get stats(): ClientStats {
    const { requests, retries } = this.#retry.budget;
    return { requests, retries, attempts: this.#attempts };
  }

  #get(request: Request, query: PageQuery | null, options: SendOptions): Promise<Envelope> {
    if (request.effect !== 'read') throw new Error(`${subjectOf(request)} is not a read`);
    return this.#answerTo(request, query, options);
  }

  #answerTo(request: Request, query: PageQuery | null, options: SendOptions): Promise<Envelope> {
    return this.#withRetries(request, query, options, (reply) => this.#answer(request, reply));
  }

  #withRetries<T>(
    request: Request,
    query: PageQuery | null,
    options: SendOptions,
    take: (reply: Reply) => T,
  ): Promise<T> {
    const path = requestPath(this.#base, request.path, query);
    let attempt = 0;
    const send = () => this.#attempt(request, { path, attempt: ++attempt, ...options }, take);
    const { effect, optional = false } = request;
    const limits = { subject: subjectOf(request), isWrite: effect !== 'read', isOptional: optional };
    const limited = () => this.#limiter.run(limits, send);
    return withRetries(request, this.#retry, () => this.#queue.run(limited));
  }

  async #attempt<T>(request: Request, sending: Sending, take: (reply: Reply) => T): Promise<T> {
    const subject = subjectOf(request);
    const key = this.#currentKey(subject);
    this.#attempts += 1;
    try {
      return take(await this.#exchange(subject, request, sending, key));
    } catch (error) {
      if (error instanceof ServiceFailure && error.status === 401) this.#refusedKey = key;
      throw this.#explained(subject, error);
    }
  }

  async #exchange(subject: string, request: Request, sending: Sending, key: string): Promise<Reply> {
    const { method, effect } = request;
    const body = request.body === undefined ? null : writeJson(request.body);
    const headers = this.#headers(key, body !== null, sending.asStream === true);
    const reply = await this.#transport.exchange({ method, headers, body, ...sending });
    this.#time.note(reply.headers);
    this.#limiter.note(reply.headers);
    if (!isSuccess(effect, reply.status)) throw refusal(subject, reply, this.#wordsFor(request), this.#place);
    return reply;
  }

  #answer(request: Request, reply: Reply): Envelope {
    const subject = subjectOf(request);
    if (reply.truncated !== null) throw incompleteAnswer(subject, reply);
    const answer = readAnswer(subject, request.effect, reply, this.#wordsFor(request));
    // The key is masked where anything is shown. Values of the environment are not known there.
    if ((this.#settings.secrets ?? []).length > 0) maskMessages(answer.data, this.#clean);
    return answer;
  }

  #wordsFor({ holdsSecrets }: Request): ServiceWords {
    return holdsSecrets === true ? withheldWords : wordsWith(this.#clean);
  }

  #headers(key: string, hasBody: boolean, isFile: boolean): Record<string, string> {
    return {
      'x-api-key': key,
      accept: isFile ? '*/*' : 'application/json',
      'accept-encoding': 'identity',
      'user-agent': this.#settings.userAgent,
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
    };
  }

  get #place(): ServicePlace {
    const { urlFrom, proxy } = this.#settings;
    return { base: this.#base, urlFrom, proxy };
  }

  #currentKey(subject: string): string {
    const key = this.#key;
    if (key === null)
      throw problem('missing-setting', '`ROSTER_API_KEY` is not set', 'Set it to an API key of the service.');
    if (key !== this.#refusedKey) return key;
    throw new ServiceFailure({
      code: 'unauthorized',
      message: `${subject} was not sent, because the service refused the API key (401)`,
      status: 401,
      certainty: 'not-sent',
    });
  }

  readonly #clean = (text: string): string => maskApiKeys(this.#secrets.mask(text));

  /** The one place where the service's text enters our messages: secrets are masked here. Bugs pass through. */
  #explained(subject: string, error: unknown): unknown {
    const facts = this.#factsOf(subject, error);
    if (facts === null) return error;
    const errorCode = facts.errorCode === null ? null : this.#clean(facts.errorCode);
    const attempts = error instanceof ServiceFailure ? error.attempts : 1;
    return new ServiceFailure({ ...facts, message: this.#clean(facts.message), errorCode }, attempts);
  }

  #factsOf(subject: string, error: unknown): FailureFacts | null {
    if (error instanceof ServiceFailure) return error.facts;
    if (error instanceof NoReply) return noAnswer(subject, error, this.#place).facts;
    if (!(error instanceof Unexpected)) return null;
    const what = error instanceof UnexpectedItem ? `${error.item} of ${subject}` : subject;
    return new ServiceFailure({
      code: 'unexpected-response',
      message: `${what}: ${error.message}`,
      ...(error.help === undefined ? {} : { help: error.help }),
    }).facts;
  }
}

/** The service's clock, from the `Date` of its answers. Schedules start by that clock, and this machine's may be wrong. */
export class ServiceTime {
  #last: { readonly time: number; readonly at: number } | null = null;

  /** @param headers of an answer. One from a cache has a `Date` of some time ago. */
  note(headers: Readonly<Record<string, string | string[] | undefined>>): void {
    const { date, age } = headers;
    const time = typeof date === 'string' && age === undefined ? httpDate(date) : null;
    if (time !== null) this.#last = { time, at: performance.now() };
  }

  /** Milliseconds since 1970, to the second; null when no answer had a date. */
  now(): number | null {
    return this.#last === null ? null : this.#last.time + performance.now() - this.#last.at;
  }
}

export interface ClientSettings {
  /** Checked again by `serviceUrl`. */
  readonly baseUrl: URL | string;
  /** Where it comes from, for messages: `ROSTER_URL`, or a place such as roster.yaml:3. */
  readonly urlFrom?: string | undefined;
  /** The proxy to connect through; none by default. */
  readonly proxy?: HttpProxy | null | undefined;
  /** Nothing is written: `send` throws a Problem. Default: false. */
  readonly readOnly?: boolean | undefined;
  /** Null makes every request fail with `missing-setting`. */
  readonly apiKey: string | null;
  /** Requests on the wire at the same time. */
  readonly concurrency: number;
  /** For one whole attempt. Time in the queue does not count. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Masked in texts of the service, as the API key is. */
  readonly secrets?: readonly string[] | undefined;
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  readonly onAttempt?: ((event: AttemptEvent) => void) | undefined;
  /** Called when the service limits requests, and the client waits before it sends any other. */
  readonly onPause?: RateLimitSettings['onPause'] | undefined;
  /** How long rate limits may hold requests back in all; 30 minutes by default. */
  readonly deadlineMs?: number | undefined;
  /** Once aborted, nothing is retried, and requests in progress have a few seconds left. */
  readonly signal?: AbortSignal | undefined;
  /** Shared by the clients of one run. */
  readonly budget?: RetryBudget | undefined;
  readonly random?: (() => number) | undefined;
  readonly sleep?: RetrySettings['sleep'] | undefined;
  /** The largest body; 32 MB by default. */
  readonly maxBytes?: number | undefined;
  /** The most bytes of all bodies that are kept; 128 MB by default. */
  readonly maxTotalBytes?: number | undefined;
}

const DEFAULT_DEADLINE_MS = 30 * 60_000;

function retrySettings(settings: ClientSettings): RetrySettings {
  return {
    budget: settings.budget ?? { requests: 0, retries: 0 },
    random: settings.random ?? Math.random,
    sleep: settings.sleep ?? sleep,
    onRetry: settings.onRetry ?? (() => {}),
    signal: settings.signal,
  };
}

function rateLimiter(settings: ClientSettings): RateLimiter {
  return new RateLimiter({
    deadlineMs: settings.deadlineMs ?? DEFAULT_DEADLINE_MS,
    random: settings.random ?? Math.random,
    sleep: settings.sleep ?? sleep,
    onPause: settings.onPause ?? (() => {}),
    signal: settings.signal,
  });
}

/** A timer may fire a fraction early, but `Retry-After` must pass completely: hence the extra millisecond. */
async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(ms + 1, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
