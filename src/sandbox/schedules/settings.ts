import { targetName } from '../access.js';
import { badRequest } from '../api.js';
import {
  type Fields,
  optionalFlag,
  optionalInputs,
  optionalText,
  optionalWord,
  requiredText,
} from '../body.js';
import { plainNumber } from '../digits.js';
import {
  CALLER,
  INTERVAL_UNITS,
  type IntervalUnit,
  isGuid,
  SCHEDULE_TYPES,
  type ScheduleSettings,
  TARGET_TYPES,
  type World,
} from '../world.js';
import { cronProblem, isZone, wallClock } from './timetable.js';

/** The rules for a schedule body, for create, update and preview (interface.md §2 and §4). */

type Target = Pick<ScheduleSettings, 'targetType' | 'targetId'>;
type Interval = { intervalValue: number | null; intervalUnit: IntervalUnit | null };

/** The settings of a body, complete. Omitted fields get their defaults, so a PUT replaces everything. */
export function readSettings(world: World, body: Fields, user = CALLER): ScheduleSettings {
  const scheduleType = optionalWord(body, 'scheduleType', SCHEDULE_TYPES);
  if (!scheduleType) throw badRequest("The field 'scheduleType' is required.");
  checkTypes(body);
  const { targetType, targetId } = readTarget(world, body, user);
  const interval = scheduleType === 'Basic' ? readInterval(body) : null;
  return {
    targetType,
    targetId,
    scheduleType,
    intervalValue: interval?.intervalValue ?? null,
    intervalUnit: interval?.intervalUnit ?? null,
    cronExpression: scheduleType === 'Cron' ? readCron(body) : null,
    startTime: readStart(body),
    timeZoneId: readZone(body),
    inputParameters: optionalInputs(body) ?? '{}',
    isEnabled: optionalFlag(body, 'isEnabled') ?? true,
  };
}

function readTarget(world: World, body: Fields, user: string): Target {
  const targetType = optionalWord(body, 'targetType', TARGET_TYPES) ?? 'Agent';
  const targetId = requiredText(body, 'targetId');
  if (!isGuid(targetId)) throw badRequest(`The field 'targetId' must be a GUID, not '${targetId}'.`);
  if (targetName(world, { targetType, targetId }, user) === undefined) {
    throw badRequest(`The target ${targetType} '${targetId}' does not exist or is not accessible.`);
  }
  return { targetType, targetId: targetId.toLowerCase() };
}

/** Also of the fields for another type of schedule, whose values count for nothing. */
function checkTypes(body: Fields): void {
  optionalText(body, 'cronExpression');
  optionalWord(body, 'intervalUnit', INTERVAL_UNITS);
  if (!['number', 'undefined'].includes(typeof plainNumber(body.intervalValue ?? undefined)))
    throw badRequest("The field 'intervalValue' must be a number.");
}

function readInterval(body: Fields): Interval {
  const intervalValue = plainNumber(body.intervalValue);
  if (typeof intervalValue !== 'number' || !Number.isSafeInteger(intervalValue) || intervalValue < 1) {
    throw badRequest("The field 'intervalValue' must be a positive integer for a Basic schedule.");
  }
  const intervalUnit = optionalWord(body, 'intervalUnit', INTERVAL_UNITS);
  if (!intervalUnit) throw badRequest("The field 'intervalUnit' is required for a Basic schedule.");
  return { intervalValue, intervalUnit };
}

function readCron(body: Fields): string {
  const expression = optionalText(body, 'cronExpression') ?? '';
  if (expression.trim() === '') {
    throw badRequest("The field 'cronExpression' is required for a Cron schedule.");
  }
  const problem = cronProblem(expression);
  if (problem) throw badRequest(`The cron expression '${expression}' ${problem}.`);
  return expression;
}

function readStart(body: Fields): string {
  const startTime = wallClock(requiredText(body, 'startTime'));
  if (startTime) return startTime;
  throw badRequest(
    "The field 'startTime' must be a wall-clock time without an offset, such as 2026-12-01T06:00:00.",
  );
}

function readZone(body: Fields): string {
  const zone = optionalText(body, 'timeZoneId') ?? 'UTC';
  if (!isZone(zone)) throw badRequest(`The field 'timeZoneId' must be an IANA time zone, not '${zone}'.`);
  return zone;
}
