/** Making one costs as much as asking for the name of a zone. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Local time in a zone, to the second, in milliseconds since 1970 as if it were UTC. */
export function localTimeIn(zone: string, instant: number): number {
  const shown = formatOf(zone).format(instant);
  const numbers = (shown.match(/\d+/g) ?? []).map(Number);
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = numbers;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const day = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  const time = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const;
  const format = new Intl.DateTimeFormat('en-US', { ...day, ...time, timeZone: zone });
  formats.set(zone, format);
  return format;
}
