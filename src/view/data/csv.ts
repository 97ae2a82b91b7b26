import type { DataTable } from '../../model/data.js';
import { escapeCodePoint } from '../escape.js';

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
  const safe = escapeControls(isFormula ? `'${text}` : text);
  const isQuoted = /[",\r\n]/.test(safe) || (isFirst && isCommand(safe));
  return isQuoted ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A cell may have several lines, with `\n` or `\r\n` between them. */
function escapeControls(text: string): string {
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
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
}

/** Lists and objects as JSON; nothing for null. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
