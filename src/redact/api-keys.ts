import { MASK } from './mask.js';

/** The shortest piece of a key that is masked. A shorter one may occur by chance. */
const window = 12;

/**
 * A text of the service without API keys: masks each `svc_live_…` token and each piece of a known key, in plain or in
 * an encoding that a server may echo it in (URL, base64, hexadecimal).
 */
export function redactKeys(text: string, keys: Iterable<string>): string {
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

/** Masks every part of the text that has at least `window` characters in a row in common with one of the forms. */
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
    shown += text.slice(from, at) + MASK;
    from = end;
    at = end - 1;
  }
  return shown + text.slice(from);
}

/** Unlike `toLowerCase`, it keeps the position of every character. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
