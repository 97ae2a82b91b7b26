import { type ExactNumber, writeJson } from '../../model/exact-number.js';
import { type Json, readJson } from '../../model/json.js';
import type { Call } from '../../model/request.js';
import {
  asRecord,
  field,
  listIn,
  optionalCount,
  optionalFlag,
  type RemoteRecord,
  unexpected,
} from './record.js';
import { get, segment } from './requests.js';

/** The body of a query (§4): 50 rows a page by default, at most 200. */
export interface DatasetQuery {
  readonly search?: string;
  readonly filters?: readonly DatasetCondition[];
  readonly sortColumn?: string;
  readonly sortDirection?: 'asc' | 'desc';
  readonly page?: number;
  readonly pageSize?: number;
}

/** Text comparisons ignore case (§4). */
export interface DatasetCondition {
  readonly column: string;
  readonly operator?: QueryOperator;
  readonly value?: string | number | ExactNumber | boolean;
}

export const queryOperators = [
  'contains',
  'equals',
  'notequals',
  'startswith',
  'endswith',
  'isempty',
  'isnotempty',
  'gt',
  'gte',
  'lt',
  'lte',
] as const;
export type QueryOperator = (typeof queryOperators)[number];

/** Rows of a dataset. `isTruncated` is null where the answer does not say (§4: the name of the flag is not shown). */
export interface DatasetRows {
  readonly columns: readonly string[];
  /** By column. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly isTruncated: boolean | null;
}

export interface DatasetMatches extends DatasetRows {
  readonly totalMatches: number;
  readonly page: number | null;
  readonly pageSize: number | null;
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

function parseMatches(data: unknown): DatasetMatches {
  const record = asRecord(data, 'an object with rows');
  const totalMatches = optionalCount(record, 'totalMatches');
  if (totalMatches === null) throw unexpected('totalMatches to be a whole number', undefined);
  const [page, pageSize] = [optionalCount(record, 'page'), optionalCount(record, 'pageSize')];
  return { ...parseRows(data), totalMatches, page, pageSize };
}

/** Rows come as objects, or as lists in the order of the columns: the interface does not show them. */
function parseRows(data: unknown): DatasetRows {
  const record = asRecord(data, 'an object with rows');
  const columns = listIn(record, 'columns').map(columnName);
  const named = ['rows', 'items', 'data', 'records'].find((name) => Array.isArray(field(record, name)));
  const rows = listIn(record, named ?? 'rows').map((row) => parseRow(row, columns));
  return { columns, rows, isTruncated: truncation(record) };
}

function columnName(column: unknown): string {
  if (typeof column === 'string') return column;
  const record = asRecord(column, 'columns to hold names');
  return idLike(field(record, 'name') ?? field(record, 'key') ?? field(record, 'column'));
}

function idLike(value: unknown): string {
  if (typeof value === 'string') return value;
  throw unexpected('columns to hold names', value);
}

function parseRow(row: unknown, columns: readonly string[]): Readonly<Record<string, unknown>> {
  if (!Array.isArray(row)) return asRecord(row, 'rows to hold objects');
  return Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null]));
}

function truncation(record: RemoteRecord): boolean | null {
  const name = ['isTruncated', 'truncated', 'wasTruncated', 'hasMore'].find(
    (each) => field(record, each) != null,
  );
  return name === undefined ? null : optionalFlag(record, name);
}
