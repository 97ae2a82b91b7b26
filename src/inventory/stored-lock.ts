/** How long a lock holds after it was last renewed. Clocks of two machines may differ by a minute of it. */
export const leaseMilliseconds = 10 * 60_000;

/** What stands beside the inventory on its branch while a run is at work. */
export interface StoredLock {
  readonly token: string;
  readonly name: string;
  readonly since: string;
  readonly until: string;
}

export function ageOf(since: string): string {
  const minutes = Math.floor((Date.now() - Date.parse(since)) / 60_000);
  return minutes < 1 ? 'just now' : `${minutes} min ago`;
}

export function untilOf(now: Date): string {
  return new Date(now.getTime() + leaseMilliseconds).toISOString();
}

/** A lock that cannot be understood is none that has an end: it is treated as one that has just been taken. */
export function readLock(text: string | undefined): StoredLock | null {
  if (text === undefined) return null;
  try {
    const value = JSON.parse(text) as Partial<StoredLock> | null;
    const { token, name, since, until } = value ?? {};
    if (
      typeof token === 'string' &&
      typeof name === 'string' &&
      typeof since === 'string' &&
      typeof until === 'string' &&
      !Number.isNaN(Date.parse(until))
    )
      return { token, name, since, until };
  } catch {
    // Told below: not JSON is as unclear as JSON of another shape.
  }
  const now = new Date();
  return { token: '', name: 'a run that cannot be named', since: now.toISOString(), until: untilOf(now) };
}
