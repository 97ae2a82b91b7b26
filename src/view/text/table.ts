import { cut, pad, widthOf } from '../columns.js';
import { flow, indent, wrap } from './layout.js';
import type { TextLayout } from './paint.js';

export interface Column<R> {
  readonly title: string;
  /** Whether the title stays as it is. By default it is in capitals. */
  readonly isPlain?: true;
  /** Texts without line breaks, escaped. */
  text(row: R): string;
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
  const lines = [
    columns.map(({ title, isPlain }) => (isPlain === true ? title : title.toUpperCase())),
    ...cells,
  ];
  const widths = columns.map((_, index) =>
    lines.reduce((most, line) => Math.max(most, widthOf(line[index] ?? '')), 0),
  );
  return lines.map((line) =>
    line
      .map((cell, index) => pad(cell, widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
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
