import stringWidth from 'string-width';

/** Cached for single characters: each measurement takes memory outside the heap, and most texts use few characters. */
const widths = new Map<string, number>();
const maxCachedWidths = 2_000;
const maxCharacterUnits = 8;

/** Nearly all texts: ASCII, Latin letters, and what roster itself writes between values. Most runs load nothing else. */
const narrow = /^[ -~\u00a1-\u00ac\u00ae-\u024f\u2013\u2026\u2192]*$/;

/** The terminal columns of a text without line breaks. */
export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length;
  if (text.length > maxCharacterUnits) return stringWidth(text);
  const known = widths.get(text);
  if (known !== undefined) return known;
  const width = stringWidth(text);
  if (widths.size >= maxCachedWidths) widths.clear();
  widths.set(text, width);
  return width;
}

/** How many lines of a terminal these take if it wraps those that are too long. */
export function linesTaken(lines: readonly string[], width: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / Math.max(1, width))), 0);
}

/** The width of the terminal, 80 if it is unknown, and at least 40. */
export function usableWidth(width: number | undefined): number {
  return Math.max(40, width === undefined || !Number.isFinite(width) ? 80 : Math.floor(width));
}

/** The text, or if it is too long its beginning, its length and its end, in at most `width` columns (at least 24). */
export function cut(text: string, width: number): string {
  if (fits(text, width)) return text;
  const lengthNote = `…(${text.length} characters)…`;
  const available = Math.max(0, Math.max(24, width) - widthOf(lengthNote));
  const tail = Math.floor(available / 3);
  const end = takeColumns(Array.from(text.slice(-4 * tail - 1)).reverse(), tail);
  const start = takeColumns(Array.from(text.slice(0, 4 * available + 1)), available - tail);
  return `${start.join('')}${lengthNote}${end.reverse().join('')}`;
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

/**
 * The whole text in lines of at most `width` columns (at least 24). All but the first begin with a bar, so that no line
 * begins with a part of the text.
 */
export function folded(text: string, width: number): string[] {
  const columns = Math.max(24, width);
  if (fits(text, columns)) return [text];
  return pieces(text, columns - 2).map((piece, index) => (index === 0 ? piece : `┊ ${piece}`));
}

/** The text in pieces of at most `columns` columns. Marks count as one, so that a stack of them is broken as well. */
export function pieces(text: string, columns: number): string[] {
  const found: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of text) {
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

/** No path of a file is longer (PATH_MAX). */
const LONGEST_PATH = 4096;

/**
 * Breaks a sentence at its spaces, but not those of code in backticks, and words that are longer than a line. Paths are
 * never broken, because they are there to be copied.
 */
export function wrap(text: string, width: number): string[] {
  const fragments = wordsOf(text, width)
    .flatMap((each) => (isPath(each) ? [each] : folded(each, width)))
    .map((each) => ({ text: each }));
  return flow(fragments, width, ' ');
}

/** A word with all of the code in it. */
const codeOrWord = /[^ `]*(?:`[^`]*`[^ `]*)+|[^ ]+/g;

function wordsOf(text: string, width: number): string[] {
  const found = text.match(codeOrWord) ?? [];
  return found.flatMap((each) =>
    fits(each, width) ? [each] : each.split(' ').filter((word) => word !== ''),
  );
}

function isPath(word: string): boolean {
  return word.length <= LONGEST_PATH && /[\w.-][/\\][\w.-]|^[/\\]\w/.test(word);
}

/** A text that is never broken across lines. `shown` is the colored text; only `text` is measured. */
export interface Fragment {
  readonly text: string;
  readonly shown?: string;
}

/** Fills lines with as many fragments as fit. */
export function flow(fragments: readonly Fragment[], width: number, gap: string): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const { text, shown = text } of fragments) {
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

/** Blocks of lines as a text, separated by blank lines. Empty blocks are left out. */
export function joinBlocks(blocks: readonly (readonly string[])[]): string {
  const texts = blocks.filter((block) => block.length > 0).map((block) => block.join('\n'));
  return `${texts.join('\n\n')}\n`;
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
