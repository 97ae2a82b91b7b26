import { writeJson } from '../../model/exact-number.js';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { type Call, type ListCall, type Request, Unexpected } from '../../model/request.js';
import { type IdOrPending, isPending, type ObjectRef } from '../../model/resource.js';
import {
  described,
  flag,
  oneOf,
  optional,
  type Read,
  text,
  unexpected,
  wholeNumber,
} from '../../model/shape.js';
import {
  asRecord,
  factsOf,
  findCreatedId,
  idText,
  isWallClock,
  type LooseId,
  looseId,
  readInstant,
} from './record.js';
import { segment } from './requests.js';

const targetType = oneOf(['Agent', 'Group', 'Pipeline']);
const scheduleType = oneOf(['Basic', 'Cron', 'Once']);
const intervalUnit = oneOf(['Minutes', 'Hours', 'Days', 'Weeks']);
const optionalStatus = optional(oneOf(['Waiting', 'Running', 'Disabled']));
const optionalText = optional(text);
const optionalFlag = optional(flag);
const factNames = ['status', 'nextRunTime', 'lastRunTime', 'lastJobStatusName', 'lastJobId', 'errorMessage'];

export type TargetType = Read<typeof targetType>;
export type ScheduleType = Read<typeof scheduleType>;

/** A schedule as the service shows it (interface §2, Schedule). */
export type RemoteSchedule = Read<typeof parseSchedule>;

/** One literal and no `object`: there may be 100,000 of them. */
export function parseSchedule(item: unknown) {
  const record = asRecord(item, 'an object');
  const type = scheduleType(record['scheduleType'], 'scheduleType');
  const { id, rawId } = readId(record);
  const isBasic = type === 'Basic';
  return {
    id,
    rawId,
    targetType: targetType(record['targetType'] ?? 'Agent', 'targetType'),
    targetId: idText(record['targetId'], 'targetId'),
    scheduleType: type,
    /** For Basic, like intervalUnit; null otherwise, even if the service has a value. */
    intervalValue: isBasic ? readInterval(record['intervalValue']) : null,
    intervalUnit: isBasic ? intervalUnit(record['intervalUnit'], 'intervalUnit') : null,
    /** For Cron, as received; null otherwise. */
    cronExpression: type === 'Cron' ? text(record['cronExpression'], 'cronExpression') : null,
    /** Wall clock in the zone, as received. */
    startTime: readStartTime(record),
    timeZoneId: optionalText(record['timeZoneId'], 'timeZoneId') || 'UTC',
    /** A JSON object written as text, as received. */
    inputParameters: readInputs(record),
    isEnabled: readEnabled(record),
    /** status, nextRunTime, lastRunTime, lastJobStatusName, lastJobId, errorMessage, where given. */
    facts: scheduleFacts(record),
  } as const;
}

/** A reason of any kind is one: a schedule that could not be started must not look like one that could. */
function scheduleFacts(record: JsonObject): JsonObject {
  const facts = factsOf(record, factNames);
  const reason = record['errorMessage'] ?? false;
  return reason === false || typeof reason === 'string'
    ? facts
    : { ...facts, errorMessage: described(reason) };
}

/** The interface does not list the field with the id: `id` and `scheduleId` are both read. */
function readId(record: JsonObject): LooseId {
  const own = record['id'] ?? null;
  const other = record['scheduleId'] ?? null;
  if (own === null && other === null) throw unexpected('id to be an id', undefined);
  const id = looseId(own ?? other, 'id');
  if (own !== null && other !== null && looseId(other, 'id').id !== id.id)
    throw new Unexpected('expected id and scheduleId to be equal, got different ids');
  return id;
}

function readInterval(value: unknown): number {
  const interval = wholeNumber(value);
  if (interval === null || interval === 0)
    throw unexpected('intervalValue to be a whole number above 0', value);
  return interval;
}

function readStartTime(record: JsonObject): string {
  const startTime = text(record['startTime'], 'startTime');
  if (isWallClock(startTime)) return startTime;
  throw unexpected('startTime to be a date and a time without an offset', startTime);
}

/** Text by the interface, but a nested object means the same. Its content never appears in a message. */
function readInputs(record: JsonObject): string | null {
  const value = record['inputParameters'];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  if (isJsonObject(value)) return writeJson(value);
  throw new Unexpected('expected inputParameters to be text');
}

