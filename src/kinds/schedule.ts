import { unhidden } from '../model/digest.js';
import type { Risk } from '../model/finding.js';
import { byCodeUnit, canonical, type Json, type JsonObject } from '../model/json.js';
import type { Expiry, Kind, ReadContext, RiskInputs } from '../model/kind.js';
import type { ListCall } from '../model/request.js';
import type { ObjectRef, Observed, Resolver } from '../model/resource.js';
import type { StartedRun } from '../model/run.js';
import { frequencyText } from '../model/schedule.js';
import { wordList } from '../model/words.js';
import { runSchedule, type StartedSchedule } from '../service/operations/schedule-runs.js';
import * as schedules from '../service/operations/schedules.js';
import { canonicalCron } from '../timing/cron.js';
import { cronProblem, cronWarnings } from '../timing/cron-check.js';
import { everyRange, type Interval, intervalProblem, parseInterval, showEvery } from '../timing/interval.js';
import type { TimingProblem } from '../timing/problem.js';
import { isPast, minutesOfDay, recurrenceOf } from '../timing/runs.js';
import {
  canonicalWallClock,
  canonicalZone,
  localKind,
  offsetAt,
  wallClockProblem,
  zoneProblem,
  zoneWarning,
} from '../timing/zone.js';
import type { ScheduleEntry } from './generated/entries.js';
import { plain } from './rules.js';
import {
  bodyOf,
  inputsFrom,
  listSchedule,
  type ScheduleSpec,
  scheduleEntryForm,
  targetRule,
  timesOf,
  timetable,
  timingFields,
  timingOf,
  timingRules,
  timingText,
} from './schedule-spec.js';

const identityFields = ['target', ...timingFields] as const;

/** Schedules (interface §2 Schedule, §4 Schedules). They have no name: target and timing tell them apart. */
export const schedule: Kind<ScheduleDeclared, ScheduleSpec> = {
  name: 'schedule',
  section: 'schedules',
  shape: 'ellipse',

  read: (entry, _key, context) => readSchedule(entry as ScheduleEntry, context),
  resolve(entry, resolver) {
    const { declared } = entry;
    const target = resolveTarget(declared.target, resolver);
    if (target === undefined) return undefined;
    reportUnknownInputs(declared, resolver);
    return { ...declared, target };
  },
  list: () => listOf(null),
  // A replace also overwrites what someone else has just changed: a paused schedule would start again.
  reread: { before: ['PUT', 'DELETE'], list: ({ target }) => listOf(target) },
  fields: {
    target: targetRule,
    ...timingRules,
    inputs: { canonical: (inputs) => inputs, show: unhidden, layout: 'map', mayHoldSecrets: true },
    enabled: plain(),
  },
  identity: {
    fields: identityFields,
    of: identity,
    ofDeclared: declaredIdentity,
    ofObserved: ({ spec }) => spec && identity(spec),
    withoutReferences: {
      ofDeclared: (declared) => timesKey(declared),
      ofObserved: ({ spec }) => spec && timesKey(spec),
    },
    describe,
  },
  entry: scheduleEntryForm,
  listing: listSchedule,
  similarity: { within: ['target'] },
  nearMiss: { field: 'target', relation: 'with the same target' },
  brief: (spec, names) => `${targetRule.show(spec.target, names)}, ${timingText(spec)}`,
  references: {
    field: 'target',
    kinds: ['group', 'pipeline'],
    inEntry: ({ target }) => (target.startsWith('agent/') ? [] : [target]),
    inSpec: ({ target }) => (target.kind === 'agent' ? [] : [target]),
    listOf,
  },
  links: ({ target }) => ({ field: 'target', to: [target], ordered: false }),

  create: (spec) => [{ request: schedules.createSchedule(bodyOf(spec, false)) }],
  createdId: schedules.createdId,
  update({ id, rawId, before }, after, changed) {
    if (changed.size > 1 || !changed.has('enabled')) {
      const clears = canonical(before.inputs) !== '{}';
      return [{ request: schedules.replaceSchedule(id, bodyOf(after, clears)) }];
    }
    const group = after.enabled ? 'enable' : 'disable';
    return [{ request: schedules.enableSchedule(id, after.enabled), bulk: { group, rawId } }];
  },
  remove: ({ id, rawId }) => [{ request: schedules.deleteSchedule(id), bulk: { group: 'delete', rawId } }],
  bulk: {
    merge: (group, rawIds) =>
      group === 'delete' ? schedules.bulkDelete(rawIds) : schedules.bulkEnable(rawIds, group === 'enable'),
    confirms: (data, count) => {
      const counts = schedules.bulkCounts(data);
      return counts !== null && counts.skipped === 0 && counts.affected === count;
    },
  },

  startByHand: {
    makes: null,
    takesInputs: true,
    start(id, inputs) {
      const { request, parse } = runSchedule(id, inputs);
      return { request, parse: (data) => startedBy(parse(data)) };
    },
    target: ({ target, inputs }) => ({ of: target, inputs: typeof inputs === 'string' ? {} : inputs }),
  },
  pausing: {
    field: 'enabled',
    isPaused: ({ enabled }) => !enabled,
    with: (spec, paused) => ({ ...spec, enabled: !paused }),
  },
  expired,
  risks: scheduleRisks,
  timetable,
  snapshot: {
    hashed: ['inputs'],
    placeholder: {
      target: { kind: 'agent', id: '' },
      every: null,
      cron: null,
      once: null,
      startTime: null,
      timeZone: 'UTC',
      inputs: {},
      enabled: true,
    },
  },
};

