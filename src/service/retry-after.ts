/** Longer than any run waits, and short enough for a timer: those fire at once beyond 24.8 days. */
const MAX_MS = 20 * 86_400_000;

/**
 * How many ms the service asks to wait; null when the header is missing or not valid. At most 20 days.
 * @param header `Retry-After`: whole seconds or an HTTP date.
 * @param date `Date` of the same answer: the service's clock, by which to measure a date, because ours may be wrong.
 */
export function retryAfterMs(header: string | null, date: string | null): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(MAX_MS, Number(text) * 1000);
  const until = httpDate(text);
  if (until === null) return null;
  const now = date === null ? Date.now() : (httpDate(date) ?? Date.now());
  return Math.min(MAX_MS, Math.max(0, until - now));
}

/** Milliseconds since 1970; null if it is not a date. Date.parse reads "-1" as a year, so the shape is checked first. */
export function httpDate(text: string): number | null {
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}
