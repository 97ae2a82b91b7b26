import type { Dispatcher } from 'undici';
import { maskApiKeys } from '../redact/api-keys.js';
import { SecretSearch } from '../redact/secret-search.js';
import { type ClientSettings, rateLimiter, retrySettings } from './client-settings.js';
import { ServiceFailure } from './failure.js';
import { fileNameOf } from './file-name.js';
import { NoReply } from './http.js';
import { noAnswer } from './no-answer.js';
import type { DownloadCall } from './operations/download.js';
import { wholeNumber } from './operations/record.js';
import { withOtherMethods } from './other-methods.js';
import { refusal } from './refusal.js';
import { requestPath } from './request-url.js';
import { withRetries } from './retry.js';
import type { ServicePlace } from './service-place.js';
import { type ServiceWords, wordsWith } from './service-words.js';
import { type OpenConnection, openStream, type StreamedReply } from './stream.js';
import { serviceUrl } from './url.js';

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
              body: sent.body === undefined ? null : JSON.stringify(sent.body),
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
