import { Refusal } from '../api.js';
import { setAccess } from '../datasets/find.js';
import { addSavedQuery } from '../datasets/saved-queries.js';
import type { JobRecord } from '../engine/records.js';
import { JsonFileError } from '../json-file.js';
import { byId, type World } from '../world.js';
import type { SeedStart } from './seed.js';

/** What a seed says of the dataset of a start: who can read it, and its saved queries. Throws JsonFileError. */
export function describeData(world: World, where: string, entry: SeedStart, job: JobRecord | null): void {
  const { accessLevel, savedQueries } = entry;
  const place = accessLevel === undefined ? `${where}.savedQueries` : `${where}.accessLevel`;
  if (accessLevel === undefined && savedQueries === undefined) return;
  const dataset = byId(world.datasets, job?.datasetId ?? '');
  if (dataset === undefined)
    throw new JsonFileError(
      place,
      'is for a start that has no dataset',
      'Let it succeed before the start of the sandbox.',
    );
  if (accessLevel !== undefined) checked(place, () => setAccess(world, dataset, accessLevel));
  savedQueries?.forEach((query, index) => {
    const { owner, createdAt } = dataset;
    const definition = `${where}.savedQueries[${index}].definition`;
    checked(definition, () => addSavedQuery(world, dataset, { ...query, owner, createdAt }));
  });
}

/** Applies the rules of the service. */
function checked(where: string, work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const what = `breaks a rule of the service: ${error.message.replace(/\.$/, '')}`;
    throw new JsonFileError(where, what, 'See the Datasets of interface.md.');
  }
}
