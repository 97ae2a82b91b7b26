import type { DataTable } from '../../model/data.js';
import { ExactNumber, writeJson } from '../../model/exact-number.js';
import { count } from '../../model/words.js';
import { escapeCodePoint, escapeControls } from '../escape.js';
import { escapeJson } from '../json/diagnostics-json.js';
import { type Column, joinBlocks, type TextOptions, table, textLayout, titled } from '../text/layout.js';

/** A table for each dataset, with a line that says how much of it is shown. */
export function rowsText(tables: readonly DataTable[], options: TextOptions): string {
  const layout = textLayout(options);
  if (tables.length === 0) return '';
  return joinBlocks(
    tables.map((each) => {
      const title = `${escapeControls(each.agent ?? 'dataset')}: ${rowCount(each)} (${each.id})`;
      return titled(title, table(columnsOf(each), each.rows), layout);
    }),
  );
}

type DataRow = DataTable['rows'][number];

function columnsOf({ columns }: DataTable): readonly Column<DataRow>[] {
  return columns.map((title) => ({
    title: escapeControls(title),
    isPlain: true,
    text: (row) => escapeControls(cellText(Object.hasOwn(row, title) ? row[title] : null)),
  }));
}

function rowCount({ rows, totalMatches, isTruncated }: DataTable): string {
  const shown = count(rows.length, 'row');
  if (totalMatches !== null && totalMatches !== rows.length) return `${shown} of ${totalMatches}`;
  return isTruncated === true ? `the first ${shown}` : shown;
}

/** A line for each record, with its agent. Characters that a terminal might act on are JSON escapes. */
export function rowsJsonLines(tables: readonly DataTable[]): string {
  return tables.flatMap(({ agent, id, rows }) => rows.map((row) => recordLine(agent, id, row))).join('');
}

export function recordLine(agent: string | null, dataset: string, record: DataRow): string {
  return escapeJson(`${writeJson({ agent, dataset, record })}\n`);
}

/**
 * Rows as CSV after RFC 4180. A text that a spreadsheet would run as a formula gets an apostrophe in front, as OWASP
 * advises; numbers stay numbers. What a terminal or a CI runner would act on is escaped, and nothing else: letters that need
 * joiners stay as they are. Several datasets become one table of all their columns, with the agent in front.
 * Written here and not by csv-stringify, whose `escape_formulas` turns negative numbers into texts.
 */
export function csvText(tables: readonly DataTable[]): string {
  const columns = [...new Set(tables.flatMap((each) => each.columns))];
  const isOne = tables.length === 1;
  const header = isOne ? columns : ['agent', ...columns];
  const lines = tables.flatMap(({ agent, id, rows }) =>
    rows.map((row) => {
      const cells = columns.map((column) => (Object.hasOwn(row, column) ? row[column] : null));
      return isOne ? cells : [agent ?? id, ...cells];
    }),
  );
  if (tables.length === 0) return '';
  return [header, ...lines]
    .map((cells) => `${cells.map((cell, index) => csvCell(cell, index === 0)).join(',')}\r\n`)
    .join('');
}

/** `isFirst`: it begins a line. */
export function csvCell(value: unknown, isFirst = false): string {
  const text = cellText(value);
  const isFormula = /^[=+\-@\t\r]/.test(text) && typeof value !== 'number' && !isNumber(text);
  const safe = escapeCell(isFormula ? `'${text}` : text);
  const isQuoted = /[",\r\n]/.test(safe) || (isFirst && isCommand(safe));
  return isQuoted ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A cell may have several lines, with `\n` or `\r\n` between them. */
function escapeCell(text: string): string {
  const [first = '', ...others] = text.replace(controls, escapeCodePoint).split('\n');
  return [first, ...others.map((line) => (isCommand(line) ? line.replace(':', escapeCodePoint) : line))].join(
    '\n',
  );
}

const controls = /(?!\t|\r?\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]|(?<=#)#(?=[A-Za-z]*\[)/gu;

/** CI runners execute it, after any indentation. */
function isCommand(line: string): boolean {
  return line.trimStart().startsWith('::');
}

function isNumber(text: string): boolean {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text);
}

/** Lists and objects as JSON; nothing for null. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' && !(value instanceof ExactNumber) ? writeJson(value) : String(value);
}
