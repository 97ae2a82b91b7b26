/** An instant as it is received (in UTC without an offset, interface §1.6), as people read it: `2026-11-01 12:00 UTC`. */
export function instantText(text: string): string {
  const isWithoutOffset = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text);
  const date = new Date(isWithoutOffset ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString().replace(/T(\d\d:\d\d).*$/, ' $1 UTC');
}
