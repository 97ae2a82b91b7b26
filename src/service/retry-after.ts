/**
 * How many ms from now the service asks to be left alone; null when the header is missing or cannot be read.
 * @param header `Retry-After`: whole seconds or an HTTP date.
 * @param date `Date` of the same answer: measures a date by the clock that wrote it, since ours may be wrong.
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
