import { type Fields, isFields } from '../../../src/sandbox/body.js';
import type { Variant } from './names.js';
import type { ObjectKind, Operation } from './operations.js';

/** The variants that change each record of a response. They apply in the order of this table. */

export type RecordRewrite = (record: Fields, operation: Operation) => Fields;

export const RECORD_REWRITES: Partial<Record<Variant, RecordRewrite>> = {
  'names-trimmed': (record) => mapText(record, 'name', (name) => name.trim()),
  'names-decomposed': (record) => mapText(record, 'name', (name) => name.normalize('NFD')),
  'null-descriptions': (record) => (record.description === '' ? { ...record, description: null } : record),
  'absent-descriptions': (record) => (record.description === '' ? without(record, 'description') : record),
  'timestamps-short': (record) => mapTimes(record, (time) => time.replace(/\.\d+Z$/, 'Z')),
  'timestamps-ticks': (record) => mapTimes(record, (time) => time.replace(/(\.\d{3})?Z$/, '.0000000Z')),

  'members-reversed': (record) => mapList(record, 'members', (members) => members.toReversed()),
  'steps-from-one': (record) => mapList(record, 'steps', (steps) => steps.map(countFromOne)),
  'steps-shuffled': (record, { action }) =>
    action === 'read' ? record : mapList(record, 'steps', (steps) => steps.toReversed()),
  'items-without-members': (record, { action }) =>
    action === 'list' ? without(record, 'members', 'steps') : record,
  'items-minimal': (record, { action, kind }) =>
    action === 'list' && isCollection(kind) ? { id: record.id, name: record.name } : record,

  'flags-by-id': (record, { action, kind }) =>
    action === 'list' && isCollection(kind) ? { ...record, isActive: null, canManage: null } : record,

  'inputs-reserialised': (record) => mapText(record, 'inputParameters', reserialise),
  'null-inputs': (record) =>
    record.inputParameters === '{}' ? { ...record, inputParameters: null } : record,
  'start-time-short': (record) => mapText(record, 'startTime', (time) => time.replace(/:00$/, '')),
  'start-time-fraction': (record) => mapText(record, 'startTime', (time) => withFraction(time, '.000')),
  'start-time-ticks': (record) => mapText(record, 'startTime', (time) => withFraction(time, '.0000000')),
  'zone-alias': (record) => mapText(record, 'timeZoneId', (zone) => ALIASES.get(zone) ?? zone),
  'cron-spaces': (record) => mapText(record, 'cronExpression', changeSpacingAndCase),
  'enabled-by-status': (record) => without(record, 'isEnabled'),
  'numbers-as-strings': (record) =>
    mapList(numbersAsText(record), 'steps', (steps) => steps.map(numbersAsText)),
  'unused-timing-defaults': (record, { kind }) => (kind === 'schedule' ? timingDefaults(record) : record),
  'schedule-id-named': (record, { kind }) => (kind === 'schedule' ? rename(record, 'scheduleId') : record),

  'key-prefix-short': (record) => mapText(record, 'keyPrefix', (prefix) => prefix.slice(0, 12)),
  'key-prefix-masked': (record) => mapText(record, 'keyPrefix', (prefix) => `${prefix}...`),
  'key-prefix-constant': (record) => mapText(record, 'keyPrefix', () => 'svc_live_'),
  'scopes-reordered': (record) => mapList(record, 'scopes', (scopes) => scopes.toReversed()),
  'scopes-null': (record) => (hasFullAccess(record) ? { ...record, scopes: null } : record),
  'scopes-absent': (record) => (hasFullAccess(record) ? without(record, 'scopes') : record),
  'keys-without-id': (record, { kind }) => (kind === 'key' ? without(record, 'id') : record),
  'key-id-named': (record, { kind }) => (kind === 'key' ? rename(record, 'keyId') : record),
  'key-answers-bare': (record, { kind, action }) =>
    kind === 'key' && action === 'create' ? { key: record.key } : record,

  'nulls-absent': (record) => without(record, ...Object.keys(record).filter((key) => record[key] === null)),
};

const TIMES = ['nextRunTime', 'lastRunTime', 'lastRunAt', 'createdDate', 'expires', 'lastUsedDate'];

/** Two names of the same zone, in both directions. */
const ALIASES = new Map(
  [
    ['UTC', 'Etc/UTC'],
    ['Asia/Kolkata', 'Asia/Calcutta'],
    ['Asia/Kathmandu', 'Asia/Katmandu'],
    ['Asia/Ho_Chi_Minh', 'Asia/Saigon'],
    ['Europe/Kyiv', 'Europe/Kiev'],
    ['Europe/London', 'GB'],
    ['America/New_York', 'US/Eastern'],
    ['America/Los_Angeles', 'US/Pacific'],
    ['America/Argentina/Buenos_Aires', 'America/Buenos_Aires'],
  ].flatMap(([a = '', b = '']): [string, string][] => [
    [a, b],
    [b, a],
  ]),
);

function isCollection(kind: ObjectKind): boolean {
  return kind === 'group' || kind === 'pipeline';
}

function mapText(record: Fields, field: string, change: (text: string) => string): Fields {
  const value = record[field];
  return typeof value === 'string' ? { ...record, [field]: change(value) } : record;
}

function mapList(record: Fields, field: string, change: (list: unknown[]) => unknown[]): Fields {
  const value = record[field];
  return Array.isArray(value) ? { ...record, [field]: change(value) } : record;
}

const NUMBERS = ['intervalValue', 'memberCount', 'stepCount', 'activeRunCount', 'sortOrder'];

function numbersAsText<T>(record: T): T {
  if (!isFields(record)) return record;
  const asText = (name: string, value: unknown) =>
    NUMBERS.includes(name) && typeof value === 'number' ? String(value) : value;
  const entries = Object.entries(record).map(([name, value]) => [name, asText(name, value)]);
  return Object.fromEntries(entries) as T;
}

function mapTimes(record: Fields, change: (time: string) => string): Fields {
  return TIMES.reduce((result, field) => mapText(result, field, change), record);
}

function without(record: Fields, ...fields: string[]): Fields {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !fields.includes(key)));
}

/** Gives the id another field name. */
function rename(record: Fields, name: string): Fields {
  return 'id' in record ? { [name]: record.id, ...without(record, 'id') } : record;
}

function countFromOne(step: unknown): unknown {
  return isFields(step) ? { ...step, sortOrder: Number(step.sortOrder) + 1 } : step;
}

function reserialise(text: string): string {
  const value: unknown = JSON.parse(text);
  if (!isFields(value)) return text;
  return JSON.stringify(Object.fromEntries(Object.entries(value).toReversed()), null, 2);
}

/** A time without seconds, or with a fraction of them, stays as it is: then several variants make a valid time. */
function withFraction(time: string, fraction: string): string {
  return /:\d\d:\d\d$/.test(time) ? time + fraction : time;
}

function changeSpacingAndCase(cron: string): string {
  const upper = cron.toUpperCase();
  const recased = upper === cron ? cron.toLowerCase() : upper;
  return ` ${recased.trim().split(/\s+/).join('  ')} `;
}

function timingDefaults(record: Fields): Fields {
  const { intervalValue, intervalUnit, cronExpression } = record;
  return {
    ...record,
    intervalValue: intervalValue ?? 0,
    intervalUnit: intervalUnit ?? 'Minutes',
    cronExpression: cronExpression ?? '',
  };
}

function hasFullAccess(record: Fields): boolean {
  return Array.isArray(record.scopes) && record.scopes.length === 0;
}
