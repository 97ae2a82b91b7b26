/**
 * Text from the service and from manifests is untrusted data: it must never control a terminal or a CI runner, or
 * mislead a reader. Everything that a view prints is escaped here.
 *
 * Escaped, one code point at a time:
 * - control, format, line-separator, surrogate and private-use characters, including the bidirectional ones;
 * - letters and marks without a visible glyph, except U+FE00-FE0F, which end ordinary emoji;
 * - `##[` and `##vso[`, which CI runners execute anywhere in a line, and `::` at the start of a text or after a space,
 *   which they execute after any indentation.
 */
const unsafeCharacters =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]|(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}|(?<=#)#(?=[A-Za-z]*\[)|(?<=^|\s):(?=:)/gu;

/** The same text on one line, with every unsafe code point written as `\u{…}`. */
export function escapeControls(text: string): string {
  return harmless.test(text) ? text : text.replace(unsafeCharacters, escapeCodePoint);
}

/** Most texts: ASCII without a colon or a number sign. */
const harmless = /^[ -"$-9;-~]*$/;

/** The lines of a text, escaped. Only `\n` breaks a line, so that a stray `\r` is visible. */
export function escapeLines(text: string): string[] {
  return text.split('\n').map(escapeControls);
}

/** A value in double quotes. Quotes and backslashes inside it are escaped, so that different values always look different. */
export function quoted(text: string): string {
  return `"${escapeControls(text.replace(/[\\"]/g, '\\$&'))}"`;
}

/** The text itself if it is one plain word, otherwise in quotes. */
export function word(text: string): string {
  const plain = /^[\p{L}\p{N}][\p{L}\p{N}._/@-]*$/u.test(text);
  return plain && escapeControls(text) === text ? text : quoted(text);
}

/** UTF-16 offsets of the unsafe code points of a text, for views that show it in segments. */
export function unsafeOffsets(text: string): ReadonlySet<number> {
  return new Set(Array.from(text.matchAll(unsafeCharacters), (match) => match.index));
}

/** One code point as `\u{…}`. */
export function escapeCodePoint(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
