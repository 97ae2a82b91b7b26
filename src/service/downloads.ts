import { wholeNumber } from '../model/shape.js';
import { type ClientSettings, createClient, type FileOpener } from './client.js';
import { ServiceFailure } from './failure.js';
import type { Reply } from './http.js';
import type { DownloadCall } from './operations/requests.js';
import { withOtherMethods } from './retry.js';
import { subjectOf } from './url.js';

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

export interface Downloads {
  /** Retries until the file begins: `Retry-After` is honoured. `maxBytes` is 10 GB by default. */
  download(call: DownloadCall, maxBytes?: number): Promise<Download>;
}

export interface Downloader extends Downloads {
  close(): Promise<void>;
}

const MAX_FILE_BYTES = 10 * 1024 ** 3;

/** For a program that needs no other client. */
export function createDownloader(settings: ClientSettings): Downloader {
  const client = createClient(settings);
  return {
    download: (call, maxBytes) => download(client, call, maxBytes),
    close: () => client.close(),
  };
}

/** Downloads in constant memory. */
export function download(
  client: FileOpener,
  { request }: DownloadCall,
  maxBytes = MAX_FILE_BYTES,
): Promise<Download> {
  return withOtherMethods(request, (sent) =>
    client.open(sent, (reply) => downloadOf(reply, subjectOf(sent), maxBytes)),
  );
}

function downloadOf({ headers, stream }: Reply, subject: string, maxBytes: number): Download {
  if (stream === undefined) throw new Error('there is no stream');
  const header = (name: string) => [headers[name]].flat()[0] ?? null;
  const other = otherThanFile(header('content-encoding'), header('content-range'));
  if (other !== null) {
    stream.destroy();
    throw new ServiceFailure({ code: 'unexpected-response', message: `${subject} returned ${other}` });
  }
  return {
    fileName: fileNameOf(header('content-disposition')),
    contentType: header('content-type'),
    size: wholeNumber(header('content-length')),
    fileCount: wholeNumber(header('x-export-file-count')),
    body: limited(stream, subject, maxBytes),
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
