/**
 * Text from the service and from manifests is data: it must never steer a terminal, a CI runner or a reader's eye.
 * Everything that this room prints goes through here.
 *
 * What is made visible, one code point at a time:
 * - control, format, line separator, surrogate and private-use characters (among them the bidirectional ones);
 * - letters and marks that show as nothing; only U+FE00-FE0F stay, because ordinary emoji end in one;
 * - `##[` and `##vso[`, which CI runners obey anywhere in a line, and `::` at the start of a text or after a space,
 *   which they obey behind any indentation.
 */
const risky =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]|(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}|(?<=#)#(?=[A-Za-z]*\[)|(?<=^|\s):(?=:)/gu;

/** The same text on one line, with every risky code point written as `\u{…}`. */
export function escapeControls(text: string): string {
  return text.replace(risky, visible);
}

/** A text of several lines as inert lines; the line breaks themselves are `\n` alone, so that a stray `\r` shows. */
export function escapeLines(text: string): string[] {
  return text.split('\n').map(escapeControls);
}

/** A value in double quotes. Quotes and backslashes inside are escaped, so that two different values never look alike. */
export function quoted(text: string): string {
  return `"${escapeControls(text.replace(/[\\"]/g, '\\$&'))}"`;
}

/** Bare where the text is one plain word, otherwise quoted. */
export function word(text: string): string {
  const plain = /^[\p{L}\p{N}][\p{L}\p{N}._/@-]*$/u.test(text);
  return plain && escapeControls(text) === text ? text : quoted(text);
}

/** UTF-16 offsets of the risky code points of a text, for those who show it piece by piece. */
export function riskyOffsets(text: string): ReadonlySet<number> {
  return new Set(Array.from(text.matchAll(risky), (match) => match.index));
}

/** One code point as `\u{…}`. */
export function visible(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
