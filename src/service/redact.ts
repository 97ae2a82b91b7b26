const MASK = '[redacted]';

/** A message must not show this many characters in a row of a key. */
const WINDOW = 12;

/**
 * Text without API keys: masks each `svc_live_…` token and each part of a known key, also in an encoding that a server
 * may echo (URL, base64, hex). Views redact again: this is where the service's text comes in.
 */
export function redact(text: string, keys: Iterable<string>): string {
  const forms = [...keys].flatMap(spellings);
  return hidePieces(text, forms).replace(/svc_live_[^\s"'<>,;]*/gi, MASK);
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

/** Masks every part of the text that shares `WINDOW` characters in a row with one of the forms. */
function hidePieces(text: string, forms: readonly string[]): string {
  const pieces = new Set<string>();
  for (const form of forms)
    for (let at = 0; at + WINDOW <= form.length; at += 1) pieces.add(lowerAscii(form.slice(at, at + WINDOW)));
  const lower = lowerAscii(text);
  let shown = '';
  let from = 0;
  for (let at = 0; at + WINDOW <= text.length; at += 1) {
    if (!pieces.has(lower.slice(at, at + WINDOW))) continue;
    let end = at + WINDOW;
    while (end < text.length && pieces.has(lower.slice(end - WINDOW + 1, end + 1))) end += 1;
    shown += text.slice(from, at) + MASK;
    from = end;
    at = end - 1;
  }
  return shown + text.slice(from);
}

/** Keeps every index, which `toLowerCase` does not. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
