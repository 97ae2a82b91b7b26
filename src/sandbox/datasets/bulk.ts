import { companyOf, isOwn } from '../access.js';
import {
  type Answer,
  badRequest,
  type Call,
  type Core,
  type FileAnswer,
  Refusal,
  type Route,
} from '../api.js';
import { bodyFields, requiredTexts } from '../body.js';
import { zipFile } from './files.js';
import { datasetById, fileProblem, send } from './find.js';
import { removeDataset } from './list.js';
import { fileOf } from './store.js';

/** Several datasets at once (interface.md §4, Datasets, and §8). */
const BASE = '/api/data-explorer/bulk';
export const bulkRoutes: readonly Route[] = [
  { method: 'POST', path: `${BASE}/export`, scoped: true, handle: exportMany },
  { method: 'POST', path: `${BASE}/delete`, scoped: true, handle: removeMany },
];

const MAX_DATASETS = 50;

/** One at a time for an account and its company. Datasets without a file are left out (§4). */
function exportMany(core: Core, call: Call): FileAnswer {
  const ids = readIds(call);
  const datasets = ids
    .flatMap((id) => datasetById(core, call, id) ?? [])
    .filter((dataset) => fileProblem(core, dataset) === null);
  if (datasets.length === 0)
    throw new Refusal(404, 'None of the datasets has an available file.', 'DATASETS_NOT_FOUND');
  const { user } = call.caller;
  const sent = core.limits.beginExport(`${user}/${companyOf(core.world, user) ?? ''}`);
  const files = datasets.map((dataset) => fileOf(core.world, dataset));
  const headers = { 'X-Export-File-Count': String(files.length) };
  return { ...send(zipFile('datasets.zip', files)), headers, sent };
}

/** Only owned datasets are deleted; others are skipped (§4). */
function removeMany(core: Core, call: Call): Answer {
  const ids = readIds(call);
  const own = ids
    .flatMap((id) => datasetById(core, call, id) ?? [])
    .filter((dataset) => isOwn(dataset, call.caller.user));
  for (const dataset of own) removeDataset(core.world, dataset);
  const data = { processed: own.length, skipped: ids.length - own.length };
  return { message: `${own.length} dataset(s) deleted.`, data };
}

function readIds(call: Call): string[] {
  const ids = requiredTexts(bodyFields(call.body), 'datasetIds').map((id) => id.toLowerCase());
  if (ids.length > MAX_DATASETS) throw badRequest(`At most ${MAX_DATASETS} datasets at once.`);
  return [...new Set(ids)];
}
