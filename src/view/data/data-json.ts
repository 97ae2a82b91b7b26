import type { ItemResult } from '../../model/batch.js';
import type {
  AgentSample,
  CheckedData,
  CheckedDataset,
  DataCheck,
  DatasetInfo,
  DataTable,
  SavedData,
  StoredQuery,
} from '../../model/data.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { fieldsOf, withDiagnostics } from '../json/fields.js';
import { agentJudgementJson } from '../json/runs-json.js';
import { commandFor, verdictCounts } from './check-words.js';

const datasetFields = [
  'id',
  'agent',
  'agentName',
  'collectedAt',
  'status',
  'sizeBytes',
  'fileName',
  'expiresAt',
  'accessLevel',
  'canManage',
  'jobId',
  'runId',
  'groupRunId',
] as const;

/** `data --format json`. */
export function datasetsJson(
  datasets: readonly DatasetInfo[],
  total: number,
  diagnostics: readonly Diagnostic[],
) {
  const shown = datasets.map((each) => fieldsOf(each, datasetFields));
  return withDiagnostics({ total, datasets: shown }, diagnostics);
}

const checkedFields = [
  'address',
  'agent',
  'datasetId',
  'jobId',
  'startedBy',
  'state',
  'at',
  'verdict',
  'changed',
] as const;

/** `data check --format json` (contract §20). */
export function dataCheckJson(check: DataCheck) {
  const datasets = check.datasets.map((each) => checkedJson(each, check.environment));
  return withDiagnostics({ datasets, summary: verdictCounts(check) }, check.diagnostics);
}

export function checkedJson(checked: CheckedDataset, environment: CheckedData['environment']) {
  const json = {
    ...fieldsOf(checked, checkedFields),
    expectations: checked.expectations.map((judgement) => ({
      ...agentJudgementJson(judgement),
      command: commandFor(checked, judgement, environment),
    })),
  };
  return checked.owners === undefined ? json : { ...json, owners: checked.owners };
}

const tableFields = ['id', 'agent', 'columns', 'totalMatches', 'isTruncated', 'rows'] as const;

export function tablesJson(tables: readonly DataTable[]) {
  return { datasets: tables.map((each) => fieldsOf(each, tableFields)) };
}

const sampleFields = ['agent', 'recordCount', 'fieldCount', 'recordPath', 'fields', 'schema'] as const;

export function samplesJson(samples: readonly AgentSample[]) {
  return { samples: samples.map((each) => fieldsOf(each, sampleFields)) };
}

export function filesJson(files: readonly SavedData[]) {
  return files.map((each) => fieldsOf(each, ['ids', 'agent', 'outcome', 'file', 'bytes']));
}

/** `word`: how the format calls what was done. */
export function changesJson(results: readonly ItemResult<DatasetInfo>[], word: 'deleted' | 'changed') {
  return {
    datasets: results.map(({ item, result }) => ({
      ...fieldsOf(item, datasetFields),
      [word]: result === 'unknown' ? null : result === 'done',
    })),
  };
}

export function queriesJson(queries: readonly StoredQuery[]) {
  return { queries: queries.map((each) => fieldsOf(each, ['id', 'name', 'datasetId', 'query'])) };
}
