import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { writeJson } from '../model/exact-number.js';
import { wholeNumber } from '../model/shape.js';
import { maskApiKeys, SecretSearch } from '../redact/redactor.js';
import { type ClientSettings, rateLimiter, retrySettings } from './client.js';
import {
  noAnswer,
  refusal,
  ServiceFailure,
  type ServicePlace,
  type ServiceWords,
  wordsWith,
} from './failure.js';
import { DeadlineError, type HttpRequest, NoReply, type ReplyHead } from './http.js';
import type { DownloadCall } from './operations/requests.js';
import { withOtherMethods, withRetries } from './retry.js';
import { requestPath, serviceUrl } from './url.js';

/** A file of the service while it arrives. `body` must be read to its end, or left with `break` or `return`. */
export interface Download {
  /** Safe in any folder; null when the service names none. */
  readonly fileName: string | null;
  readonly contentType: string | null;
  /** In bytes; null when the service does not say. */
  readonly size: number | null;
  /** How many files a bulk export has: `X-Export-File-Count` (interface §4). */
  readonly fileCount: number | null;
  /** Throws a `ServiceFailure` when the file breaks off, or is larger than allowed. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Downloader {
  /** Retries until the file begins: `Retry-After` is honoured. `maxBytes` is 10 GB by default. */
  download(call: DownloadCall, maxBytes?: number): Promise<Download>;
  close(): Promise<void>;
}

const MAX_FILE_BYTES = 10 * 1024 ** 3;
const MAX_ERROR_BYTES = 65_536;

/** Downloads in constant memory, over connections of its own: the client limits and keeps whole answers. */
export function createDownloader(settings: ClientSettings): Downloader {
  const base = serviceUrl(String(settings.baseUrl));
  const pools = new Set<Dispatcher>();
  const open: OpenConnection = async (onSocket) => {
    const { timeoutMs, proxy } = settings;
    const { origin } = base;
    const { openPool } = await import('./connections.js');
    const pool = openPool({ origin, connections: 1, timeoutMs, maxBytes: -1, proxy }, onSocket);
    pools.add(pool);
    const close = () => {
      if (pools.delete(pool)) void pool.destroy();
    };
    return { pool, origin, close };
  };
  const retry = retrySettings(settings);
  const limiter = rateLimiter(settings);
  return {
    async download({ request }, maxBytes = MAX_FILE_BYTES) {
      return withOtherMethods(request, (sent) =>
        withRetries(sent, retry, () => {
          const subject = `${sent.method} ${sent.path}`;
          return limiter.run({ subject, isWrite: false }, async () => {
            const exchange = {
              method: sent.method,
              path: requestPath(base, sent.path, sent.query ?? null),
              headers: headersOf(settings, sent.body !== undefined),
              body: sent.body === undefined ? null : writeJson(sent.body),
            };
            const limits = { idleMs: settings.timeoutMs, signal: settings.signal };
            const reply = await openStream(open, exchange, limits).catch((error) => {
              throw explained(settings, subject, error);
            });
            if (reply.status !== 200) throw await refused(settings, subject, reply);
            return downloadOf(reply, subject, maxBytes);
          });
        }),
      );
    },
    async close() {
      await Promise.all([...pools].map((pool) => pool.destroy()));
    },
  };
}

function headersOf({ apiKey, userAgent }: ClientSettings, hasBody: boolean): Record<string, string> {
  if (apiKey === null)
    throw new ServiceFailure({ code: 'missing-setting', message: '`ROSTER_API_KEY` is not set' });
  return {
    'x-api-key': apiKey,
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': userAgent,
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
  };
}

function downloadOf({ headers, body }: StreamedReply, subject: string, maxBytes: number): Download {
  const header = (name: string) => [headers[name]].flat()[0] ?? null;
  const other = otherThanFile(header('content-encoding'), header('content-range'));
  if (other !== null) {
    body.destroy();
    throw new ServiceFailure({ code: 'unexpected-response', message: `${subject} returned ${other}` });
  }
  return {
    fileName: fileNameOf(header('content-disposition')),
    contentType: header('content-type'),
    size: wholeNumber(header('content-length')),
    fileCount: wholeNumber(header('x-export-file-count')),
    body: limited(body, subject, maxBytes),
  };
}

/** Nothing but the file itself was asked for. Under its name, anything else would pass for the data. */
function otherThanFile(encoding: string | null, range: string | null): string | null {
  const quoted = (text: string) => JSON.stringify(text.slice(0, 40));
  if (range !== null) return `only a part of the file: the range ${quoted(range)}`;
  const isPlain = encoding === null || encoding.toLowerCase() === 'identity';
  return isPlain ? null : `a compressed file instead of the file itself: ${quoted(encoding)}`;
}

async function* limited(
  body: AsyncIterable<Uint8Array>,
  subject: string,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(subject, maxBytes);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof ServiceFailure || !(error instanceof Error)) throw error;
    throw new ServiceFailure({
      code: 'service-error',
      message: `${subject} broke off after ${size} bytes: ${error.message}`,
      transient: true,
    });
  }
}

