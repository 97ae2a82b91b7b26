import type { DataTable } from '../../model/data.js';
import { count } from '../../model/words.js';
import { escapeControls } from '../escape.js';
import { escapeJson } from '../json/json-text.js';
import { joinBlocks } from '../text/layout.js';
import { type TextOptions, textLayout } from '../text/paint.js';
import { type Column, table, titled } from '../text/table.js';
import { cellText } from './csv.js';

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
  return escapeJson(`${JSON.stringify({ agent, dataset, record })}\n`);
}
