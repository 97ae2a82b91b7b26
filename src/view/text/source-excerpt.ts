import type { Place } from '../../model/diagnostic.js';
import { widthOf } from '../columns.js';
import { escapeCodePoint, escapeControls, unsafeOffsets } from '../escape.js';

/** A source line as displayed, and where the `^` marks go: first column (from 0) and number of columns. */
export interface Excerpt {
  readonly text: string;
  readonly start: number;
  readonly length: number;
}

/** One displayed character (several code points for an emoji) and its terminal columns. */
interface Cell {
  readonly shown: string;
  readonly columns: number;
  readonly marked: boolean;
}

/**
 * The source line of a place in at most `width` columns, cut on both sides of the span if it is longer. Tabs become
 * four spaces and unsafe characters are escaped; the marks stay under the span.
 */
export function excerpt(place: Place, width: number): Excerpt {
  // Text far from the span is never shown, so a line of a megabyte costs no more than a short one.
  const from = Math.max(0, place.column - 1 - 2 * width);
  const raw = place.lineText.slice(from, place.column - 1 + 2 * width).replace(/[\r\n].*$/su, '');
  const begin = Math.min(place.column - 1 - from, raw.length);
  const cells = toCells(raw, begin, begin + Math.max(1, place.length));
  const cutBefore = from > 0;
  const cutAfter = from + raw.length < place.lineText.trimEnd().length;
  return windowed(cells, { cutBefore, cutAfter }, width);
}

function toCells(raw: string, begin: number, end: number): Cell[] {
  const unsafe = unsafeOffsets(raw);
  return Array.from(segmentsOf(raw), ({ segment, index }) => {
    const shown = segment === '\t' ? '    ' : showSegment(segment, index, unsafe);
    const marked = index < end && index + segment.length > begin;
    return { shown, columns: widthOf(shown), marked };
  });
}

let segmenter: Intl.Segmenter | undefined;

/** Segmenters take much memory outside the heap, and ASCII text does not need one. */
function segmentsOf(raw: string): Iterable<{ readonly segment: string; readonly index: number }> {
  if (/^[ -~\t]*$/.test(raw)) return Array.from(raw, (segment, index) => ({ segment, index }));
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(raw);
}

function showSegment(segment: string, index: number, unsafe: ReadonlySet<number>): string {
  let offset = index;
  let shown = '';
  for (const character of segment) {
    shown += unsafe.has(offset) ? escapeCodePoint(character) : character;
    offset += character.length;
  }
  return shown;
}

function windowed(
  cells: readonly Cell[],
  cuts: { readonly cutBefore: boolean; readonly cutAfter: boolean },
  width: number,
): Excerpt {
  const total = sum(cells);
  const marked = cells.findIndex((cell) => cell.marked);
  const anchor = marked === -1 ? cells.length : marked;
  if (total <= width && !cuts.cutBefore && !cuts.cutAfter) return assemble(cells, anchor, '', '');
  const first = total <= width - 2 ? 0 : walkBack(cells, anchor, Math.floor(width / 3));
  let last = first;
  for (let used = 2; last < cells.length; last += 1) {
    used += cells[last]?.columns ?? 0;
    if (used > width) break;
  }
  const head = first > 0 || cuts.cutBefore ? '…' : '';
  const tail = last < cells.length || cuts.cutAfter ? '…' : '';
  return assemble(cells.slice(first, last), anchor - first, head, tail);
}

function walkBack(cells: readonly Cell[], anchor: number, columns: number): number {
  let first = anchor;
  for (let left = columns; first > 0; first -= 1) {
    left -= cells[first - 1]?.columns ?? 0;
    if (left < 0) break;
  }
  return first;
}

function assemble(cells: readonly Cell[], anchor: number, head: string, tail: string): Excerpt {
  const text = head + cells.map((cell) => cell.shown).join('') + tail;
  const start = widthOf(head) + sum(cells.slice(0, anchor));
  return { text, start, length: Math.max(1, sum(cells.filter((cell) => cell.marked))) };
}

function sum(cells: readonly Cell[]): number {
  return cells.reduce((columns, cell) => columns + cell.columns, 0);
}

/** `roster.yaml:17:5`. */
export function placeText({ file, line, column }: Place): string {
  return `${escapeControls(file)}:${line}:${column}`;
}
