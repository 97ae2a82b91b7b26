import { companyOf, isOwn } from '../access.js';
import { type Call, type Core, type FileAnswer, notFound, Refusal } from '../api.js';
import type { DatasetRecord } from '../engine/records.js';
import { byId, isGuid, put, type World } from '../world.js';
import { contentType, type DataFile, fileOf } from './files.js';

/** Finds datasets, and says why their file cannot be had (interface.md §7). */

/** The caller's own, and those that the company shares with the caller. */
export function isReadable({ world }: Core, { caller }: Call, dataset: DatasetRecord): boolean {
  if (isOwn(dataset, caller.user)) return true;
  const company = companyOf(world, caller.user);
  return dataset.accessLevel === 'Company' && company !== null && company === companyOf(world, dataset.owner);
}

export function findDataset(core: Core, call: Call): DatasetRecord {
  const found = datasetById(core, call, call.params.datasetId ?? '');
  if (found) return found;
  throw notFound('The dataset');
}

export function datasetById(core: Core, call: Call, id: string): DatasetRecord | undefined {
  const dataset = isGuid(id) ? core.world.datasets.get(id.toLowerCase()) : undefined;
  return dataset && isReadable(core, call, dataset) ? dataset : undefined;
}

/** Only the owner can change a dataset (§4); for others it does not exist. */
export function findOwn(core: Core, call: Call): DatasetRecord {
  const dataset = findDataset(core, call);
  if (!isOwn(dataset, call.caller.user)) throw notFound('The dataset');
  return dataset;
}

/** Sharing needs a company (§4). */
export function setAccess(world: World, dataset: DatasetRecord, level: DatasetRecord['accessLevel']): void {
  if (level === 'Company' && companyOf(world, dataset.owner) === null)
    throw new Refusal(400, 'Your account belongs to no company.', 'INVALID_ACCESS_POLICY');
  dataset.accessLevel = level;
  put(world, 'datasets', dataset);
}

export function isExpired(dataset: DatasetRecord, now: number): boolean {
  return now >= dataset.expiresAt;
}

export function statusOf(dataset: DatasetRecord, now: number): DatasetRecord['state'] | 'Expired' {
  return isExpired(dataset, now) ? 'Expired' : dataset.state;
}

/** Null when the file is available; Stale data still is. */
export function fileProblem({ world, clock }: Core, dataset: DatasetRecord): Refusal | null {
  if (byId(world.agents, dataset.agentId)?.unpaid === true)
    return new Refusal(402, 'The final payment for this data has not settled.', 'PAYMENT_REQUIRED');
  if (isExpired(dataset, clock().getTime()))
    return new Refusal(410, 'The file was removed by retention.', 'EXPORT_EXPIRED');
  return dataset.state === 'Failed' ? noFile('The file could not be stored.') : null;
}

export function checkFile(core: Core, dataset: DatasetRecord): void {
  const problem = fileProblem(core, dataset);
  if (problem) throw problem;
}

export function noFile(message: string): Refusal {
  return new Refusal(400, message, 'NO_FILE_EXPORT');
}

export function sendDataset(core: Core, dataset: DatasetRecord): FileAnswer {
  checkFile(core, dataset);
  return send(fileOf(core.world, dataset));
}

export function send(file: DataFile): FileAnswer {
  return { fileName: file.name, contentType: contentType(file.name), pieces: file.pieces };
}