/** The schedules of one target; of all with null. */
function listOf(target: ObjectRef | null): ListCall<Observed<ScheduleSpec>> {
  const call = schedules.listSchedules(target);
  return { ...call, parse: (item) => observe(call.parse(item)) };
}

function resolveTarget(written: string, resolver: Resolver): ScheduleSpec['target'] | undefined {
  const kind = written.slice(0, written.indexOf('/'));
  if (kind !== 'agent') {
    const id = resolver.idOf(written);
    return id === undefined ? undefined : { kind, id };
  }
  const agent = resolver.agent(written.slice('agent/'.length), ['target']);
  return agent === undefined ? undefined : { kind, id: agent.id };
}

/** An input that no agent of the target has is most likely misspelt. */
function reportUnknownInputs(declared: ScheduleDeclared, resolver: Resolver): void {
  if (declared.target.startsWith('pipeline/') || Object.keys(declared.inputs).length === 0) return;
  const agents = resolver.agentsOf(declared.target);
  if (agents.length === 0) return;
  const isKnown = (key: string) => agents.some((agent) => agent.inputKeys.includes(key));
  const unknown = Object.keys(declared.inputs).filter((key) => !isKnown(key));
  const [first] = unknown;
  if (first === undefined) return;
  const known = [...new Set(agents.flatMap((agent) => agent.inputKeys))].sort(byCodeUnit);
  resolver.report({
    severity: 'warning',
    code: 'unknown-input',
    path: ['inputs', first],
    message: unknownInputs(declared.target, unknown),
    help: inputHint(unknown, known, resolver),
    at: 'key',
  });
}

function observe(remote: schedules.RemoteSchedule): Observed<ScheduleSpec> {
  const type = remote.scheduleType;
  const { intervalValue: value, intervalUnit: unit } = remote;
  return {
    kind: 'schedule',
    id: remote.id,
    rawId: remote.rawId,
    name: null,
    manageable: true,
    caller: false,
    facts: remote.facts,
    spec: {
      target: { kind: remote.targetType.toLowerCase(), id: remote.targetId },
      every: type === 'Basic' && value !== null && unit !== null ? { value, unit } : null,
      cron: type === 'Cron' ? remote.cronExpression : null,
      once: type === 'Once' ? remote.startTime : null,
      startTime: type === 'Once' ? null : remote.startTime,
      timeZone: remote.timeZoneId,
      inputs: inputsFrom(remote.inputParameters),
      enabled: remote.isEnabled,
    },
  };
}

