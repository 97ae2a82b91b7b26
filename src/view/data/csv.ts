import type { DataTable } from '../../model/data.js';

/**
 * Rows as CSV after RFC 4180. A text that a spreadsheet would run as a formula gets an apostrophe in front, as OWASP
 * advises; numbers stay numbers. Several datasets become one table of all their columns, with the agent in front.
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
  return [header, ...lines].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

export function csvCell(value: unknown): string {
  const text = cellText(value);
  const isFormula = /^[=+\-@\t\r]/.test(text) && typeof value !== 'number' && !isNumber(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function isNumber(text: string): boolean {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
}

/** Lists and objects as JSON; nothing for null. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
