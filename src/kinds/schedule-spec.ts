import { canonical, type Json, type JsonObject } from '../model/json.js';
import { type FieldRule, type FieldRules, isPending, type ObjectRef } from '../model/resource.js';
import type { ScheduleBody } from '../service/operations/schedules.js';
import { canonicalCron } from '../timing/cron.js';
import { type Interval, showEvery } from '../timing/interval.js';
import { canonicalWallClock } from '../timing/local-time.js';
import type { Timing } from '../timing/runs.js';
import { canonicalZone } from '../timing/zone.js';

export interface ScheduleSpec {
  /** An agent, or an object that can be run. */
  readonly target: ObjectRef;
  /** Exactly one of `every`, `cron` and `once`; `startTime` belongs to the first two. Kept as written. */
  readonly every: Interval | null;
  readonly cron: string | null;
  readonly once: string | null;
  readonly startTime: string | null;
  readonly timeZone: string;
  /** The parsed object, or the text where the service holds something that is not a JSON object. */
  readonly inputs: JsonObject | string;
  readonly enabled: boolean;
}

/** The fields that determine when it runs. */
export const timingFields = ['every', 'cron', 'once', 'startTime', 'timeZone'] as const;

export const targetRule: FieldRule<ObjectRef> = {
  canonical: ({ kind, id }) => [kind, id as Json],
  show: ({ kind, id }, names) =>
    isPending(id) ? id.pending : kind === 'agent' ? `agent/${names.agent(id)}` : names.object(kind, id),
  showApplied: (applied, names) => {
    const [kind, id] = Array.isArray(applied) ? applied : [];
    if (typeof kind !== 'string' || typeof id !== 'string') return applied;
    return kind === 'agent' ? `agent/${names.agent(id)}` : names.object(kind, id);
  },
  layout: 'value',
  isReference: true,
};

export const timingRules: Pick<FieldRules<ScheduleSpec>, (typeof timingFields)[number]> = {
  every: {
    canonical: (every) => (every === null ? null : [every.value, every.unit]),
    show: (every) => (every === null ? null : showEvery(every.value, every.unit)),
    showApplied: (applied) => {
      const [value, unit] = Array.isArray(applied) ? applied : [];
      return typeof value === 'number' && typeof unit === 'string' ? showEvery(value, unit) : applied;
    },
    layout: 'value',
  },
  cron: {
    canonical: (cron) => (cron === null ? null : canonicalCron(cron)),
    ignores: 'case and spaces are not significant',
    show: (cron) => cron,
    layout: 'value',
  },
  once: wallClock(),
  startTime: wallClock(),
  timeZone: {
    canonical: canonicalZone,
    ignores: 'both are names of one time zone',
    show: (zone) => zone,
    layout: 'value',
  },
};

function wallClock() {
  return {
    canonical: (time: string | null) => (time === null ? null : canonicalWallClock(time)),
    ignores: 'both are the same time',
    show: (time: string | null) => time,
    layout: 'value' as const,
  };
}

/** Equal texts are equal times. Null when paused. */
export function timesOf(spec: ScheduleSpec): string | null {
  return spec.enabled ? canonical(timingFields.map((field) => canonicalOf(spec, field))) : null;
}

function canonicalOf<F extends (typeof timingFields)[number]>(spec: ScheduleSpec, field: F): Json {
  return timingRules[field].canonical(spec[field]);
}

/** `every 6 hours from 2026-12-01T06:00:00, Europe/Berlin`. Only an expression is in backticks: the rest are words. */
export function timingText({ every, cron, once, startTime, timeZone, enabled }: ScheduleSpec): string {
  const interval = every === null ? 'no timing' : `every ${showEvery(every.value, every.unit)}`;
  const times = once === null ? (cron === null ? interval : `cron \`${cron}\``) : `once at ${once}`;
  const from = startTime === null ? '' : ` from ${startTime}`;
  return `${times}${from}, ${timeZone}${enabled ? '' : ', paused'}`;
}

const targetTypes: Readonly<Record<string, 'Agent' | 'Group' | 'Pipeline'>> = {
  agent: 'Agent',
  group: 'Group',
  pipeline: 'Pipeline',
};

/** The whole body: a PUT replaces the schedule, and without `isEnabled` it would resume a paused one (interface §2, §4). */
export function bodyOf(spec: ScheduleSpec, clearsInputs: boolean): ScheduleBody {
  const inputs = typeof spec.inputs === 'string' ? spec.inputs : JSON.stringify(spec.inputs);
  return {
    targetType: targetTypes[spec.target.kind] ?? 'Agent',
    targetId: spec.target.id,
    ...timingBody(spec),
    timeZoneId: spec.timeZone,
    ...(inputs === '{}' && !clearsInputs ? {} : { inputParameters: inputs }),
    isEnabled: spec.enabled,
  };
}

function timingBody(spec: ScheduleSpec) {
  if (spec.once !== null) return { scheduleType: 'Once' as const, startTime: spec.once };
  const startTime = spec.startTime ?? '';
  if (spec.cron !== null) return { scheduleType: 'Cron' as const, cronExpression: spec.cron, startTime };
  const { value, unit } = spec.every ?? { value: 0, unit: 'Days' as const };
  return { scheduleType: 'Basic' as const, intervalValue: value, intervalUnit: unit, startTime };
}

/** The timing; null where the service shows an incomplete one. */
export function timingOf({ once, cron, every, startTime }: ScheduleSpec): Timing | null {
  if (once !== null) return { type: 'Once', startTime: once };
  if (startTime === null) return null;
  if (cron !== null) return { type: 'Cron', expression: cron, startTime };
  return every === null ? null : { type: 'Basic', ...every, startTime };
}