function declaredIdentity(declared: ScheduleDeclared): string {
  const { target, every, cron, once, startTime, timeZone, inputs, enabled } = declared;
  return canonical([
    target,
    every && showEvery(every.value, every.unit),
    cron && canonicalCron(cron),
    once && canonicalWallClock(once),
    startTime && canonicalWallClock(startTime),
    canonicalZone(timeZone),
    inputs,
    enabled,
  ]);
}

function identity(spec: ScheduleSpec): string {
  return canonical(identityFields.map((field) => canonicalField(spec, field)));
}

/** Entry and spec have the same fields for it. */
function timesKey(times: Pick<ScheduleSpec, (typeof timingFields)[number]>): string {
  return canonical(timingFields.map((field) => schedule.fields[field].canonical(times[field] as never)));
}

function canonicalField<F extends keyof ScheduleSpec>(spec: ScheduleSpec, field: F): Json {
  return schedule.fields[field].canonical(spec[field]);
}

/** Not whether it is paused: a schedule keeps its identity then. */
function describe(spec: ScheduleSpec): string {
  return `with the timing ${timingText({ ...spec, enabled: true })}`;
}

export interface ScheduleDeclared {
  readonly target: string;
  readonly every: Interval | null;
  readonly cron: string | null;
  readonly once: string | null;
  readonly startTime: string | null;
  readonly timeZone: string;
  readonly inputs: JsonObject;
  readonly enabled: boolean;
}

/** Reads one entry that fits the schema, and reports what is wrong with its times. */
function readSchedule(entry: ScheduleEntry, context: ReadContext): ScheduleDeclared {
  const declared: ScheduleDeclared = {
    target: entry.target ?? '',
    every: readEvery(entry.every ?? null, context),
    cron: entry.cron ?? null,
    once: entry.once ?? null,
    startTime: entry.startTime ?? null,
    timeZone: entry.timeZone ?? 'UTC',
    inputs: (entry.inputs ?? {}) as JsonObject,
    enabled: entry.enabled ?? true,
  };
  checkTimes(declared, context);
  if (declared.target.startsWith('pipeline/') && Object.keys(declared.inputs).length > 0) {
    context.report({
      severity: 'warning',
      code: 'ignored-inputs',
      path: ['inputs'],
      message: "the stages of a pipeline run with their agents' default inputs, so these inputs are ignored",
      help: 'Remove them, or target an agent or a group.',
    });
  }
  return declared;
}

function readEvery(text: string | null, context: ReadContext): Interval | null {
  if (text === null) return null;
  reportTiming(context, 'invalid-time', 'every', intervalProblem(text, everyRange, context.suggest));
  return parseInterval(text, everyRange);
}

function checkTimes(declared: ScheduleDeclared, context: ReadContext): void {
  const zone = zoneProblem(declared.timeZone, context.suggest);
  reportTiming(context, 'invalid-time-zone', 'timeZone', zone);
  const unclear = zoneWarning(declared.timeZone);
  if (unclear !== null)
    context.report({ severity: 'warning', code: 'ambiguous-time-zone', path: ['timeZone'], ...unclear });
  if (declared.cron !== null) checkCron(declared.cron, context);
  for (const field of ['once', 'startTime'] as const) {
    const text = declared[field];
    if (text === null) continue;
    const problem = wallClockProblem(text);
    reportTiming(context, 'invalid-time', field, problem);
    if (problem !== null || zone !== null) continue;
    warnOfClockChange(field, text, declared.timeZone, context);
    if (field === 'once') warnOfPast(declared, context);
  }
}

function checkCron(cron: string, context: ReadContext): void {
  reportTiming(context, 'invalid-cron', 'cron', cronProblem(cron));
  for (const warning of cronWarnings(cron))
    context.report({ severity: 'warning', path: ['cron'], ...warning });
}

function reportTiming(
  { report }: ReadContext,
  code: 'invalid-time' | 'invalid-time-zone' | 'invalid-cron',
  field: string,
  problem: TimingProblem | null,
): void {
  if (problem !== null) report({ severity: 'error', code, path: [field], ...problem });
}

