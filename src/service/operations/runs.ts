import { isJsonObject } from '../../model/json.js';
import { asRecord, field, readInstant, unexpected } from './record.js';

/**
 * Upcoming run times in the answer to a preview (interface §4: "returns upcoming run times (UTC)", shape not
 * shown): a list, bare or as the one list in an object, of instants or of objects with an instant.
 * @returns instants such as `2026-12-01T06:00:00Z`, in the order of the answer: runs that go backwards are noticed.
 */
export function parseRuns(data: unknown): readonly string[] {
  return findList(data).map(readRun);
}

/** Names of the list, best first: an answer may also hold other lists. */
const listNames = [
  'runTimes',
  'runs',
  'nextRuns',
  'nextRunTimes',
  'upcomingRuns',
  'upcoming',
  'times',
  'items',
];

function findList(data: unknown): readonly unknown[] {
  if (Array.isArray(data)) return data;
  const record = asRecord(data, 'a list of run times');
  const named = listNames.map((name) => field(record, name)).find((value) => Array.isArray(value));
  if (Array.isArray(named)) return named;
  const lists = Object.values(record).filter((value) => Array.isArray(value));
  const [only] = lists;
  if (only === undefined || lists.length > 1) throw unexpected('one list of run times', data);
  return only;
}

/** Names of the property with the instant, best first: some services also give the local time. */
const timeNames = [
  'utc',
  'utcTime',
  'timeUtc',
  'runTimeUtc',
  'runAtUtc',
  'startTimeUtc',
  'runTime',
  'runAt',
  'time',
  'at',
  'scheduledTime',
  'scheduledAt',
  'nextRunTime',
  'startTime',
  'start',
  'date',
];

function readRun(entry: unknown): string {
  if (typeof entry === 'string') return instant(entry);
  if (!isJsonObject(entry)) throw unexpected('a run time', entry);
  const name = timeNames.find((each) => Object.hasOwn(entry, each));
  const value = name === undefined ? undefined : entry[name];
  if (typeof value !== 'string') throw unexpected('a run time with its instant', value);
  return instant(value);
}

function instant(text: string): string {
  const time = readInstant(text);
  if (time === null) throw unexpected('a run time in UTC', text);
  return new Date(time).toISOString().replace('.000Z', 'Z');
}
