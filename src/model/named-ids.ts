const MOST_NAMED = 10;

/** Ids in a message: the first ten, and how many more there are. */
export function namedIds(ids: readonly (string | null)[]): string {
  const named = ids.slice(0, MOST_NAMED).join(', ');
  return ids.length <= MOST_NAMED ? named : `${named} and ${ids.length - MOST_NAMED} more`;
}
