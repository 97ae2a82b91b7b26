import { suggest } from '../../manifest/suggest.js';
import { type DatasetCondition, parseCondition } from '../../model/condition.js';

/** A condition of a manifest, which the loader has checked. */
export function readCondition(text: string): DatasetCondition {
  return parseCondition(text, { name: '`rows`', example: '"price lte 0": 0', suggest });
}
