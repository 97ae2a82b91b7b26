/** Most texts: they need no pattern with Unicode properties, whose first use takes a third as long as starting Node. */
const printable = /^[ -~]*$/;
/** No control character besides tab, line feed and next line. */
const plainFile = /^[\t\n\u0085 -~\u00a0-\uffff]*$/;

/** Control, format (bidirectional, zero-width), line-separating and half characters: all are invisible. */
const unseen = '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]';

/** Joiners and non-joiners are part of the spelling in scripts whose letters join, and in emoji made of several. */
const joining = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Nko', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati'],
  ...['Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar'],
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');
/** Signs without a vowel. A joiner after one is seen even where a word ends. */
const viramas = '\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca';
const joiner = [
  `(?<=[${joining}]\\p{M}*)\\p{Join_Control}(?=[${joining}])`,
  `(?<=[${viramas}])\\p{Join_Control}`,
  '(?<=\\p{Extended_Pictographic}[\\ufe0f\\p{Emoji_Modifier}]?)\\u200d(?=\\p{Extended_Pictographic})',
].join('|');
/** The same patterns are in the schemas. */
const patterns = {
  line: `(?!${joiner})${unseen}`,
  prose: '[\\p{Cs}]|(?![\\n\\t])\\p{Cc}',
};
const made: { [rule in TextRule]?: RegExp } = {};

/** `line`: names, keys, anything shown on one line. `prose`: descriptions and inputs, which may contain line breaks. */
export type TextRule = 'line' | 'prose';

/** The first character that a text must not contain, as `U+202E`; null for a safe text. */
export function unsafe(text: string, rule: TextRule): string | null {
  if (printable.test(text)) return null;
  made[rule] ??= new RegExp(patterns[rule], 'u');
  const found = made[rule].exec(text);
  return found === null ? null : codePoint(found[0]);
}

/** A text for a message: in quotes, shortened, and with invisible characters escaped. */
export function quoted(text: string): string {
  const cut = text.length > 80 ? `${text.slice(0, 79)}…` : text;
  if (printable.test(cut)) return `"${cut}"`;
  return `"${cut.replace(new RegExp(unseen, 'gu'), (found) => `\\u{${codePoint(found).slice(2)}}`)}"`;
}

/** The same without the quotes, for text to be written as shown. */
export function inline(text: string): string {
  return quoted(text).slice(1, -1);
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * The first character that a text file must not contain: control characters besides tab and line break, which
 * YAML forbids, and a carriage return alone, which hides text in a terminal.
 */
export function findControl(text: string): { readonly at: number; readonly name: string } | null {
  if (plainFile.test(text)) return null;
  const at = text.search(/(?!\r\n|[\t\n\u0085])\p{Cc}/u);
  return at === -1 ? null : { at, name: codePoint(text.charAt(at)) };
}
