import type { Observed } from '../model/resource.js';

/** A list that was read to find new objects. */
export interface ListRead {
  readonly listed: ReadonlyMap<string, Observed>;
  /** Those among them that did not exist when the plan was made. */
  readonly fresh: readonly Observed[];
  /** Why there is no list. */
  readonly error: string | null;
}

export function byId(list: readonly Observed[]): ListRead['listed'] {
  return new Map(list.flatMap((each) => (each.id === null ? [] : [[each.id, each] as const])));
}
