import { writeJson } from '../model/exact-number.js';
import { canonical, isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.js';
import type { EntryForm, Listing, ListingContext } from '../model/kind.js';
import {
  type FieldRule,
  type FieldRules,
  isPending,
  type Names,
  type ObjectRef,
  type Observed,
} from '../model/resource.js';
import type { SpecLoad, Timetable } from '../model/schedule.js';
import { instantText } from '../model/words.js';
import { previewSchedule, type ScheduleBody } from '../service/operations/schedules.js';
import { canonicalCron } from '../timing/cron.js';
import { type Interval, showEvery } from '../timing/interval.js';
import {
  closeStarts,
  dstAnomalies,
  longestGapSeconds,
  nextRuns,
  recurrenceOf,
  type Timing,
} from '../timing/runs.js';
import { busyMinutes, startsPerHour, startsPerMinute, type TimedLoad } from '../timing/start-counts.js';
import { canonicalWallClock, canonicalZone, offsetAt, writeWallClock } from '../timing/zone.js';
import { instantOf, UNKNOWN } from './rules.js';

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

/**
 * The texts of inputs as the service holds them, where they differ from what roster would write. Not a field of the spec:
 * they belong to the object, and go wherever it is taken over as it is (`keptValue` in reconcile/resolve.ts).
 */
const texts = new WeakMap<JsonObject, string>();

/**
 * A string that contains a JSON object (interface §1.5). Any other text is kept, also one nested too deeply, so that it
 * differs from every map. What is not changed is sent back as the same text.
 */
export function inputsFrom(text: string | null): JsonObject | string {
  if (text === null) return {};
  const value = text.trim() === '' ? null : parseJson(text);
  if (value !== null && !isJsonObject(value)) return text;
  const inputs = value ?? {};
  if (writeJson(inputs) !== text) texts.set(inputs, text);
  return inputs;
}

function textOf(inputs: ScheduleSpec['inputs']): string {
  return typeof inputs === 'string' ? inputs : (texts.get(inputs) ?? writeJson(inputs));
}

const targetTypes: Readonly<Record<string, 'Agent' | 'Group' | 'Pipeline'>> = {
  agent: 'Agent',
  group: 'Group',
  pipeline: 'Pipeline',
};

/** The whole body: a PUT replaces the schedule, and without `isEnabled` it would resume a paused one (interface §2, §4). */
export function bodyOf(spec: ScheduleSpec, clearsInputs: boolean): ScheduleBody {
  const inputs = textOf(spec.inputs);
  const body = {
    targetType: targetTypes[spec.target.kind] ?? 'Agent',
    targetId: spec.target.id,
    ...timingBody(spec),
    timeZoneId: spec.timeZone,
  };
  if (inputs === '{}' && !clearsInputs) return { ...body, isEnabled: spec.enabled };
  return { ...body, inputParameters: inputs, isEnabled: spec.enabled };
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

/** Without the inputs, which may be secrets. */
export function listSchedule(
  { spec, facts }: Observed<ScheduleSpec>,
  { names, now }: ListingContext,
): Listing {
  if (spec === null)
    return { values: {}, columns: { target: UNKNOWN, timing: UNKNOWN, 'next run': UNKNOWN } };
  const { every, cron, once, startTime, timeZone, enabled } = spec;
  const target = targetRule.show(spec.target, names);
  const interval = every === null ? null : showEvery(every.value, every.unit);
  const nextRun = nextRunOf(spec, facts['nextRunTime'], now);
  return {
    values: {
      target,
      targetId: spec.target.id as Json,
      every: interval,
      cron,
      once,
      startTime,
      timeZone,
      enabled,
      nextRun: nextRun ?? null,
      lastRunAt: instantOf(facts['lastRunTime']),
    },
    columns: {
      // Ids make lines too long to read. Programs find it in `targetId`.
      target: String(target).replace(` (${spec.target.id})`, ''),
      timing: `${briefTiming(spec, interval)}${/^UTC$/i.test(timeZone) ? '' : `, ${timeZone}`}`,
      'next run': enabled ? nextRunText(nextRun) : 'paused',
    },
  };
}

function briefTiming({ cron, once }: ScheduleSpec, interval: string | null): string {
  if (once !== null) return `once at ${once}`;
  return cron === null ? `every ${interval ?? UNKNOWN}` : `cron ${cron}`;
}

/** As the service says, else as computed here. Null when it never runs again, undefined when that is unknown. */
function nextRunOf(spec: ScheduleSpec, announced: Json | undefined, now: Date): string | null | undefined {
  if (!spec.enabled) return null;
  const known = instantOf(announced);
  if (known !== null) return known;
  const computed = timetable.nextRuns(spec, now, 1);
  return computed === null ? undefined : (computed[0] ?? null);
}

function nextRunText(nextRun: string | null | undefined): string {
  if (nextRun === undefined) return UNKNOWN;
  return nextRun === null ? 'never' : instantText(nextRun);
}

/** When schedules run, as the service answers or as computed here. */
export const timetable: Timetable<ScheduleSpec> = {
  fields: [...timingFields, 'enabled'],
  timeZone: (spec) => spec.timeZone,
  describe: timingText,
  target: ({ enabled, target }) => (enabled ? target : null),
  times: timesOf,
  nextRuns: (spec, from, count) =>
    ifReadable(spec, (timing) =>
      nextRuns(timing, spec.timeZone, from, count).map((instant) =>
        instant.toISOString().replace('.000Z', 'Z'),
      ),
    ),
  frequency: (spec) =>
    ifReadable(spec, (timing) => {
      if (!spec.enabled) return { runsPerWeek: 0, shortestGapSeconds: null, paused: true };
      const { runsPerWeek, shortestGapSeconds } = recurrenceOf(timing);
      return { runsPerWeek, shortestGapSeconds };
    }),
  longestGap: (spec) => ifReadable(spec, (timing) => longestGapSeconds(timing)),
  closeStarts: (spec, limit, now) =>
    ifReadable(
      spec,
      (timing) =>
        (spec.enabled ? closeStarts({ timing, timeZone: spec.timeZone }, limit, now) : null) ?? 'none',
    ),
  dstAnomalies: (spec, span) =>
    ifReadable(spec, (timing) => (spec.enabled ? dstAnomalies(timing, spec.timeZone, span) : [])),
  preview(spec, agent) {
    const askable = isPending(spec.target.id) ? withAgent(spec, agent) : spec;
    // The times do not depend on the inputs, and a rejection could quote them.
    return askable && previewSchedule(bodyOf({ ...askable, inputs: {} }, false));
  },
  wallClock(instant, timeZone) {
    const time = Date.parse(instant);
    return writeWallClock(time + offsetAt(timeZone, time));
  },
  busyMinutes: (loads, ...rest) => busyMinutes(loads.map(withTiming), ...rest),
  startsPerHour: (loads, span, timeZone) =>
    startsPerHour(startsPerMinute(loads.map(withTiming), span), timeZone),
};

/** Null for a schedule of the service that this program cannot read. */
function ifReadable<T>(spec: ScheduleSpec, make: (timing: Timing) => T): T | null {
  const timing = timingOf(spec);
  if (timing === null) return null;
  try {
    return make(timing);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The times do not depend on the target, so an agent can take the place of an object not created yet. */
function withAgent(spec: ScheduleSpec, agent: string | null): ScheduleSpec | null {
  return agent === null ? null : { ...spec, target: { kind: 'agent', id: agent } };
}

function withTiming<T extends SpecLoad<ScheduleSpec>>(load: T): T & TimedLoad {
  const timing = timingOf(load.spec);
  if (timing === null) throw new Error('a schedule without a complete timing cannot be counted');
  return { timing, timeZone: load.spec.timeZone, ...load };
}

/** How a schedule becomes an entry. It has no name, so its key says what it starts, and when. */
export const scheduleEntryForm: EntryForm<ScheduleSpec> = {
  defaults: () => ({ timeZone: 'UTC', inputs: {}, enabled: true }),
  keyWords(spec, names) {
    const target = targetWords(spec, names);
    const zone = spec.timeZone.split('/').at(-1) ?? '';
    const short = `${target} ${timingWords(spec)}`;
    const start = spec.startTime === null || spec.cron !== null ? '' : timeOfDay(spec.startTime);
    return [short, `${short} ${start}`, `${short} ${start} ${zone}`];
  },
};

function targetWords({ target }: ScheduleSpec, names: Names): string {
  const shown = String(targetRule.show(target, names));
  return shown.slice(shown.indexOf('/') + 1);
}

function timingWords({ every, cron, once }: ScheduleSpec): string {
  if (every !== null) return `every ${showEvery(every.value, every.unit)}`;
  if (cron !== null) return cronWords(cron);
  return once === null ? '' : `once ${once.slice(0, 'yyyy-mm-dd'.length)}`;
}

/** `daily 0230`, `mon-fri 0600`; `cron` for what takes more words. */
function cronWords(expression: string): string {
  const [second, minute = '', hour = '', day = '', month, weekday = ''] = expression.trim().split(/\s+/);
  const isTime = second === '0' && /^\d{1,2}$/.test(minute) && /^\d{1,2}$/.test(hour);
  const isAny = (field: string) => field === '*' || field === '?';
  if (!isTime || month !== '*' || !isAny(day)) return 'cron';
  const time = `${hour.padStart(2, '0')}${minute.padStart(2, '0')}`;
  if (isAny(weekday)) return `daily ${time}`;
  return /^[a-z,-]+$/i.test(weekday) ? `${weekday} ${time}` : `weekly ${time}`;
}

function timeOfDay(startTime: string): string {
  return startTime.slice('yyyy-mm-ddT'.length, 'yyyy-mm-ddThh:mm'.length).replace(':', '');
}
