/**
 * How many ms the service asks to wait; null when the header is missing or not valid.
 * @param header `Retry-After`: whole seconds or an HTTP date.
 * @param date `Date` of the same answer: the service's clock, by which to measure a date, because ours may be wrong.
 */
export function retryAfterMs(header: string | null, date: string | null): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const until = httpDate(text);
  if (until === null) return null;
  return Math.max(0, until - (date === null ? Date.now() : (httpDate(date) ?? Date.now())));
}

/** Date.parse reads "-1" as a year, so the shape is checked first. */
function httpDate(text: string): number | null {
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}
