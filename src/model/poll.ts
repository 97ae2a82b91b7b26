/** Milliseconds to wait before each further look at a list that may lag behind a write. */
const POLL_DELAYS_MS = [250, 1_000, 2_500];

/** Looks until `isDone` says so, or the delays are used up. Returns what was seen last. */
export async function pollUntil<T>(
  look: () => Promise<T>,
  isDone: (seen: T) => boolean,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<T> {
  let seen = await look();
  for (const delay of POLL_DELAYS_MS) {
    if (isDone(seen)) break;
    await sleep(delay);
    seen = await look();
  }
  return seen;
}
