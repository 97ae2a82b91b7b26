import { extname } from 'node:path';
import { safeFileName } from '../../service/downloads.js';

/** Longer stems are cut by `safeFileName`, which keeps the extension: the time must stay, too. */
const LONGEST_STEM = 60;

/** `<agent>-<time>.<ext>`: safe in any folder, whatever the service calls the agent and the file. */
export function dataFileName(stem: string, time: string | null, extension: string): string {
  const plain = stem.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, LONGEST_STEM);
  const end = time === null ? '' : `-${compactTime(time)}`;
  // The cut may have left half of a character.
  const safe = safeFileName(plain.toWellFormed()) ?? 'data';
  // Windows reserves names such as `con.x`, whatever follows them.
  return safeFileName(`${safe}${end}${extension}`) ?? `data${end}${extension}`;
}

/** `20261201T060008Z` */
function compactTime(time: string): string {
  return time.replace(/\.\d+/, '').replace(/[-:]/g, '');
}

const byType: Readonly<Record<string, string>> = {
  'text/csv': '.csv',
  'application/json': '.json',
  'application/zip': '.zip',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': '.xlsx',
};

/** By the names that the service gives, else by the type. */
export function extensionOf(names: readonly (string | null)[], contentType: string | null): string {
  const [found] = names.map((name) => extname(name ?? '').toLowerCase()).filter(isExtension);
  return found ?? byType[contentType?.split(';')[0]?.trim().toLowerCase() ?? ''] ?? '.dat';
}

function isExtension(text: string): boolean {
  return /^\.[a-z0-9]{1,10}$/.test(text);
}
