import { isJsonObject } from '../../model/json.js';
import type { Call, ListCall } from '../../model/request.js';
import {
  asRecord,
  field,
  flag,
  idText,
  listIn,
  type NumberedPage,
  oneOf,
  optionalCount,
  optionalFlag,
  optionalId,
  optionalNumber,
  optionalText,
  parseNumberedPage,
  textOr,
  wholeNumber,
} from './record.js';
import { action, type DownloadCall, file, get, segment } from './requests.js';

const datasetStatuses = ['Available', 'Failed', 'Stale', 'Expired'] as const;
const accessLevels = ['Private', 'Company'] as const;
export type AccessLevel = (typeof accessLevels)[number];

/** A dataset as the list shows it (interface §2, Dataset). */
export interface Dataset {
  readonly id: string;
  readonly agentName: string;
  readonly agentId: string | null;
  readonly jobId: string | null;
  readonly runId: string | null;
  readonly groupRunId: string | null;
  readonly status: (typeof datasetStatuses)[number];
  readonly sizeBytes: number | null;
  readonly fileName: string | null;
  readonly expiresAt: string | null;
  readonly isExpired: boolean | null;
  readonly accessLevel: AccessLevel | null;
  readonly canManage: boolean;
}

/** Filters of the list of datasets (§4). `section` is `production` by default. */
export interface DatasetFilter {
  readonly q?: string;
  readonly status?: Dataset['status'];
  readonly scope?: 'Job' | 'Run';
  readonly section?: 'production' | 'demo';
}

const lists = '/api/scraper-agents/cached-exports';
const pathOf = (datasetId: string, rest: string) =>
  `/api/data-explorer/datasets/${segment(datasetId)}/${rest}`;

/** Every dataset that the filter selects, those that the company shares among them. Its method is not shown. */
export function listDatasets(filter: DatasetFilter = {}): ListCall<Dataset> {
  return { request: get(lists, { ...filter }), noun: 'dataset', parse: parseDataset };
}

/** One page of that list, with the counts of the whole filtered list. */
export function datasetPage(
  filter: DatasetFilter = {},
  page = 1,
  pageSize = 25,
): Call<
  NumberedPage<Dataset> & { readonly availableCount: number | null; readonly totalBytes: number | null }
> {
  return {
    request: get(lists, { ...filter, page, pageSize }),
    parse: (data) => {
      const record = asRecord(data, 'a page');
      const totalBytes = optionalNumber(record, 'totalBytes');
      const availableCount = optionalCount(record, 'availableCount');
      return { ...parseNumberedPage(data, parseDataset), availableCount, totalBytes };
    },
  };
}

function parseDataset(item: unknown): Dataset {
  const record = asRecord(item, 'an object');
  const accessLevel = field(record, 'accessLevel');
  return {
    id: idText(field(record, 'id') ?? field(record, 'datasetId'), 'id'),
    agentName: textOr(record, 'agentName', ''),
    agentId: optionalId(record, 'scraperAgentId'),
    jobId: optionalId(record, 'agentJobHistoryId'),
    runId: optionalId(record, 'agentRunHistoryId'),
    groupRunId: optionalId(record, 'groupRunId'),
    status: oneOf(field(record, 'status'), datasetStatuses, 'status'),
    sizeBytes: optionalNumber(record, 'sizeBytes'),
    fileName: optionalText(record, 'fileName'),
    expiresAt: optionalText(record, 'expiresAt'),
    isExpired: optionalFlag(record, 'isExpired'),
    accessLevel: accessLevel == null ? null : oneOf(accessLevel, accessLevels, 'accessLevel'),
    canManage: flag(record, 'canManage'),
  };
}

/** The file of a dataset (§4). Its method is not shown. */
export function downloadDataset(datasetId: string): DownloadCall {
  return file({ ...get(pathOf(datasetId, 'download')), otherMethods: ['POST'] });
}

/** Nodes and edges as received: their fields are not shown (§2). */
export interface Lineage {
  readonly nodes: readonly unknown[];
  readonly edges: readonly unknown[];
}

/** Where a dataset comes from. Its method is not shown. */
export function datasetLineage(datasetId: string): Call<Lineage> {
  return { request: { ...get(pathOf(datasetId, 'lineage')), otherMethods: ['POST'] }, parse: parseLineage };
}

function parseLineage(data: unknown): Lineage {
  const record = asRecord(data, 'an object with nodes and edges');
  return { nodes: listIn(record, 'nodes'), edges: listIn(record, 'edges') };
}

/** Its method is not shown. */
export function readAccess(datasetId: string): Call<AccessLevel> {
  return {
    request: get(pathOf(datasetId, 'access')),
    parse: (data) => {
      const level =
        typeof data === 'string' ? data : field(asRecord(data, 'the access level'), 'accessLevel');
      return oneOf(level, accessLevels, 'accessLevel');
    },
  };
}

/**
 * Only by the owner; `Company` needs an account with a company (§3, §4). Its method and its answer are not shown: null
 * where it does not name the level that the dataset has then.
 */
export function changeAccess(datasetId: string, accessLevel: AccessLevel): Call<AccessLevel | null> {
  const path = pathOf(datasetId, 'access');
  const request = { method: 'PUT', path, otherMethods: ['POST', 'PATCH'], body: { accessLevel } } as const;
  return {
    request: { ...request, effect: 'repeatable' },
    parse: (data) => {
      const word = isJsonObject(data) ? String(field(data, 'accessLevel')).toLowerCase() : null;
      return accessLevels.find((each) => each.toLowerCase() === word) ?? null;
    },
  };
}

/** Deletes one owned dataset (§4). Its method is not shown. */
export function deleteDataset(datasetId: string): Call<null> {
  return action({ method: 'DELETE', path: `${lists}/${segment(datasetId)}`, effect: 'repeatable' });
}

/** The largest number of datasets in a bulk call (§8). */
export const MAX_BULK_DATASETS = 50;

/**
 * One zip of at most 50 datasets; those without a file are left out (§4). One at a time for an account and its company: a
 * second gets 429 with `Retry-After: 5`, which the client waits for. Its method is not shown.
 */
export function exportDatasets(datasetIds: readonly string[]): DownloadCall {
  const path = '/api/data-explorer/bulk/export';
  return file({ method: 'POST', path, otherMethods: ['PUT', 'PATCH'], body: { datasetIds }, effect: 'read' });
}

/** What a bulk delete says that it did. Null where it does not say. */
export interface DeletedCounts {
  readonly processed: number | null;
  readonly skipped: number | null;
}

/** Deletes at most 50 datasets; those of others are skipped (§4). Its method is not shown. */
export function deleteDatasets(datasetIds: readonly string[]): Call<DeletedCounts> {
  const path = '/api/data-explorer/bulk/delete';
  return {
    request: {
      method: 'POST',
      path,
      otherMethods: ['PUT', 'PATCH'],
      body: { datasetIds },
      effect: 'repeatable',
    },
    // It has deleted them, whatever it says of it: a caller that wants to know reads the list.
    parse: (data) => {
      const record = isJsonObject(data) ? data : {};
      return {
        processed: wholeNumber(field(record, 'processed')),
        skipped: wholeNumber(field(record, 'skipped')),
      };
    },
  };
}
