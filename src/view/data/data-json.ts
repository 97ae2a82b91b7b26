import type { DatasetChange, DatasetInfo, DataTable, SavedData, StoredQuery } from '../../model/data.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { diagnosticJson } from '../json/plan-json.js';

/** Written out, so that the formats do not follow the types by accident. */

function datasetJson(dataset: DatasetInfo) {
  const { id, agent, agentName, collectedAt, status, sizeBytes, fileName, expiresAt } = dataset;
  const { accessLevel, canManage, jobId, runId, groupRunId } = dataset;
  return {
    ...{ id, agent, agentName, collectedAt, status, sizeBytes, fileName, expiresAt },
    ...{ accessLevel, canManage, jobId, runId, groupRunId },
  };
}

function withDiagnostics<T extends object>(content: T, diagnostics: readonly Diagnostic[]) {
  return { formatVersion: 1, ...content, diagnostics: diagnostics.map(diagnosticJson) } as const;
}

export function datasetsJson(
  datasets: readonly DatasetInfo[],
  total: number,
  diagnostics: readonly Diagnostic[],
) {
  return withDiagnostics({ total, datasets: datasets.map(datasetJson) }, diagnostics);
}

export function tablesJson(tables: readonly DataTable[], diagnostics: readonly Diagnostic[]) {
  const datasets = tables.map(({ id, agent, columns, rows, totalMatches, isTruncated }) => ({
    ...{ id, agent, columns, totalMatches, isTruncated, rows },
  }));
  return withDiagnostics({ datasets }, diagnostics);
}

export function filesJson(files: readonly SavedData[], diagnostics: readonly Diagnostic[]) {
  return withDiagnostics({ files: files.map(fileJson) }, diagnostics);
}

export function fileJson({ ids, agent, outcome, file, bytes }: SavedData) {
  return { ids, agent, outcome, file, bytes };
}

export function changesJson(
  changes: readonly DatasetChange[],
  word: 'deleted' | 'changed',
  diagnostics: readonly Diagnostic[],
) {
  const datasets = changes.map(({ dataset, done }) => ({ ...datasetJson(dataset), [word]: done }));
  return withDiagnostics({ datasets }, diagnostics);
}

export function queriesJson(queries: readonly StoredQuery[]) {
  const shown = queries.map(({ id, name, datasetId, query }) => ({ id, name, datasetId, query }));
  return withDiagnostics({ queries: shown }, []);
}