function tooLarge(subject: string, maxBytes: number): ServiceFailure {
  return new ServiceFailure({
    code: 'unexpected-response',
    message: `${subject} returned a file of more than ${maxBytes} bytes`,
  });
}

/** The message of an error, of which only the beginning is read, and no longer than any other response. */
async function refused(settings: ClientSettings, subject: string, { status, headers, body }: StreamedReply) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const timer = setTimeout(() => void body.destroy(), settings.timeoutMs);
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_ERROR_BYTES) break;
    }
  } catch {
    // The status says enough.
  } finally {
    clearTimeout(timer);
  }
  const reply = { status, headers, body: Buffer.concat(chunks), truncated: null };
  return refusal(subject, reply, wordsOf(settings), placeOf(settings));
}

function explained(settings: ClientSettings, subject: string, error: unknown): unknown {
  if (!(error instanceof NoReply)) return error;
  const { facts, attempts } = noAnswer(subject, error, placeOf(settings));
  return new ServiceFailure({ ...facts, message: wordsOf(settings).text(facts.message) }, attempts);
}

function placeOf({ baseUrl, urlFrom }: ClientSettings): ServicePlace {
  return { base: new URL(baseUrl), urlFrom };
}

/** The service's text may repeat the key, or a value from the environment. */
function wordsOf({ apiKey, secrets = [] }: ClientSettings): ServiceWords {
  const search = new SecretSearch();
  search.add([...secrets, ...(apiKey === null ? [] : [apiKey])]);
  return wordsWith((text) => maskApiKeys(search.mask(text)));
}

/** A reply whose body arrives while it is read. Whoever has it must read it to its end, or destroy it. */
export interface StreamedReply extends ReplyHead {
  readonly body: Readable;
}

export interface StreamLimits {
  /** The longest time without a byte, because a large file may take as long as it takes. */
  readonly idleMs: number;
  /** Ends the request, and the body while it arrives: a download may take hours, and reading it again does no harm. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Opens a connection for one request, which is to be the only one.
 * @internal
 */
export type OpenConnection = (
  onSocket: (socket: Socket) => void,
) => Promise<{ readonly pool: Dispatcher; readonly origin: string; close(): void }>;

/**
 * Sends a request, and resolves when the head of the answer is there. Throws `NoReply`.
 * @internal
 */
export async function openStream(
  open: OpenConnection,
  { method, path, headers, body }: HttpRequest,
  limits: StreamLimits,
): Promise<StreamedReply> {
  const receiver = new Receiver(limits);
  receiver.reply.catch(() => undefined);
  if (limits.signal?.aborted === true) return receiver.reply;
  const { pool, origin, close } = await open((socket) => receiver.gate.watch(socket)).catch(
    (error: Error) => {
      // Ends its timer, and no longer listens to the signal.
      receiver.fail(error);
      throw error;
    },
  );
  receiver.onClose = close;
  pool.dispatch(
    { origin, method, path, headers: { ...headers }, body },
    {
      onRequestStart: (control) => receiver.start(control),
      onResponseStart: (_control, status, received) => receiver.head(status, received),
      onResponseData: (_control, chunk) => receiver.data(chunk),
      onResponseEnd: () => receiver.end(),
      onResponseError: (_control, error) => receiver.fail(error),
    },
  );
  return receiver.reply;
}

/** One response: first its head, then its body. */
class Receiver {
  readonly reply: Promise<StreamedReply>;
  readonly gate = new SocketGate((error) => {
    this.#socketError = error;
  });
  /** Called when nothing more is to arrive. */
  onClose: () => void = () => undefined;
  readonly #timer: IdleTimer;
  readonly #signal: AbortSignal | undefined;
  #resolve: (reply: StreamedReply) => void = () => undefined;
  #reject: (failure: NoReply) => void = () => undefined;
  #control: Dispatcher.DispatchController | null = null;
  #body: Readable | null = null;
  /** Why it ended early. */
  #failure: Error | null = null;
  #socketError: Error | null = null;
  #isComplete = false;

  constructor({ idleMs, signal }: StreamLimits) {
    this.#signal = signal;
    this.#timer = new IdleTimer(idleMs, () =>
      this.fail(new DeadlineError(`no response within ${idleMs / 1000} s`)),
    );
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer.restart();
    signal?.addEventListener('abort', this.#interrupt, { once: true });
    if (signal?.aborted) this.#interrupt();
  }

  readonly #interrupt = (): void => this.fail(new Error('interrupted'));

