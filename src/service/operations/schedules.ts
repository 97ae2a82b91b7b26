import { isJsonObject, type Json } from '../../model/json.js';
import type { Call, ListCall, Request } from '../../model/request.js';
import { type IdOrPending, isPending, type ObjectRef } from '../../model/resource.js';
import { findCreatedId } from './created.js';
import { wholeNumber } from './record.js';
import { parseRuns } from './runs.js';
import { parseSchedule, type RemoteSchedule, type ScheduleType, type TargetType } from './schedule.js';
import { segment } from './segment.js';

export type { RemoteSchedule, ScheduleType, TargetType };

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

function written({ targetId, ...rest }: ScheduleBody): Pick<Request, 'body' | 'pendingIds'> {
  const properties: Record<string, Json> = { ...rest };
  return isPending(targetId)
    ? { body: properties, pendingIds: { targetId: targetId.pending } }
    : { body: { ...properties, targetId } };
}
