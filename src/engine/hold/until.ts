import { problem } from '../../model/diagnostic.js';
import { readDuration } from '../../model/duration.js';

const HELP =
  'Use a duration such as 90m, 8h, 3d or 2w, or a time with its offset, such as 2026-12-01T08:00Z or 2026-12-01T09:00+01:00.';

/** Later years have more than four digits, which few tools can read. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59);

/** When a hold ends, ISO 8601 in UTC. Throws a Problem if that has passed. */
export type Until = (now: Date) => string;

/** `--until`. Throws a Problem for what is neither a time nor a duration. */
export function parseUntil(text: string): Until {
  const duration = readDuration(text);
  const given = duration === null ? parseTime(text) : duration;
  if (Number.isNaN(given)) throw problem('invalid-time', `--until: ${whyNot(text)}`, HELP);
  return (now) => endOf(text, duration === null ? given : now.getTime() + duration, now);
}

function endOf(text: string, time: number, now: Date): string {
  if (time > LATEST) throw problem('invalid-time', `--until: "${text}" is after the year 9999`, HELP);
  if (time <= now.getTime()) throw problem('invalid-time', `--until: "${text}" is in the past`, HELP);
  return new Date(Math.ceil(time / 1000) * 1000).toISOString();
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** NaN for what is not a time with an offset. */
function parseTime(text: string): number {
  const [, local, offset] = TIME.exec(text) ?? [];
  if (local === undefined) return Number.NaN;
  const asUtc = new Date(`${local}Z`);
  // A date that does not exist would become another one.
  const exists = !Number.isNaN(asUtc.getTime()) && asUtc.toISOString().startsWith(local.slice(0, 16));
  return exists ? Date.parse(`${local}${offset}`) : Number.NaN;
}

function whyNot(text: string): string {
  if (TIME.test(text)) return `"${text}" does not exist`;
  if (/^\d{4}-\d\d-\d\d(T[\d:.]*)?$/.test(text)) return `"${text}" is not a time with an offset`;
  return `"${text}" is neither a time nor a duration`;
}
