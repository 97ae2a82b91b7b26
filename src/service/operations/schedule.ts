import { canonical, type JsonObject } from '../../model/json.js';
import { Unexpected } from '../../model/request.js';
import {
  asRecord,
  described,
  factsOf,
  field,
  idText,
  isWallClock,
  type LooseId,
  looseId,
  oneOf,
  optionalFlag,
  optionalText,
  type RemoteRecord,
  text,
  unexpected,
  wholeNumber,
} from './record.js';

const targetTypes = ['Agent', 'Group', 'Pipeline'] as const;
const scheduleTypes = ['Basic', 'Cron', 'Once'] as const;
const intervalUnits = ['Minutes', 'Hours', 'Days', 'Weeks'] as const;
const statuses = ['Waiting', 'Running', 'Disabled'] as const;
const factNames = ['status', 'nextRunTime', 'lastRunTime', 'lastJobStatusName', 'lastJobId', 'errorMessage'];

export type TargetType = (typeof targetTypes)[number];
export type ScheduleType = (typeof scheduleTypes)[number];

/** A schedule as the service shows it (interface §2, Schedule). */
export interface RemoteSchedule extends LooseId {
  readonly targetType: TargetType;
  /** GUID, lower case. */
  readonly targetId: string;
  readonly scheduleType: ScheduleType;
  /** For Basic, like intervalUnit; null otherwise, even if the service has a value. */
  readonly intervalValue: number | null;
  readonly intervalUnit: (typeof intervalUnits)[number] | null;
  /** For Cron, as received; null otherwise. */
  readonly cronExpression: string | null;
  /** Wall clock in the zone, as received. */
  readonly startTime: string;
  readonly timeZoneId: string;
  /** A JSON object written as text, as received. */
  readonly inputParameters: string | null;
  readonly isEnabled: boolean;
  /** status, nextRunTime, lastRunTime, lastJobStatusName, lastJobId, errorMessage, where given. */
  readonly facts: JsonObject;
}

/** A reason of any kind is one: a schedule that could not be started must not look like one that could. */
function scheduleFacts(record: RemoteRecord): JsonObject {
  const facts = factsOf(record, factNames);
  const reason = field(record, 'errorMessage') ?? false;
  return reason === false || typeof reason === 'string'
    ? facts
    : { ...facts, errorMessage: described(reason) };
}

export function parseSchedule(item: unknown): RemoteSchedule {
  const record = asRecord(item, 'an object');
  const scheduleType = oneOf(field(record, 'scheduleType'), scheduleTypes, 'scheduleType');
  const { id, rawId } = readId(record);
  const { intervalValue, intervalUnit, cronExpression } = readTiming(record, scheduleType);
  // Without spreads, which take most of the time of a long list.
  return {
    id,
    rawId,
    targetType: oneOf(field(record, 'targetType') ?? 'Agent', targetTypes, 'targetType'),
    targetId: idText(field(record, 'targetId'), 'targetId'),
    scheduleType,
    intervalValue,
    intervalUnit,
    cronExpression,
    startTime: readStartTime(record),
    timeZoneId: optionalText(record, 'timeZoneId') || 'UTC',
    inputParameters: readInputs(record),
    isEnabled: readEnabled(record),
    facts: scheduleFacts(record),
  };
}

/** The interface does not list the field with the id: `id` and `scheduleId` are both read. */
function readId(record: RemoteRecord): LooseId {
  const [own, other] = [field(record, 'id') ?? null, field(record, 'scheduleId') ?? null];
  if (own === null && other === null) throw unexpected('id to be an id', undefined);
  const id = looseId(own ?? other, 'id');
  if (own !== null && other !== null && looseId(other, 'id').id !== id.id)
    throw new Unexpected('expected id and scheduleId to be equal, got different ids');
  return id;
}

type RemoteTiming = Pick<RemoteSchedule, 'intervalValue' | 'intervalUnit' | 'cronExpression'>;

function readTiming(record: RemoteRecord, type: ScheduleType): RemoteTiming {
  switch (type) {
    case 'Basic':
      return {
        intervalValue: readInterval(field(record, 'intervalValue')),
        intervalUnit: oneOf(field(record, 'intervalUnit'), intervalUnits, 'intervalUnit'),
        cronExpression: null,
      };
    case 'Cron':
      return { intervalValue: null, intervalUnit: null, cronExpression: text(record, 'cronExpression') };
    case 'Once':
      return { intervalValue: null, intervalUnit: null, cronExpression: null };
    default:
      return type satisfies never;
  }
}

function readInterval(value: unknown): number {
  const interval = wholeNumber(value);
  if (interval === null || interval === 0)
    throw unexpected('intervalValue to be a whole number above 0', value);
  return interval;
}

function readStartTime(record: RemoteRecord): string {
  const startTime = text(record, 'startTime');
  if (isWallClock(startTime)) return startTime;
  throw unexpected('startTime to be a date and a time without an offset', startTime);
}

/** Text by the interface, but a nested object means the same. Its content never appears in a message. */
function readInputs(record: RemoteRecord): string | null {
  const value = field(record, 'inputParameters');
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && !Array.isArray(value)) return canonical(value as JsonObject);
  throw new Unexpected('expected inputParameters to be text');
}

/** `status` decides where `isEnabled` is missing. It is always checked, because a new word could mean anything. */
function readEnabled(record: RemoteRecord): boolean {
  const word = field(record, 'status');
  const status = word === undefined || word === null ? null : oneOf(word, statuses, 'status');
  const isEnabled = optionalFlag(record, 'isEnabled');
  if (isEnabled !== null) return isEnabled;
  if (status === null) throw new Unexpected(`expected isEnabled or status, got ${described(undefined)}`);
  return status !== 'Disabled';
}
