const LONGEST_NAME = 150;

/**
 * A name that is safe in any folder, from the header `Content-Disposition`; null when it has none. It has no separators,
 * control characters, or characters that Windows refuses, and does not begin with a dot.
 */
export function fileNameOf(header: string | null): string | null {
  const name = header === null ? null : (extendedName(header) ?? plainName(header));
  if (name === null) return null;
  const safe = name
    .normalize('NFC')
    .replace(/[\p{C}<>:"/\\|?*]/gu, '_')
    .replace(/^[.\s_-]+|[.\s]+$/g, '');
  if (safe === '') return null;
  const isReserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(safe);
  return shortened(isReserved ? `file-${safe}` : safe);
}

/** RFC 5987: `filename*=UTF-8''…`. */
function extendedName(header: string): string | null {
  const [, encoded] = /filename\*\s*=\s*UTF-8''([^;\s]+)/i.exec(header) ?? [];
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

function plainName(header: string): string | null {
  const [, quoted, bare] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? bare ?? null;
}

/** Keeps the extension. */
function shortened(name: string): string {
  if (name.length <= LONGEST_NAME) return name;
  const [extension = ''] = /\.\w{1,10}$/.exec(name) ?? [];
  return `${name.slice(0, LONGEST_NAME - extension.length)}${extension}`;
}
