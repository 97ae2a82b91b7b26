import stringWidth from 'string-width';

/** Of single characters: each look takes memory outside of the heap, and texts repeat few characters very often. */
const widths = new Map<string, number>();
const mostWidths = 2_000;
const longestCharacter = 8;

/** Terminal columns that a text without line breaks takes. */
export function widthOf(text: string): number {
  if (text.length > longestCharacter) return stringWidth(text);
  const known = widths.get(text);
  if (known !== undefined) return known;
  const width = stringWidth(text);
  if (widths.size >= mostWidths) widths.clear();
  widths.set(text, width);
  return width;
}

/** The width to lay out for: what the terminal says, 80 where it says nothing, and never too narrow to be of use. */
export function usableWidth(width: number | undefined): number {
  return Math.max(40, width === undefined || !Number.isFinite(width) ? 80 : Math.floor(width));
}

/** The text, or its beginning and end with its length between them, in at most `width` columns (at least 24). */
export function cut(text: string, width: number): string {
  // A text of many code units and few columns is made of stacked marks: that is cut too.
  if (text.length <= 4 * width && widthOf(text) <= width) return text;
  const told = `…(${text.length} characters)…`;
  const room = Math.max(0, Math.max(24, width) - widthOf(told));
  const tail = Math.floor(room / 3);
  const end = takeColumns(Array.from(text.slice(-4 * tail - 1)).reverse(), tail);
  const start = takeColumns(Array.from(text.slice(0, 4 * room + 1)), room - tail);
  return `${start.join('')}${told}${end.reverse().join('')}`;
}

function takeColumns(characters: readonly string[], columns: number): string[] {
  const taken: string[] = [];
  let left = columns;
  for (const character of characters) {
    // Half of a pair that the slice cut through.
    if (/^\p{Cs}$/u.test(character)) continue;
    left -= Math.max(1, widthOf(character));
    if (left < 0) break;
    taken.push(character);
  }
  return taken;
}

/** Pads with spaces on the right to `columns` terminal columns. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Breaks a sentence at its spaces. A word that is longer than a line is cut. */
export function wrap(text: string, width: number): string[] {
  const words = text.split(' ').filter((each) => each !== '');
  return flow(
    words.map((each) => ({ text: cut(each, width) })),
    width,
    ' ',
  );
}

/** A piece that is never broken. `shown` is the text with its colour, where it has one. */
export interface Piece {
  readonly text: string;
  readonly shown?: string;
}

/** Lines of as many pieces as fit. */
export function flow(pieces: readonly Piece[], width: number, gap: string): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const { text, shown = text } of pieces) {
    const columns = widthOf(text);
    const fits = used + gap.length + columns <= width;
    if (used > 0 && fits) line += gap + shown;
    else {
      if (used > 0) lines.push(line);
      line = shown;
      used = -gap.length;
    }
    used += gap.length + columns;
  }
  return used > 0 ? [...lines, line] : lines;
}

export function indent(lines: readonly string[], columns: number): string[] {
  return lines.map((line) => (line === '' ? '' : ' '.repeat(columns) + line));
}

/** `first` before the first line and as many spaces before the others. */
export function hangingIndent(first: string, lines: readonly string[]): string[] {
  const rest = ' '.repeat(widthOf(first));
  return lines.map((line, index) => (index === 0 ? first : rest) + line);
}

/** `1 error`, `2 errors`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
