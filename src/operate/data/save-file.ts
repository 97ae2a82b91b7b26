import { PartFile } from '../../files/part-file.js';
import { zipEntries } from '../../files/zip-end.js';
import { isJsonObject, parseJson } from '../../model/json.js';
import type { Download } from '../../service/downloads.js';
import { ServiceFailure } from '../../service/failure.js';

export interface SaveTarget {
  readonly folder: string;
  /** The name in the folder, which `PartFile` numbers if it is taken. */
  readonly name: string;
  /** How many files a bulk export says it holds; null for any other file. */
  readonly fileCount: number | null;
  onBytes(bytes: number): void;
}

export interface SavedFile {
  readonly file: string;
  readonly bytes: number;
  /** How many entries a zip has; null for any other file. */
  readonly entries: number | null;
}

/**
 * Streams a download to the disk, whole or not at all. @throws ServiceFailure for a file that is cut or is not data, and
 * the system's errors.
 */
export async function saveFile(download: Download, target: SaveTarget): Promise<SavedFile> {
  const part = await PartFile.create(target.folder);
  try {
    const bytes = await receive(download, part, target);
    if (download.size !== null && download.size !== bytes)
      throw broken(`${target.name} has ${bytes} bytes instead of ${download.size}`);
    const entries = await checkZip(part, bytes, target);
    return { file: await part.keep(target.name), bytes, entries };
  } finally {
    await part.discard();
  }
}

async function receive(download: Download, part: PartFile, { name, onBytes }: SaveTarget): Promise<number> {
  let bytes = 0;
  for await (const piece of checked(download, name)) {
    await part.write(piece);
    bytes += piece.length;
    onBytes(bytes);
  }
  return bytes;
}

/** Enough to tell data from a page or an error. A service may send it byte by byte. */
const START_BYTES = 4_096;

/** The pieces of a file, of which the first is its start. */
async function* checked({ body, contentType }: Download, name: string): AsyncGenerator<Uint8Array> {
  let start: Buffer | null = Buffer.alloc(0);
  for await (const piece of body) {
    if (start === null) yield piece;
    else {
      start = Buffer.concat([start, piece]);
      if (start.length < START_BYTES) continue;
      refuseOtherThanData(start, contentType, name);
      yield start;
      start = null;
    }
  }
  if (start === null) return;
  refuseOtherThanData(start, contentType, name);
  yield start;
}

/** A proxy may answer with a page, and a service with an error in its envelope, both as 200. */
function refuseOtherThanData(first: Buffer, contentType: string | null, name: string): void {
  const start = first
    .toString('utf8', 0, START_BYTES)
    .replace(/^\ufeff/, '')
    .trimStart();
  const isPage =
    /^(?:<!--(?:(?!-->)[\s\S])*-->\s*)*(?:<!doctype html|<html)/i.test(start) ||
    (contentType ?? '').toLowerCase().startsWith('text/html');
  if (isPage && !/\.html?$/.test(name)) throw notData('an HTML page');
  if (/^\{\s*"success"\s*:\s*false/i.test(start) || isError(start)) throw notData('an error');
}

/** A complete error of the service (interface §7), its properties in any order. */
function isError(start: string): boolean {
  const body = start.startsWith('{') ? parseJson(start) : undefined;
  return isJsonObject(body) && body['success'] === false && ('message' in body || 'errorCode' in body);
}

function notData(what: string): ServiceFailure {
  return new ServiceFailure({
    code: 'unexpected-response',
    message: `the service returned ${what} instead of a file`,
    help: 'Check that no proxy answers in place of the service.',
  });
}

async function checkZip(
  part: PartFile,
  bytes: number,
  { name, fileCount }: SaveTarget,
): Promise<number | null> {
  if (!name.endsWith('.zip')) return null;
  const entries = await zipEntries(part.handle, bytes);
  if (entries === null) throw broken(`${name} is not a whole zip`);
  if (entries === 'many') return null;
  if (fileCount === null || fileCount === entries) return entries;
  throw broken(`${name} holds ${entries} files instead of the ${fileCount} that the service announced`);
}

function broken(message: string): ServiceFailure {
  return new ServiceFailure({
    code: 'unexpected-response',
    message: `${message}, and was not kept`,
    help: 'Try again.',
  });
}