function warnOfPast(declared: ScheduleDeclared, { now, report }: ReadContext): void {
  const expiry = now === null ? null : expired(declared, now);
  if (expiry !== null) report({ severity: 'warning', code: 'past-once', ...expiry });
}

/** A `once` that has passed is never created, enabled or run again (contract §3). */
function expired({ once, timeZone }: ScheduleDeclared, now: Date): Expiry | null {
  if (once === null || !isPast(once, timeZone, now)) return null;
  return {
    path: ['once'],
    message: 'this time has passed: the schedule is left unchanged and never runs again',
    help: 'Remove the entry if it is no longer needed, or give it a time in the future.',
  };
}

function warnOfClockChange(field: string, text: string, zone: string, { report }: ReadContext): void {
  const kind = localKind(text, zone);
  if (kind === 'normal') return;
  const effect =
    kind === 'skipped'
      ? 'does not exist, because a clock change skips it'
      : 'occurs twice, because a clock change repeats it';
  report({
    severity: 'warning',
    code: `${kind}-time`,
    path: [field],
    message: `${text} in ${zone} ${effect}`,
    help: 'Choose a time outside the hour in which the clocks change, or another `timeZone` such as UTC.',
  });
}

/** Names that are listed. The rest are counted. */
const MOST_NAMES = 5;

/** `agent/globex has no input "contry"`, or `no agent of group/g has inputs "contry", "qery" and "zone"`. */
function unknownInputs(target: string, keys: readonly string[]): string {
  const [first = ''] = keys;
  const isAgent = target.startsWith('agent/');
  const inputs =
    keys.length === 1
      ? `${isAgent ? '' : 'an '}input "${first}"`
      : `inputs ${listed(keys.map((key) => `"${key}"`))}`;
  return isAgent ? `${target} has no ${inputs}` : `no agent of ${target} has ${inputs}`;
}

/** The nearest known input for each of the unknown ones, or all known inputs if none is near. */
function inputHint(unknown: readonly string[], known: readonly string[], { suggest }: Resolver): string {
  if (known.length === 0) return 'Its agents have no inputs.';
  const near = unknown.slice(0, MOST_NAMES).flatMap((key) => {
    const closest = suggest(key, known);
    return closest === null ? [] : [{ key, closest }];
  });
  if (near.length < Math.min(unknown.length, MOST_NAMES)) {
    const names = known.map((name) => `\`${name}\``).join(', ');
    return [...near.map(replacement), `Known inputs: ${names}.`].join(' ');
  }
  const [first] = near;
  if (unknown.length === 1 && first !== undefined) return `Did you mean \`${first.closest}\`?`;
  return near.map(replacement).join(' ');
}

function replacement({ key, closest }: { readonly key: string; readonly closest: string }): string {
  return `Instead of "${key}", did you mean \`${closest}\`?`;
}

function listed(words: readonly string[]): string {
  const more = words.length - MOST_NAMES;
  if (more > 0) return `${words.slice(0, MOST_NAMES).join(', ')} and ${more} more`;
  return wordList(words, 'and');
}

function startedBy({ jobId, groupRunId, pipelineRunId }: StartedSchedule): StartedRun {
  const startedAt = null;
  if (groupRunId !== null) return { id: groupRunId, idKind: 'groupRun', startedAt };
  if (pipelineRunId !== null) return { id: pipelineRunId, idKind: 'pipelineRun', startedAt };
  if (jobId !== null) return { id: jobId, idKind: 'job', startedAt };
  throw new Error('run-now returned no id');
}

/** How often and at what time of day a schedule runs. */
interface When {
  readonly runsPerWeek: number;
  /** Minutes since midnight, by the schedule's own clock. */
  readonly minutes: readonly number[];
  readonly timeZone: string;
}

