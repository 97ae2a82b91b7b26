import type { Json, JsonObject } from '../model/json.js';
import { byCodeUnit, canonical } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import { isPending, type Observed, type Resolver } from '../model/resource.js';
import { unhidden } from '../model/value-hash.js';
import * as schedules from '../service/operations/schedules.js';
import { canonicalCron } from '../timing/cron.js';
import { showEvery } from '../timing/interval.js';
import { canonicalWallClock } from '../timing/wall-clock.js';
import { canonicalZone } from '../timing/zone.js';
import type { ScheduleEntry } from './generated/entries.js';
import { plain } from './rules.js';
import { expired, readSchedule, type ScheduleDeclared } from './schedule-entry.js';
import { scheduleRisks } from './schedule-risks.js';
import { bodyOf, type ScheduleSpec, timingFields, timingRules } from './schedule-spec.js';
import { timetable } from './schedule-timetable.js';

/** What makes one schedule this one and no other (contract §3). */
const identityFields = ['target', ...timingFields] as const;

/** Schedules (interface §2 Schedule, §4 Schedules). They have no name: target, type, timing and zone tell them apart. */
export const schedule: Kind<ScheduleDeclared, ScheduleSpec> = {
  name: 'schedule',
  section: 'schedules',
  after: ['group', 'pipeline'],
  last: false,

  read: (entry, _key, context) => readSchedule(entry as ScheduleEntry, context),
  refersTo: (declared) =>
    declared.target.startsWith('agent/') ? [] : [{ address: declared.target, path: ['target'] }],
  links: ({ target }) => ({ field: 'target', to: [target], ordered: false }),
  declaredIdentity: (declared) =>
    canonical([
      declared.target,
      declared.every === null ? null : showEvery(declared.every.value, declared.every.unit),
      declared.cron === null ? null : canonicalCron(declared.cron),
      declared.once === null ? null : canonicalWallClock(declared.once),
      declared.startTime === null ? null : canonicalWallClock(declared.startTime),
      canonicalZone(declared.timeZone),
      declared.inputs,
      declared.enabled,
    ]),

  list: () => {
    const call = schedules.listSchedules();
    return { ...call, parse: (item) => observe(call.parse(item)) };
  },
  detail: null,

  exists: () => true,
  resolve(entry, resolver) {
    const { target: written, ...rest } = entry.declared;
    const target = resolveTarget(written, resolver);
    if (target === undefined) return undefined;
    tellInputs(entry.declared, resolver);
    return { ...rest, target };
  },
  fields: {
    target: {
      canonical: (target) => [target.kind, target.id as Json],
      show: (target, names) =>
        isPending(target.id)
          ? target.id.pending
          : target.kind === 'agent'
            ? `agent/${names.agent(target.id)}`
            : names.object(target.kind, target.id),
      showApplied: (applied, names) => {
        const [kind, id] = Array.isArray(applied) ? applied : [];
        if (typeof kind !== 'string' || typeof id !== 'string') return applied;
        return kind === 'agent' ? `agent/${names.agent(id)}` : names.object(kind, id);
      },
      layout: 'value',
      isReference: true,
    },
    ...timingRules,
    inputs: { canonical: (inputs) => inputs, show: unhidden, layout: 'map' },
    enabled: plain(),
  },
  identityFields,
  identity,
  observedIdentity: (observed) => (observed.spec === null ? null : identity(observed.spec)),
  describe: (spec) => describe(spec),
  notSettableOnCreate: [],
  similarIn: ['target'],
  targets: (spec) => (spec.target.kind === 'agent' ? [] : [spec.target]),
  agents: () => [],
  starts({ enabled, target }, of) {
    if (!enabled) return 0;
    return target.kind === 'agent' ? 1 : of(target);
  },

  create: (spec) => [{ request: schedules.createSchedule(bodyOf(spec, false)) }],
  update(target, after, changed) {
    if (changed.size > 1 || !changed.has('enabled')) {
      const clears = canonical(target.before.inputs) !== '{}';
      return [{ request: schedules.replaceSchedule(target.id, bodyOf(after, clears)) }];
    }
    const group = after.enabled ? 'enable' : 'disable';
    return [
      { request: schedules.enableSchedule(target.id, after.enabled), bulk: { group, rawId: target.rawId } },
    ];
  },
  remove: (target) => [
    { request: schedules.deleteSchedule(target.id), bulk: { group: 'delete', rawId: target.rawId } },
  ],
  bulk: {
    merge: (group, rawIds) =>
      group === 'delete' ? schedules.bulkDelete(rawIds) : schedules.bulkEnable(rawIds, group === 'enable'),
    confirms: (data, count) => {
      const counts = schedules.bulkCounts(data);
      return counts !== null && counts.skipped === 0 && counts.affected === count;
    },
  },
  createdId: schedules.createdId,
  secret: null,
  requiresReplace: () => false,
  rotationDue: () => null,
  expired,
  risks: scheduleRisks,
  revokesCaller: () => false,
  timetable,
  saved: {
    facts: [],
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

function resolveTarget(written: string, resolver: Resolver): ScheduleSpec['target'] | undefined {
  const kind = written.slice(0, written.indexOf('/'));
  if (kind !== 'agent') {
    const id = resolver.target(written, ['target']);
    return id === undefined ? undefined : { kind, id };
  }
  const agent = resolver.agent(written.slice('agent/'.length), ['target']);
  return agent === undefined ? undefined : { kind, id: agent.id };
}

/** Inputs that no agent of the target knows are most likely misspelt. */
function tellInputs(declared: ScheduleDeclared, resolver: Resolver): void {
  if (declared.target.startsWith('pipeline/') || Object.keys(declared.inputs).length === 0) return;
  const agents = resolver.agentsOf(declared.target);
  if (agents.length === 0) return;
  const known = new Set(agents.flatMap((agent) => agent.inputKeys));
  for (const key of Object.keys(declared.inputs)) {
    if (known.has(key)) continue;
    const message = `no agent of ${declared.target} has an input "${key}"`;
    resolver.tell(
      'warning',
      'unknown-input',
      ['inputs', key],
      message,
      inputHint(key, known, resolver),
      'key',
    );
  }
}

function inputHint(key: string, known: ReadonlySet<string>, resolver: Resolver): string {
  if (known.size === 0) return 'Its agents take no inputs.';
  const names = [...known].sort(byCodeUnit);
  const near = resolver.nearest(key, names);
  return near === null
    ? `There are ${names.map((name) => `\`${name}\``).join(', ')}.`
    : `Did you mean \`${near}\`?`;
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

/** Interface §1.5: a string that contains a JSON object. What is none is kept as text, so that it differs from any map. */
function parseInputs(text: string | null): JsonObject | string {
  if (text === null || text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (value === null) return {};
    if (typeof value === 'object' && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Not JSON: shown as the text it is.
  }
  return text;
}

function identity(spec: ScheduleSpec): string {
  return canonical(identityFields.map((field) => canonicalField(spec, field)));
}

function canonicalField<F extends keyof ScheduleSpec>(spec: ScheduleSpec, field: F): Json {
  return schedule.fields[field].canonical(spec[field]);
}

function describe(spec: ScheduleSpec): string {
  if (spec.once !== null) return `once at ${spec.once} ${spec.timeZone}`;
  if (spec.cron !== null) return `at cron "${spec.cron}" ${spec.timeZone}`;
  return spec.every === null ? 'without timing' : `every ${showEvery(spec.every.value, spec.every.unit)}`;
}
