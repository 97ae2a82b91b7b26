import { targetName } from './access.js';
import { badRequest, type Core, Refusal } from './api.js';
import {
  type Fields,
  optionalFlag,
  optionalInputs,
  optionalText,
  optionalWord,
  requiredText,
} from './body.js';
import { cronProblem, fireTimes, isZone, wallClock } from './timetable.js';
import {
  INTERVAL_UNITS,
  type IntervalUnit,
  isGuid,
  SCHEDULE_TYPES,
  type ScheduleSettings,
  TARGET_TYPES,
} from './world.js';

/** What the service checks in a schedule body, on create, update and preview (interface.md §2 and §4). */

type Target = Pick<ScheduleSettings, 'targetType' | 'targetId'>;
type Interval = { intervalValue: number | null; intervalUnit: IntervalUnit | null };

/** A whole schedule out of a body. Fields left out get their defaults, so a PUT replaces everything. */
export function readSettings(core: Core, body: Fields): ScheduleSettings {
  const scheduleType = optionalWord(body, 'scheduleType', SCHEDULE_TYPES);
  if (!scheduleType) throw badRequest("The field 'scheduleType' is required.");
  const settings: ScheduleSettings = {
    ...readTarget(core, body),
    scheduleType,
    ...(scheduleType === 'Basic' ? readInterval(body) : { intervalValue: null, intervalUnit: null }),
    cronExpression: scheduleType === 'Cron' ? readCron(body) : null,
    startTime: readStart(body),
    timeZoneId: readZone(body),
    inputParameters: optionalInputs(body) ?? '{}',
    isEnabled: optionalFlag(body, 'isEnabled') ?? true,
  };
  checkNotPast(core, settings);
  checkNotFrequent(core, settings);
  return settings;
}

function readTarget(core: Core, body: Fields): Target {
  const targetType = optionalWord(body, 'targetType', TARGET_TYPES) ?? 'Agent';
  const targetId = requiredText(body, 'targetId');
  if (!isGuid(targetId)) throw badRequest(`The field 'targetId' must be a GUID, not '${targetId}'.`);
  if (targetName(core.world, { targetType, targetId }) === undefined) {
    const status = core.variants.has('unknown-target-404') ? 404 : 400;
    throw new Refusal(status, `The target ${targetType} '${targetId}' does not exist or is not accessible.`);
  }
  return { targetType, targetId: targetId.toLowerCase() };
}

function readInterval(body: Fields): Interval {
  const intervalValue = body.intervalValue;
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
  throw badRequest("The field 'startTime' must be a wall-clock time such as 2026-12-01T06:00:00, no offset.");
}

function readZone(body: Fields): string {
  const zone = optionalText(body, 'timeZoneId') ?? 'UTC';
  if (!isZone(zone)) throw badRequest(`The field 'timeZoneId' must be an IANA time zone, not '${zone}'.`);
  return zone;
}

function checkNotPast(core: Core, settings: ScheduleSettings): void {
  if (settings.scheduleType !== 'Once' || !core.variants.has('past-once-refused')) return;
  if (fireTimes(settings, core.clock(), 1).length === 0) throw badRequest("The 'startTime' has passed.");
}

function checkNotFrequent(core: Core, settings: ScheduleSettings): void {
  if (!core.variants.has('frequent-refused')) return;
  const [first, second] = fireTimes(settings, core.clock(), 2);
  if (first === undefined || second === undefined || second.getTime() - first.getTime() >= 300_000) return;
  throw badRequest('A schedule may start its target at most once every 5 minutes.');
}
