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
