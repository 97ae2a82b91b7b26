import type { DatasetCondition } from '../../model/condition.js';
import { writeJson } from '../../model/exact-number.js';
import { type Json, type JsonObject, readJson } from '../../model/json.js';
import type { Call } from '../../model/request.js';
import { flag, integer, listOf, object, optional, type Read, unexpected } from '../../model/shape.js';
import { asRecord } from './record.js';
import { get, segment } from './requests.js';

/** The body of a query (§4): 50 rows a page by default, at most 200. */
export interface DatasetQuery {
  readonly search?: string | undefined;
  readonly filters?: readonly DatasetCondition[] | undefined;
  readonly sortColumn?: string | undefined;
  readonly sortDirection?: 'asc' | 'desc' | undefined;
  readonly page?: number;
  readonly pageSize?: number;
}

export type DatasetRows = Read<typeof parseRows>;

/** Rows come as objects, or as lists in the order of the columns: the interface does not show them. */
function parseRows(data: unknown) {
  const answer = asRecord(data, 'an object with rows');
  const columns = listOf(columnName)(answer['columns'], 'columns');
  const named = ['rows', 'items', 'data', 'records'].find((name) => Array.isArray(answer[name])) ?? 'rows';
  return {
    columns,
    /** By column. */
    rows: listOf((row) => parseRow(row, columns))(answer[named], named),
    /** Null where the answer does not say (§4: the name of the flag is not shown). */
    isTruncated: truncation(answer),
  } as const;
}

export type DatasetMatches = Read<typeof parseMatches>;

const matchFields = object(
  { totalMatches: integer, page: optional(integer), pageSize: optional(integer) },
  'an object with rows',
);

function parseMatches(data: unknown) {
  const { totalMatches, page, pageSize } = matchFields(data);
  const { columns, rows, isTruncated } = parseRows(data);
  return { columns, rows, isTruncated, totalMatches, page, pageSize } as const;
}

function columnName(column: unknown): string {
  if (typeof column === 'string') return column;
  const { name, key, column: id } = asRecord(column, 'columns to hold names');
  const found = name ?? key ?? id;
  if (typeof found === 'string') return found;
  throw unexpected('columns to hold names', found);
}

function parseRow(row: unknown, columns: readonly string[]): Readonly<Record<string, unknown>> {
  if (!Array.isArray(row)) return asRecord(row, 'rows to hold objects');
  return Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null]));
}

function truncation(answer: JsonObject): boolean | null {
  const name = ['isTruncated', 'truncated', 'wasTruncated', 'hasMore'].find((each) => answer[each] != null);
  return name === undefined ? null : flag(answer[name], name);
}

const pathOf = (datasetId: string, rest: string) =>
  `/api/data-explorer/datasets/${segment(datasetId)}/${rest}`;

/** The first rows (§4). Its method is not shown. */
export function previewDataset(datasetId: string): Call<DatasetRows> {
  return { request: { ...get(pathOf(datasetId, 'preview')), otherMethods: ['POST'] }, parse: parseRows };
}

/** Filtered, sorted, paged rows (§4). It only reads, although it has a body. Its method is not shown. */
export function queryDataset(datasetId: string, query: DatasetQuery = {}): Call<DatasetMatches> {
  const request = { method: 'POST', path: pathOf(datasetId, 'query'), effect: 'read' } as const;
  const otherMethods = ['PUT', 'PATCH'] as const;
  return { request: { ...request, otherMethods, body: queryBody(query) }, parse: parseMatches };
}

export function queryBody(query: DatasetQuery): Json {
  return readJson(writeJson(query)) as Json;
}
