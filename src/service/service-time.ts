import { httpDate } from './retry-after.js';

/** The service's clock, from the `Date` of its answers. Schedules start by that clock, and this machine's may be wrong. */
export class ServiceTime {
  #last: { readonly time: number; readonly at: number } | null = null;

  /** @param headers of an answer. One from a cache has a `Date` of some time ago. */
  note(headers: Readonly<Record<string, string | string[] | undefined>>): void {
    const { date, age } = headers;
    const time = typeof date === 'string' && age === undefined ? httpDate(date) : null;
    if (time !== null) this.#last = { time, at: performance.now() };
  }

  /** Milliseconds since 1970, to the second; null when no answer had a date. */
  now(): number | null {
    return this.#last === null ? null : this.#last.time + performance.now() - this.#last.at;
  }
}
