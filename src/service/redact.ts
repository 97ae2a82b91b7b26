const mask = '[redacted]';

/** As long a piece of a key as a message may show by chance. */
const window = 12;

/**
 * Text without API keys: each `svc_live_…` token, and each piece of a known key, plain or in an encoding that
 * a server may echo it in (URL, base64, hex). Views redact again: this is where the service's words come in.
 */
export function redact(text: string, keys: Iterable<string>): string {
  const forms = [...keys].flatMap(spellings);
  return hidePieces(text, forms).replace(/svc_live_[^\s"'<>,;]*/gi, mask);
}

function spellings(key: string): string[] {
  const bytes = Buffer.from(key);
  return [
    key,
    encodeURIComponent(key),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

/** Masks every stretch of the text that shares `window` characters in a row with one of the forms. */
function hidePieces(text: string, forms: readonly string[]): string {
  const pieces = new Set<string>();
  for (const form of forms)
    for (let at = 0; at + window <= form.length; at += 1) pieces.add(lowerAscii(form.slice(at, at + window)));
  const lower = lowerAscii(text);
  let shown = '';
  let from = 0;
  for (let at = 0; at + window <= text.length; at += 1) {
    if (!pieces.has(lower.slice(at, at + window))) continue;
    let end = at + window;
    while (end < text.length && pieces.has(lower.slice(end - window + 1, end + 1))) end += 1;
    shown += text.slice(from, at) + mask;
    from = end;
    at = end - 1;
  }
  return shown + text.slice(from);
}

/** Keeps every index where it was, which `toLowerCase` does not. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
