import { randomUUID } from 'node:crypto';
import { isVisible, visibleAgent } from '../access.js';
import { type Answer, badRequest, type Call, type Core, notFound, type Route } from '../api.js';
import { bodyFields, type Fields, optionalInputs, requiredFlag } from '../body.js';
import { startCollection } from '../collections.js';
import { byId, NEVER_STARTED, put, type ScheduleRecord } from '../world.js';
import { scheduleListRoutes } from './lists.js';
import { readSettings } from './rules.js';
import { fireTimes } from './timetable.js';
import { showSchedule } from './view.js';

/** Schedules (interface.md §4). The sandbox computes their times but does not fire them: only run-now starts a run. */
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
    ...readSettings(core.world, bodyFields(call.body)),
    id: randomUUID(),
    ...NEVER_STARTED,
  };
  put(core.world.schedules, record);
  return saved(core, record, 'created');
}

/** PUT takes the create body and replaces the schedule: omitted fields get their defaults (§4). */
function replace(core: Core, call: Call): Answer {
  const record = find(core, call);
  Object.assign(record, readSettings(core.world, bodyFields(call.body)));
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
  const settings = readSettings(core.world, bodyFields(call.body));
  const runs = fireTimes(settings, core.clock(), PREVIEW_COUNT).map((time) => time.toISOString());
  return { data: runs };
}

/** Ids that do not exist are skipped, not an error (§4). */
function enableMany(core: Core, call: Call): Answer {
  const body = bodyFields(call.body);
  const isEnabled = requiredFlag(body, 'isEnabled');
  return bulk(core, body, (record) => {
    record.isEnabled = isEnabled;
  });
}

function removeMany(core: Core, call: Call): Answer {
  return bulk(core, bodyFields(call.body), (record) => core.world.schedules.delete(record.id.toLowerCase()));
}

function bulk(core: Core, body: Fields, effect: (record: ScheduleRecord) => void): Answer {
  const ids = readIds(body);
  const found = ids.flatMap((id) => byId(core.world.schedules, id) ?? []);
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

/** Starts the target at once without changing the timetable (§4). The run succeeds as soon as it starts. */
function runNow(core: Core, call: Call): Answer {
  const record = find(core, call);
  optionalInputs(bodyFields(call.body));
  const data = start(core, record);
  record.lastRunTime = core.clock().toISOString();
  record.lastJobStatusName = 'Succeeded';
  record.lastJobId = Object.values(data)[0] ?? null;
  return { message: 'The schedule was started.', data };
}

function start(core: Core, { targetType, targetId }: ScheduleRecord): Record<string, string> {
  if (targetType === 'Agent') {
    if (!visibleAgent(core.world, targetId))
      throw badRequest('The agent of this schedule is not accessible.');
    return { agentJobId: randomUUID() };
  }
  const kind = targetType === 'Group' ? 'group' : 'pipeline';
  const target = byId(kind === 'group' ? core.world.groups : core.world.pipelines, targetId);
  if (!target || !isVisible(core.world, target)) {
    throw badRequest(`The ${kind} of this schedule is not accessible.`);
  }
  return { [`${kind}RunId`]: startCollection(core, kind, target) };
}

function saved(core: Core, record: ScheduleRecord, what: 'created' | 'updated'): Answer {
  return { message: `The schedule was ${what}.`, data: showSchedule(core, record) };
}

function find(core: Core, call: Call): ScheduleRecord {
  const record = byId(core.world.schedules, call.params.id ?? '');
  if (!record) throw notFound('The schedule');
  return record;
}