/** A change of a schedule is risky when it then runs more often, at other hours of the day, or no longer. */
function scheduleRisks({ observed, after, now }: RiskInputs<ScheduleSpec>): readonly Risk[] {
  const before = observed?.spec ?? null;
  if (before === null) return [];
  if (after === null) return [{ code: 'delete', message: ending(before) }];
  return retimed(before, after, now).map((fact) => ({ code: 'schedule', ...fact }));
}

type Fact = Omit<Risk, 'code'>;

function ending(before: ScheduleSpec): string {
  const when = whenOf(before);
  if (when === 'paused') return 'is paused, so it stops no runs';
  if (when === 'unknown') return 'stops an enabled schedule, whose times cannot be computed here';
  return before.once === null
    ? `stops ${frequencyText(when.runsPerWeek)}`
    : `was due to run once at \`${before.once} ${before.timeZone}\``;
}

function retimed(before: ScheduleSpec, after: ScheduleSpec, now: Date): Fact[] {
  const [was, is] = [whenOf(before), whenOf(after)];
  // A rule says of what is paused that it starts again (reconcile/rules/starts-again.ts).
  if (is === 'paused' || was === 'paused') return [];
  if (is === 'unknown' || was === 'unknown') return unknownTimes(before, after);
  const more = moreOften(was, is);
  // A schedule that runs more often may well run at more hours: that needs no second message.
  return more.length > 0 && !movesFrom(is, was, now) ? more : [...more, ...otherHours(was, is, now)];
}

/** Nobody can say whether it then runs more often. */
function unknownTimes(before: ScheduleSpec, after: ScheduleSpec): Fact[] {
  return timesOf(before) === timesOf(after)
    ? []
    : [{ message: 'changes its times, which cannot be computed here: it may run more often' }];
}

function moreOften(was: When, is: When): Fact[] {
  if (is.runsPerWeek <= was.runsPerWeek * (1 + 1e-9)) return [];
  const [now, then] = [frequencyText(is.runsPerWeek), frequencyText(was.runsPerWeek)];
  const message = `runs more often: ${now} instead of ${then}`;
  return [
    {
      message: message.replace(/ runs a week(?= instead .* runs a week$)/, ''),
      besideCadence: 'runs more often',
    },
  ];
}

function otherHours(was: When, is: When, now: Date): Fact[] {
  return movesFrom(was, is, now)
    ? [{ message: `runs at another hour: ${timesText(is)} instead of ${timesText(was)}` }]
    : [];
}

/**
 * Whether one runs at an hour of the day at which the other does not. Hours are compared in UTC, now and half a year
 * later: two zones may differ in summer only.
 */
function movesFrom(other: When, one: When, now: Date): boolean {
  const later = now.getTime() + 182 * 86_400_000;
  return [now.getTime(), later].some((instant) => {
    const known = new Set(hoursOf(other, instant));
    return hoursOf(one, instant).some((hour) => !known.has(hour));
  });
}

function hoursOf({ minutes, timeZone }: When, instant: number): number[] {
  const offset = offsetAt(timeZone, instant) / 60_000;
  return minutes.map((minute) => Math.floor((((minute - offset) % 1440) + 1440) / 60) % 24);
}

/** Times that are listed. The rest are counted. */
const shownTimes = 4;

function timesText({ minutes, timeZone }: When): string {
  const times = minutes
    .slice(0, shownTimes)
    .map((minute) => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`);
  const more = minutes.length - times.length;
  return `\`${times.join(', ')} ${timeZone}\`${more > 0 ? ` and ${more} more times` : ''}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function whenOf(spec: ScheduleSpec): When | 'paused' | 'unknown' {
  if (!spec.enabled) return 'paused';
  const timing = timingOf(spec);
  if (timing === null) return 'unknown';
  try {
    offsetAt(spec.timeZone, 0);
    return {
      runsPerWeek: recurrenceOf(timing).runsPerWeek,
      minutes: minutesOfDay(timing),
      timeZone: spec.timeZone,
    };
  } catch (error) {
    // The service may hold a zone or an expression that this program cannot read.
    if (error instanceof RangeError) return 'unknown';
    throw error;
  }
}
