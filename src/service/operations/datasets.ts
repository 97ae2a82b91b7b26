import { isJsonObject } from '../../model/json.js';
import type { Call, ListCall } from '../../model/request.js';
import {
  flag,
  integer,
  named,
  number,
  object,
  oneOf,
  optional,
  type Read,
  rawList,
  type Shape,
  text,
  wholeNumber,
} from '../../model/shape.js';
import { idText, optionalId, pageFields } from './record.js';
import { action, type DownloadCall, file, get, segment } from './requests.js';

const accessLevels = ['Private', 'Company'] as const;
const accessLevel = oneOf(accessLevels);
export type AccessLevel = Read<typeof accessLevel>;

/** A dataset as the list shows it (interface §2, Dataset). */
export type Dataset = Read<typeof parseDataset>;

const parseDataset = object({
  id: named(idText, 'id', 'datasetId'),
  agentName: optional(text, ''),
  agentId: named(optionalId, 'scraperAgentId'),
  jobId: named(optionalId, 'agentJobHistoryId'),
  runId: named(optionalId, 'agentRunHistoryId'),
  groupRunId: optionalId,
  status: oneOf(['Available', 'Failed', 'Stale', 'Expired']),
  sizeBytes: optional(number),
  fileName: optional(text),
  expiresAt: optional(text),
  isExpired: optional(flag),
  accessLevel: optional(accessLevel),
  canManage: flag,
});

const parsePage = object(
  { ...pageFields(parseDataset), availableCount: optional(integer), totalBytes: optional(number) },
  'a page',
);

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
): Call<Read<typeof parsePage>> {
  return { request: get(lists, { ...filter, page, pageSize }), parse: parsePage };
}

/** The file of a dataset (§4). Its method is not shown. */
export function downloadDataset(datasetId: string): DownloadCall {
  return file({ ...get(pathOf(datasetId, 'download')), otherMethods: ['POST'] });
}

/** Nodes and edges as received: their fields are not shown (§2). */
export type Lineage = Read<typeof parseLineage>;

const parseLineage = object({ nodes: rawList, edges: rawList }, 'an object with nodes and edges');

/** Where a dataset comes from. Its method is not shown. */
export function datasetLineage(datasetId: string): Call<Lineage> {
  return { request: { ...get(pathOf(datasetId, 'lineage')), otherMethods: ['POST'] }, parse: parseLineage };
}

const levelInside = object({ accessLevel }, 'the access level');

/** The level itself, or an object with it. */
const parseLevel: Shape<AccessLevel> = (data) =>
  typeof data === 'string' ? accessLevel(data, 'accessLevel') : levelInside(data).accessLevel;

/** Its method is not shown. */
export function readAccess(datasetId: string): Call<AccessLevel> {
  return { request: get(pathOf(datasetId, 'access')), parse: parseLevel };
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
      const word = isJsonObject(data) ? String(data['accessLevel']).toLowerCase() : null;
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
export type DeletedCounts = Read<typeof deletedCounts>;

const deletedCounts = object({ processed: wholeNumber, skipped: wholeNumber });

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
    parse: (data) => deletedCounts(isJsonObject(data) ? data : {}),
  };
}
