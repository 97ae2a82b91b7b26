import stringWidth from 'fast-string-width';

/** The terminal columns of a text without line breaks. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** The columns of the longest. Not by spreading: a run may have more members than a call may have arguments. */
export function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);
}

/** The text, or if it is too long its beginning, its length and its end, in at most `width` columns (at least 24). */
export function cut(text: string, width: number): string {
  if (fits(text, width)) return text;
  const lengthNote = `…(${text.length} characters)…`;
  const available = Math.max(0, Math.max(24, width) - widthOf(lengthNote));
  const tail = Math.floor(available / 3);
  const end = takeColumns(charactersOf(text.slice(-4 * tail - 1)).reverse(), tail);
  const start = takeColumns(charactersOf(text.slice(0, 4 * available + 1)), available - tail);
  return `${start.join('')}${lengthNote}${end.reverse().join('')}`;
}

/** `\u{10ffff}`. */
const LONGEST_ESCAPE = 10;

/** The characters of an escaped text. An escape is one: half of it would be another text. */
function charactersOf(text: string): string[] {
  return text.match(/\\u\{[0-9a-f]{1,6}\}|./gsu) ?? [];
}

function takeColumns(characters: readonly string[], columns: number): string[] {
  const taken: string[] = [];
  let left = columns;
  for (const character of characters) {
    // Half of a surrogate pair, cut by the slice.
    if (/^\p{Cs}$/u.test(character)) continue;
    left -= Math.max(1, widthOf(character));
    if (left < 0) break;
    taken.push(character);
  }
  return taken;
}

/** True for a text that `cut` and `folded` leave as it is. */
export function fits(text: string, width: number): boolean {
  // Many code units in few columns are stacked marks.
  return text.length <= 4 * width && widthOf(text) <= width;
}

/** The text in pieces of at most `columns` columns. Marks count as one, so that a stack of them is broken as well. */
export function pieces(text: string, columns: number): string[] {
  const found: string[] = [];
  let piece = '';
  let used = 0;
  const characters = columns < LONGEST_ESCAPE ? Array.from(text) : charactersOf(text);
  for (const character of characters) {
    const width = Math.max(1, widthOf(character));
    if (used > 0 && used + width > columns) {
      found.push(piece);
      piece = '';
      used = 0;
    }
    piece += character;
    used += width;
  }
  return [...found, piece];
}

/** Pads with spaces on the right to `columns` terminal columns. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}
