import { setTimeout as wait } from 'node:timers/promises';
import { problem } from '../model/diagnostic.js';
import { type Call, type ListCall, type Reader, type Request, Unexpected } from '../model/request.js';
import { redactKeys } from '../redact/api-keys.js';
import { type Envelope, isSuccess, readAnswer } from './answer.js';
import { ByteBudget, type ByteMeter, MAX_BODY_BYTES, MAX_TOTAL_BYTES } from './byte-budget.js';
import { type FailureFacts, ServiceFailure } from './failure.js';
import { createTransport, type Exchange, NoReply, type Transport } from './http.js';
import { type PageQuery, parseItems, readPages, UnexpectedItem } from './paging.js';
import { createQueue, type Queue } from './queue.js';
import { incompleteAnswer, noAnswer, refusal } from './refusal.js';
import { requestPath } from './request-url.js';
import { type RetryBudget, type RetryEvent, type RetrySettings, withRetries } from './retry.js';
import { serviceUrl } from './url.js';

export interface ClientSettings {
  /** Checked again by `serviceUrl`. */
  readonly baseUrl: URL | string;
  /** Where it comes from, for messages: `ROSTER_URL`, or a place such as roster.yaml:3. */
  readonly urlFrom?: string | undefined;
  /** Null makes every request fail with `missing-setting`. */
  readonly apiKey: string | null;
  /** Requests on the wire at the same time. */
  readonly concurrency: number;
  /** For one whole attempt. Time in the queue does not count. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Once aborted, nothing is retried, and requests in progress have a few seconds left. */
  readonly signal?: AbortSignal | undefined;
  /** Shared by the clients of one run. */
  readonly budget?: RetryBudget | undefined;
  readonly random?: (() => number) | undefined;
  readonly sleep?: RetrySettings['sleep'] | undefined;
  /** The largest body; 32 MB by default. */
  readonly maxBytes?: number | undefined;
  /** Of all bodies that are kept; 128 MB by default. */
  readonly maxTotalBytes?: number | undefined;
}

/** The `data` of the answer to a write: of any shape, null when there is none (interface §4). */
export interface WriteResult {
  readonly data: unknown;
}

export interface ClientStats {
  readonly requests: number;
  readonly attempts: number;
  readonly retries: number;
}

/** The client of the service. Every failure is a ServiceFailure; an invalid request is a bug and throws a plain error. */
export interface Client extends Reader {
  send(request: Request): Promise<WriteResult>;
  /** All further attempts use this key: a new key has revoked the old one (interface §5.5). */
  useKey(key: string): void;
  /** The same client without a way to write. */
  reader(): Reader;
  close(): Promise<void>;
  readonly stats: ClientStats;
}

type Sending = Pick<Exchange, 'path' | 'meter'>;

export function createClient(settings: ClientSettings): Client {
  return new HttpClient(settings);
}

class HttpClient implements Client {
  readonly #base: URL;
  readonly #settings: ClientSettings;
  readonly #transport: Transport;
  readonly #queue: Queue;
  readonly #retry: RetrySettings;
  readonly #keys = new Set<string>();
  readonly #bytes: ByteBudget;
  #key: string | null;
  /** The key that the service has answered with 401: no further request is sent with it. */
  #refusedKey: string | null = null;
  #attempts = 0;

