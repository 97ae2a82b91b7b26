import { unhidden } from '../model/digest.js';
import { byCodeUnit, canonical, isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { ListCall } from '../model/request.js';
import type { ObjectRef, Observed, Resolver } from '../model/resource.js';
import * as schedules from '../service/operations/schedules.js';
import { canonicalCron } from '../timing/cron.js';
import { showEvery } from '../timing/interval.js';
import { canonicalWallClock } from '../timing/local-time.js';
import { canonicalZone } from '../timing/zone.js';
import type { ScheduleEntry } from './generated/entries.js';
import { listSchedule } from './listings.js';
import { plain } from './rules.js';
import { expired, readSchedule, type ScheduleDeclared } from './schedule-entry.js';
import { scheduleEntryForm } from './schedule-entry-form.js';
import { inputHint, unknownInputs } from './schedule-inputs.js';
import { scheduleRisks } from './schedule-risks.js';
import { runNow } from './schedule-run-now.js';
import {
  bodyOf,
  type ScheduleSpec,
  targetRule,
  timingFields,
  timingRules,
  timingText,
} from './schedule-spec.js';
import { timetable } from './schedule-timetable.js';

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

  startByHand: runNow,
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
      inputs: parseInputs(remote.inputParameters),
      enabled: remote.isEnabled,
    },
  };
}

/**
 * A string that contains a JSON object (interface §1.5). Any other text is kept, also one nested too deeply, so that it
 * differs from every map.
 */
function parseInputs(text: string | null): JsonObject | string {
  if (text === null || text.trim() === '') return {};
  const value = parseJson(text);
  if (value === null) return {};
  return isJsonObject(value) ? value : text;
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

function canonicalField<F extends keyof ScheduleSpec>(spec: ScheduleSpec, field: F): Json {
  return schedule.fields[field].canonical(spec[field]);
}

/** Not whether it is paused: a schedule keeps its identity then. */
function describe(spec: ScheduleSpec): string {
  return `with the timing ${timingText({ ...spec, enabled: true })}`;
}
