import { randomUUID } from 'node:crypto';
import { isOwn } from '../access.js';
import { type Answer, badRequest, type Call, type Core, notFound, type Route } from '../api.js';
import { bodyFields, type Fields, optionalInputs, requiredFlag } from '../body.js';
import { startTarget } from '../engine/scheduled.js';
import { refusedAs } from '../runs/starts.js';
import { byId, NEVER_STARTED, put, type ScheduleRecord } from '../world.js';
import { scheduleListRoutes } from './lists.js';
import { readSettings } from './rules.js';
import { fireTimes } from './timetable.js';
import { showSchedule } from './view.js';

/** Schedules (interface.md §4). The engine starts them when they are due (engine/engine.ts). */
export const scheduleRoutes: readonly Route[] = [
  ...scheduleListRoutes,
  { method: 'POST', path: '/api/schedules', scoped: false, handle: create },
  { method: 'POST', path: '/api/schedules/preview', scoped: false, handle: preview },
  { method: 'POST', path: '/api/schedules/bulk/enabled', scoped: false, handle: enableMany },
  { method: 'POST', path: '/api/schedules/bulk/delete', scoped: false, handle: removeMany },
  { method: 'PUT', path: '/api/schedules/:id', scoped: false, handle: replace },
  { method: 'DELETE', path: '/api/schedules/:id', scoped: false, handle: remove },
  { method: 'POST', path: '/api/schedules/:id/enabled', scoped: false, handle: enable },
  { method: 'POST', path: '/api/schedules/:id/run', scoped: false, handle: runNow },
];

const PREVIEW_COUNT = 10;

function create(core: Core, call: Call): Answer {
  const record: ScheduleRecord = {
    id: randomUUID(),
    owner: call.caller.user,
    ...NEVER_STARTED,
    ...readSettings(core.world, bodyFields(call.body), call.caller.user),
  };
  put(core.world.schedules, record);
  return saved(core, record, 'created');
}

/** PUT takes the create body and replaces the schedule: omitted fields get their defaults (§4). */
function replace(core: Core, call: Call): Answer {
  const record = find(core, call);
  Object.assign(record, readSettings(core.world, bodyFields(call.body), call.caller.user));
  return saved(core, record, 'updated');
}

function enable(core: Core, call: Call): Answer {
  const record = find(core, call);
  record.isEnabled = requiredFlag(bodyFields(call.body), 'isEnabled');
  return saved(core, record, 'updated');
}

function remove(core: Core, call: Call): Answer {
  core.world.schedules.delete(find(core, call).id.toLowerCase());
  return { message: 'The schedule was deleted.', data: null };
}

function preview(core: Core, call: Call): Answer {
  const settings = readSettings(core.world, bodyFields(call.body), call.caller.user);
  const runs = fireTimes(settings, core.clock(), PREVIEW_COUNT).map((time) => time.toISOString());
  return { data: runs };
}

/** Ids that do not exist are skipped, not an error (§4). */
function enableMany(core: Core, call: Call): Answer {
  const body = bodyFields(call.body);
  const isEnabled = requiredFlag(body, 'isEnabled');
  return bulk(core, call, (record) => {
    record.isEnabled = isEnabled;
  });
}

function removeMany(core: Core, call: Call): Answer {
  return bulk(core, call, (record) => core.world.schedules.delete(record.id.toLowerCase()));
}

function bulk(core: Core, call: Call, effect: (record: ScheduleRecord) => void): Answer {
  const ids = readIds(bodyFields(call.body));
  const found = ids.flatMap((id) => ownSchedule(core, call, id) ?? []);
  found.forEach(effect);
  const data = { affected: found.length, skipped: ids.length - found.length };
  return { message: `${found.length} schedule(s) changed.`, data };
}

function readIds(body: Fields): string[] {
  const ids = body.ids;
  const isId = (id: unknown): boolean => typeof id === 'string' || typeof id === 'number';
  if (!Array.isArray(ids) || !ids.every(isId)) throw badRequest("The field 'ids' must be an array of ids.");
  return [...new Set(ids.map((id) => String(id).toLowerCase()))];
}

/** Starts the target at once without changing the timetable; inputs are for that run only (§4). */
function runNow(core: Core, call: Call): Answer {
  const record = find(core, call);
  const inputs = optionalInputs(bodyFields(call.body)) ?? record.inputParameters;
  const at = core.clock().getTime();
  const data = refusedAs(undefined, () => startTarget(core.engine, record, inputs, at));
  return { message: 'The schedule was started.', data };
}

function saved(core: Core, record: ScheduleRecord, what: 'created' | 'updated'): Answer {
  return { message: `The schedule was ${what}.`, data: showSchedule(core, record) };
}

function find(core: Core, call: Call): ScheduleRecord {
  const record = ownSchedule(core, call, call.params.id ?? '');
  if (!record) throw notFound('The schedule');
  return record;
}

function ownSchedule({ world }: Core, { caller }: Call, id: string): ScheduleRecord | undefined {
  const record = byId(world.schedules, id);
  return record && isOwn(record, caller.user) ? record : undefined;
}