  constructor(settings: ClientSettings) {
    const { concurrency, timeoutMs, apiKey } = settings;
    this.#base = serviceUrl(String(settings.baseUrl));
    this.#settings = settings;
    this.#bytes = new ByteBudget(settings.maxTotalBytes ?? MAX_TOTAL_BYTES);
    this.#key = apiKey;
    if (apiKey !== null) this.#keys.add(apiKey);
    this.#queue = createQueue(concurrency);
    this.#retry = retrySettings(settings);
    this.#transport = createTransport({
      origin: this.#base.origin,
      connections: concurrency,
      timeoutMs,
      maxBytes: settings.maxBytes ?? MAX_BODY_BYTES,
      signal: settings.signal,
    });
  }

  async read<T>(call: Call<T>): Promise<T> {
    const { request } = call;
    const { data } = await this.#get(request, request.query ?? null, this.#bytes.hold(request.path));
    try {
      return call.parse(data);
    } catch (error) {
      throw this.#explained(subjectOf(request), error);
    }
  }

  async readAll<T>(call: ListCall<T>): Promise<T[]> {
    const { request } = call;
    const meter = this.#bytes.hold(request.path);
    const fetch = (query: PageQuery | null) => this.#get(request, { ...request.query, ...query }, meter);
    try {
      const items = await readPages({ fetch, queue: createQueue(this.#settings.concurrency) });
      return parseItems(items, call);
    } catch (error) {
      throw this.#explained(subjectOf(request), error);
    }
  }

  async send(request: Request): Promise<WriteResult> {
    const { data } = await this.#withRetries(request, request.query ?? null);
    return { data };
  }

  useKey(key: string): void {
    this.#key = key;
    this.#keys.add(key);
  }

  reader(): Reader {
    return { read: (call) => this.read(call), readAll: (call) => this.readAll(call) };
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  get stats(): ClientStats {
    const { requests, retries } = this.#retry.budget;
    return { requests, retries, attempts: this.#attempts };
  }

  #get(request: Request, query: PageQuery | null, meter: ByteMeter): Promise<Envelope> {
    if (request.effect !== 'read') throw new Error(`${subjectOf(request)} is not a read`);
    return this.#withRetries(request, query, meter);
  }

  #withRetries(request: Request, query: PageQuery | null, meter?: ByteMeter): Promise<Envelope> {
    const sending = { path: requestPath(this.#base, request.path, query), meter };
    return withRetries(request, this.#retry, () => this.#queue.run(() => this.#attempt(request, sending)));
  }

  async #attempt(request: Request, sending: Sending): Promise<Envelope> {
    const subject = subjectOf(request);
    const key = this.#currentKey(subject);
    this.#attempts += 1;
    try {
      return await this.#exchange(subject, request, sending, key);
    } catch (error) {
      if (error instanceof ServiceFailure && error.status === 401) this.#refusedKey = key;
      throw this.#explained(subject, error);
    }
  }

  async #exchange(subject: string, request: Request, sending: Sending, key: string): Promise<Envelope> {
    const { method, effect } = request;
    const body = request.body === undefined ? null : JSON.stringify(request.body);
    const headers = this.#headers(key, body !== null);
    const reply = await this.#transport.exchange({ method, headers, body, ...sending });
    if (!isSuccess(effect, reply.status)) throw refusal(subject, reply);
    if (reply.truncated !== null)
      throw incompleteAnswer(subject, reply, this.#settings.maxBytes ?? MAX_BODY_BYTES);
    return readAnswer(subject, effect, reply);
  }

  #headers(key: string, hasBody: boolean): Record<string, string> {
    return {
      'x-api-key': key,
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': this.#settings.userAgent,
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
    };
  }

  #currentKey(subject: string): string {
    const key = this.#key;
    if (key === null)
      throw problem('missing-setting', '`ROSTER_API_KEY` is not set', 'Set it to an API key of the service.');
    if (key !== this.#refusedKey) return key;
    throw new ServiceFailure({
      code: 'unauthorized',
      message: `${subject} was not sent, because the service has refused the API key`,
      status: 401,
      certainty: 'not-sent',
    });
  }

  /** The one place where the service's text enters our messages: API keys are masked here. Bugs pass through. */
  #explained(subject: string, error: unknown): unknown {
    const facts = this.#factsOf(subject, error);
    if (facts === null) return error;
    const clean = (text: string) => redactKeys(text, this.#keys);
    const errorCode = facts.errorCode === null ? null : clean(facts.errorCode);
    const attempts = error instanceof ServiceFailure ? error.attempts : 1;
    return new ServiceFailure({ ...facts, message: clean(facts.message), errorCode }, attempts);
  }

  #factsOf(subject: string, error: unknown): FailureFacts | null {
    if (error instanceof ServiceFailure) return error.facts;
    if (error instanceof NoReply)
      return noAnswer(subject, error, { ...this.#settings, host: this.#base.host }).facts;
    if (!(error instanceof Unexpected)) return null;
    const what = error instanceof UnexpectedItem ? `${error.item} of ${subject}` : subject;
    return new ServiceFailure({
      code: 'unexpected-response',
      message: `${what}: ${error.message}`,
      ...(error.help === undefined ? {} : { help: error.help }),
    }).facts;
  }
}

function subjectOf({ method, path }: Request): string {
  return `${method} ${path}`;
}

function retrySettings(settings: ClientSettings): RetrySettings {
  return {
    budget: settings.budget ?? { requests: 0, retries: 0 },
    random: settings.random ?? Math.random,
    sleep: settings.sleep ?? sleep,
    onRetry: settings.onRetry ?? (() => {}),
    signal: settings.signal,
  };
}

/** A timer may fire a fraction early, but `Retry-After` must pass completely: hence the extra millisecond. */
async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(ms + 1, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