  start(control: Dispatcher.DispatchController): void {
    // It waited for a connection until its time was over: it must not be sent.
    if (this.#failure !== null) control.abort(this.#failure);
    else this.#control = control;
  }

  head(status: number, headers: ReplyHead['headers']): void {
    // A 1xx only announces the answer.
    if (status < 200 || this.#failure !== null) return;
    this.#timer.restart();
    this.#body = new Readable({
      read: () => {
        this.#timer.restart();
        this.gate.open();
      },
      destroy: (error, done) => {
        this.#close();
        this.#control?.abort(error ?? new Error('the download was cancelled'));
        done(error);
      },
    });
    // It may fail before somebody reads it, who gets the error then. Without a listener, that would end the process.
    this.#body.on('error', () => undefined);
    this.#resolve({ status, headers, body: this.#body });
  }

  data(chunk: Uint8Array): void {
    this.#timer.restart();
    if (this.#body?.push(chunk) !== false) return;
    // A slow disk is not a slow service: the time runs only while bytes are awaited.
    this.#timer.stop();
    this.gate.shut();
  }

  end(): void {
    // undici takes a response without a length as complete when its connection is reset.
    const reset = this.#socketError;
    this.#isComplete = reset === null;
    this.#control = null;
    if (reset !== null) this.fail(reset);
    this.#close();
    this.#body?.push(null);
  }

  fail(error: Error): void {
    // The connection may end with an error as soon as all is there.
    if (this.#isComplete) return;
    this.#close();
    this.#failure ??= error;
    if (this.#body !== null) this.#body.destroy(error);
    else {
      this.#reject(new NoReply(error, this.#control !== null));
      this.#control?.abort(error);
    }
  }

  #close(): void {
    this.#timer.stop();
    this.#signal?.removeEventListener('abort', this.#interrupt);
    // Not while undici reads the end of the response.
    setImmediate(this.onClose);
  }
}

/** Calls `onIdle` once nothing has restarted it for so long. It does not run before the first `restart`. */
export class IdleTimer {
  #timer: NodeJS.Timeout | null = null;
  #expiring: NodeJS.Immediate | null = null;

  constructor(
    private readonly idleMs: number,
    private readonly onIdle: () => void,
  ) {}

  restart(): void {
    this.#cancelExpiry();
    if (this.#timer !== null) this.#timer.refresh();
    else this.#timer = setTimeout(() => this.#expire(), this.idleMs);
  }

  stop(): void {
    this.#cancelExpiry();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** A process that was stopped finds the timer due and bytes waiting: the bytes are read first. */
  #expire(): void {
    this.#expiring = setImmediate(this.onIdle);
  }

  #cancelExpiry(): void {
    if (this.#expiring !== null) clearImmediate(this.#expiring);
    this.#expiring = null;
  }
}

/**
 * Holds a response back at its socket. undici's own pause must not be used for that: if the connection ends while
 * its parser is paused, an assertion ends the process (nodejs/undici#5360). For one connection at a time.
 */
export class SocketGate {
  #socket: Socket | null = null;
  #isShut = false;

  /** `onError` must not end the request: undici does so afterwards, and only once. */
  constructor(private readonly onError: (error: Error) => void) {}

  /** Before undici has the socket, so that its listeners come second. */
  watch(socket: Socket): void {
    const read = socket.read.bind(socket);
    socket.read = (size) => (this.#isShut ? null : read(size));
    socket.on('error', this.onError);
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

/** File systems allow 255 bytes, and roster may add a number. */
const LONGEST_NAME_BYTES = 150;

/**
 * A name that is safe in any folder, from the header `Content-Disposition`; null when it has none. It has no separators,
 * control characters, or characters that Windows refuses, and does not begin with a dot.
 */
export function fileNameOf(header: string | null): string | null {
  const name = header === null ? null : (extendedName(header) ?? plainName(header));
  return name === null ? null : safeFileName(name);
}

/** The same for any name; null when nothing is left of it. */
export function safeFileName(name: string): string | null {
  const safe = name
    .normalize('NFC')
    .replace(/[\p{C}<>:"/\\|?*]/gu, '_')
    .replace(/^[.\s_-]+|[.\s]+$/g, '');
  if (safe === '') return null;
  const isReserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(safe);
  return shortened(isReserved ? `file-${safe}` : safe);
}

/** RFC 5987: `filename*=UTF-8''…`, with a language between the quotes. */
function extendedName(header: string): string | null {
  const [, encoded] = /(?:^|[;\s])filename\*\s*=\s*UTF-8'[^';\s]*'([^;\s]+)/i.exec(header) ?? [];
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

function plainName(header: string): string | null {
  const [, quoted, bare] = /(?:^|[;\s])filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? bare ?? null;
}

/** Keeps the extension, and whole characters. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST_NAME_BYTES) return name;
  const [extension = ''] = /\.\w{1,10}$/.exec(name) ?? [];
  const stem = name.slice(0, name.length - extension.length);
  let kept = '';
  for (const character of stem) {
    if (Buffer.byteLength(kept + character) > LONGEST_NAME_BYTES - extension.length) break;
    kept += character;
  }
  return `${kept}${extension}`;
}
