import { styleText } from 'node:util';
import type { DiagnosticCode, Place } from '../../model/diagnostic.js';
import { cut, fits, pad, pieces, widest, widthOf } from '../columns.js';

/** How many lines of a terminal these take if it wraps those that are too long. */
export function linesTaken(lines: readonly string[], width: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / Math.max(1, width))), 0);
}

/** The width of the terminal, 80 if it is unknown, and at least 40. */
export function usableWidth(width: number | undefined): number {
  return Math.max(40, width === undefined || !Number.isFinite(width) ? 80 : Math.floor(width));
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

/** Fills lines with as many fragments as fit. `lead` is what the first line has room for beside `width`. */
export function flow(fragments: readonly Fragment[], width: number, gap: string, lead = 0): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const { text, shown = text } of fragments) {
    const columns = widthOf(text);
    const room = lines.length === 0 ? width + lead : width;
    const fits = used + gap.length + columns <= room;
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
export function joinBlocks(blocks: Iterable<readonly string[]>): string {
  return [...blockTexts(blocks)].join('');
}

/** The same text, one piece for each block. */
export function* blockTexts(blocks: Iterable<readonly string[]>): Generator<string> {
  let between = '';
  for (const block of blocks) {
    if (block.length === 0) continue;
    yield `${between}${block.join('\n')}\n`;
    between = '\n';
  }
}

/** `first` before the first line and as many spaces before the others. */
export function hangingIndent(first: string, lines: readonly string[]): string[] {
  const rest = ' '.repeat(widthOf(first));
  return lines.map((line, index) => (index === 0 ? first : rest) + line);
}

const styles = {
  added: 'green',
  removed: 'red',
  changed: 'yellow',
  replaced: 'magenta',
  kept: 'cyan',
  faint: 'gray',
  strong: 'bold',
  danger: ['bold', 'red'],
  warning: ['bold', 'yellow'],
} as const;

export type Style = keyof typeof styles;

/** Colors a text without line breaks. */
export type Paint = (style: Style, text: string) => string;

/** The caller decides on color: it knows the terminal, the flags and NO_COLOR. */
function painter(color: boolean): Paint {
  if (!color) return (_style, text) => text;
  return (style, text) => {
    const format = styles[style];
    return styleText(typeof format === 'string' ? format : [...format], text, { validateStream: false });
  };
}

/** The options of every text view. `width` is in columns. */
export interface TextOptions {
  readonly color: boolean;
  readonly width?: number | undefined;
  readonly verbose?: boolean | undefined;
  /** Whether rows that are wider take several lines, as on a terminal. Default: false, for `grep`. */
  readonly breaksRows?: boolean | undefined;
  /** The address of a place or of the page about a code, for terminals that have links. */
  readonly linkOf?: ((target: Place | DiagnosticCode) => string) | undefined;
}

/** `width` is the number of columns that are left on the line. */
export interface TextLayout {
  readonly width: number;
  readonly verbose: boolean;
  readonly breaksRows: boolean;
  readonly paint: Paint;
  /** Makes a text that names a place or a code a link to it, where the terminal has links. */
  link(target: Place | DiagnosticCode, text: string): string;
}

export function textLayout({
  color,
  width,
  verbose = false,
  breaksRows = false,
  linkOf,
}: TextOptions): TextLayout {
  return {
    width: usableWidth(width),
    verbose,
    breaksRows,
    paint: painter(color),
    link: (target, text) => (linkOf === undefined ? text : hyperlink(linkOf(target), text)),
  };
}

/** OSC 8. The address must be escaped: a control character in it would end the sequence. */
function hyperlink(address: string, text: string): string {
  return `\u001b]8;;${address}\u001b\\${text}\u001b]8;;\u001b\\`;
}

/** `Plan: 2 to create, 0 to update, …`: the counts that are 0 are faint. The text stays as it is. */
export function countsLine(line: string, style: Style, paint: Paint): string {
  const parts = line.split(/((?:(?<=: |, )0 [a-z ]+(?:, |\.))+)/).filter((part) => part !== '');
  return parts.map((part) => paint(part.startsWith('0 ') ? 'faint' : style, part)).join('');
}

export interface RowCell<R> {
  /** Texts without line breaks, escaped. */
  text(row: R): string;
  style?(row: R): Style;
}

export interface Column<R> extends RowCell<R> {
  readonly title: string;
  /** Whether the title stays as it is. By default it is in capitals. */
  readonly isPlain?: true;
}

/** Longer texts are cut, but for those of the last column. */
const WIDEST_COLUMN = 48;

/** Rows under the titles of their columns, aligned. Lines are never broken: they are for `grep`, too. */
export function table<R>(columns: readonly Column<R>[], rows: readonly R[]): string[] {
  const cells = rows.map((row) =>
    columns.map(({ text }, index) =>
      index === columns.length - 1 ? text(row) : cut(text(row), WIDEST_COLUMN),
    ),
  );
  const titles = columns.map(({ title, isPlain }) => (isPlain === true ? title : title.toUpperCase()));
  return aligned([titles, ...cells]).map((line) => line.join('  ').trimEnd());
}

function aligned(lines: readonly (readonly string[])[]): string[][] {
  const widths = (lines[0] ?? []).map((_, index) => widest(lines.map((line) => line[index] ?? '')));
  return lines.map((line) => line.map((cell, index) => pad(cell, widths[index] ?? 0)));
}

/**
 * The lines of each row of a table without titles. One of its cells has a style, and the one before it says what the row is
 * about: where a terminal is too narrow, a row begins with these two, and the others are below.
 */
export function rowLines<R>(
  columns: readonly RowCell<R>[],
  rows: readonly R[],
  layout: TextLayout,
): string[][] {
  const cells = rows.map((row) => columns.map(({ text }) => text(row)));
  const padded = aligned(cells);
  const painted = rows.map((row, at) =>
    columns.map(({ style }, index) => {
      const cell = padded[at]?.[index] ?? '';
      return style === undefined ? cell : layout.paint(style(row), cell);
    }),
  );
  const lines = painted.map((line) => line.join('  ').trimEnd());
  if (!areTooWide(lines, layout)) return lines.map((line) => [line]);
  const state = columns.findIndex(({ style }) => style !== undefined);
  return cells.map((texts, at) => {
    const name = texts[state - 1] ?? '';
    const lead = name.length - name.trimStart().length;
    const others = texts.toSpliced(state - 1, 2);
    const [head = '', ...below] = stacked(`${painted[at]?.[state]}  ${name}`, others, layout.width - lead);
    return [head, ...indent(below, lead)];
  });
}

/** A title, and below it the titles of columns and their rows, as far as there are any. */
export function titled(
  title: string,
  [titles = '', ...rows]: readonly string[],
  { paint }: TextLayout,
): string[] {
  const head = paint('strong', title);
  return rows.length === 0 ? [head] : [head, ...indent([paint('faint', titles), ...rows], 2)];
}

/** Whether the cells of rows should be laid out one below the other: on a terminal that would break them anywhere. */
export function areTooWide(lines: readonly string[], { width, breaksRows }: TextLayout): boolean {
  return breaksRows && lines.some((line) => widthOf(line) > width);
}

/** A row that does not fit: what it is about, and below it the rest, without what is empty. */
export function stacked(head: string, cells: readonly string[], width: number): string[] {
  const fragments = cells.filter((cell) => cell !== '').map((text) => ({ text }));
  const room = width - 2;
  return [
    head,
    ...indent(
      flow(fragments, room, '; ').flatMap((line) => wrap(line, room)),
      2,
    ),
  ];
}