/** `status` decides where `isEnabled` is missing. It is always checked, because a new word could mean anything. */
function readEnabled(record: JsonObject): boolean {
  const status = optionalStatus(record['status'], 'status');
  const isEnabled = optionalFlag(record['isEnabled'], 'isEnabled');
  if (isEnabled !== null) return isEnabled;
  if (status === null) throw new Unexpected(`expected isEnabled or status, got ${described(undefined)}`);
  return status !== 'Disabled';
}

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
  const named = listNames.map((name) => record[name]).find((value) => Array.isArray(value));
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

/** The body of create, replace and preview (interface §2 Schedule, §4 Schedules). */
export interface ScheduleBody {
  readonly targetType: TargetType;
  readonly targetId: IdOrPending;
  readonly scheduleType: ScheduleType;
  /** For Basic, like intervalUnit. */
  readonly intervalValue?: number;
  readonly intervalUnit?: NonNullable<RemoteSchedule['intervalUnit']>;
  /** For Cron: six fields, seconds first. */
  readonly cronExpression?: string;
  /** Wall clock in the zone, no offset. */
  readonly startTime: string;
  readonly timeZoneId: string;
  /** A JSON object written as text. */
  readonly inputParameters?: string | null;
  /** Required here, although the interface has a default: a replace without it would start a paused schedule. */
  readonly isEnabled: boolean;
}

const path = '/api/schedules';

/** All schedules of the caller, or those of one agent, group or pipeline (interface §4 Schedules, as all below). */
export function listSchedules(target: ObjectRef | null = null): ListCall<RemoteSchedule> {
  const request: Request = { method: 'GET', path, effect: 'read' };
  const noun = 'schedule';
  if (target === null || isPending(target.id)) return { request, noun, parse: parseSchedule };
  const query = { [`${target.kind}Id`]: target.id };
  return { request: { ...request, query }, noun, parse: parseSchedule };
}

/** When such a schedule would run: instants in UTC, earliest first. A 400 says why the body is invalid. Changes nothing. */
export function previewSchedule(body: ScheduleBody): Call<readonly string[]> {
  return {
    request: { method: 'POST', path: `${path}/preview`, ...written(body), effect: 'read', optional: true },
    parse: parseRuns,
  };
}

export function createSchedule(body: ScheduleBody): Request {
  return { method: 'POST', path, ...written(body), effect: 'create' };
}

/** Replaces the whole schedule: what the body leaves out goes back to its default. */
export function replaceSchedule(id: IdOrPending, body: ScheduleBody): Request {
  return { method: 'PUT', path: `${path}/${segment(id)}`, ...written(body), effect: 'repeatable' };
}

export function enableSchedule(id: IdOrPending, isEnabled: boolean): Request {
  return {
    method: 'POST',
    path: `${path}/${segment(id)}/enabled`,
    body: { isEnabled },
    effect: 'repeatable',
  };
}

export function deleteSchedule(id: IdOrPending): Request {
  return { method: 'DELETE', path: `${path}/${segment(id)}`, effect: 'repeatable' };
}

/** `ids` as the service wrote them: numbers stay numbers. Unknown ids are skipped without an error. */
export function bulkEnable(ids: readonly (string | number)[], isEnabled: boolean): Request {
  return { method: 'POST', path: `${path}/bulk/enabled`, body: { ids, isEnabled }, effect: 'repeatable' };
}

export function bulkDelete(ids: readonly (string | number)[]): Request {
  return { method: 'POST', path: `${path}/bulk/delete`, body: { ids }, effect: 'repeatable' };
}

/** The new schedule's id in the `data` of the answer to `createSchedule`; null when it shows none. */
export function createdId(data: unknown): string | null {
  return findCreatedId(data, ['id', 'scheduleId']);
}

/** The result of a bulk call; null when its answer does not say. */
export function bulkCounts(data: unknown): { affected: number; skipped: number } | null {
  if (!isJsonObject(data)) return null;
  const affected = wholeNumber(data['affected']);
  const skipped = wholeNumber(data['skipped']);
  return affected === null || skipped === null ? null : { affected, skipped };
}

function written({ targetId, ...rest }: ScheduleBody) {
  const properties: Record<string, Json> = { ...rest };
  return isPending(targetId)
    ? { body: properties, pendingIds: { targetId: targetId.pending } }
    : { body: { ...properties, targetId } };
}
