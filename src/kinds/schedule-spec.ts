import { canonical, type Json, type JsonObject } from '../model/json.js';
import type { FieldRules, IdOrPending, KindName } from '../model/resource.js';
import type { ScheduleBody } from '../service/operations/schedules.js';
import { canonicalCron } from '../timing/cron.js';
import type { Interval } from '../timing/interval.js';
import { showEvery } from '../timing/interval.js';
import type { Timing } from '../timing/runs.js';
import { canonicalWallClock } from '../timing/wall-clock.js';
import { canonicalZone } from '../timing/zone.js';

export interface ScheduleSpec {
  readonly target: { readonly kind: KindName; readonly id: IdOrPending };
  /** Exactly one of `every`, `cron`, `once`; `startTime` goes with the first two. As written: bytes are kept. */
  readonly every: Interval | null;
  readonly cron: string | null;
  readonly once: string | null;
  readonly startTime: string | null;
  readonly timeZone: string;
  /** The parsed object; the text itself where the service holds something that is no JSON object. */
  readonly inputs: JsonObject | string;
  readonly enabled: boolean;
}

/** Fields that say when it fires. */
export const timingFields = ['every', 'cron', 'once', 'startTime', 'timeZone'] as const;

/** Whether a value from the environment has a part in when it fires: then no time, and no number of runs, is told. */
export function isTimingHidden(hides: (field: string) => boolean): boolean {
  return [...timingFields, 'enabled'].some(hides);
}

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
    show: (cron) => cron,
    layout: 'value',
  },
  once: wallClock(),
  startTime: wallClock(),
  timeZone: { canonical: canonicalZone, show: (zone) => zone, layout: 'value' },
};

function wallClock() {
  return {
    canonical: (time: string | null) => (time === null ? null : canonicalWallClock(time)),
    show: (time: string | null) => time,
    layout: 'value' as const,
  };
}

/** Equal texts are equal times; null for one that is paused. */
export function timesOf(spec: ScheduleSpec): string | null {
  return spec.enabled ? canonical(timingFields.map((field) => canonicalOf(spec, field))) : null;
}

function canonicalOf<F extends (typeof timingFields)[number]>(spec: ScheduleSpec, field: F): Json {
  return timingRules[field].canonical(spec[field]);
}

const targetTypes: Readonly<Record<string, 'Agent' | 'Group' | 'Pipeline'>> = {
  agent: 'Agent',
  group: 'Group',
  pipeline: 'Pipeline',
};

/** The whole body: PUT replaces the schedule, and `isEnabled` left out would start a paused one (interface §2, §4). */
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

/** When it fires, in the words of the timing room; null where the service shows no timing that is whole. */
export function timingOf({ once, cron, every, startTime }: ScheduleSpec): Timing | null {
  if (once !== null) return { type: 'Once', startTime: once };
  if (startTime === null) return null;
  if (cron !== null) return { type: 'Cron', expression: cron, startTime };
  return every === null ? null : { type: 'Basic', ...every, startTime };
}
