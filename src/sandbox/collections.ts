import { randomUUID } from 'node:crypto';
import { isVisible } from './access.js';
import { type Answer, badRequest, type Call, type Core, notFound, Refusal, type Route } from './api.js';
import { bodyFields, optionalFlag, optionalInputs, optionalText, requiredText } from './body.js';
import {
  type CollectionKind,
  checkName,
  collectionsOf,
  readAgentIds,
  readName,
  showCollection,
} from './collection-rules.js';
import { byId, type CollectionRecord, put, type ScheduleRecord } from './world.js';

/** Groups and pipelines (interface.md §4): one set of handlers, since they differ in their rules alone. */

type Handler = (core: Core, call: Call) => Answer;

export const groupRoutes: readonly Route[] = routes('group', '/api/search-groups', 'members');
export const pipelineRoutes: readonly Route[] = routes('pipeline', '/api/pipelines', 'steps');

function routes(kind: CollectionKind, base: string, agents: string): Route[] {
  const one = `${base}/:id`;
  return [
    { method: 'GET', path: base, scoped: true, handle: list(kind) },
    { method: 'POST', path: base, scoped: true, handle: create(kind) },
    { method: 'GET', path: one, scoped: true, handle: read(kind) },
    { method: 'PUT', path: one, scoped: true, handle: update(kind) },
    { method: 'DELETE', path: one, scoped: true, handle: remove(kind) },
    { method: 'PUT', path: `${one}/${agents}`, scoped: true, handle: replaceAgents(kind) },
    { method: 'POST', path: `${one}/run`, scoped: true, handle: kind === 'group' ? runGroup : runPipeline },
  ];
}

function list(kind: CollectionKind): Handler {
  return ({ world }) => {
    const visible = [...collectionsOf(world, kind).values()].filter((record) => isVisible(world, record));
    return { kind, operation: 'list', data: visible.map((record) => showCollection(world, kind, record)) };
  };
}

function read(kind: CollectionKind): Handler {
  return (core, call) => ({
    kind,
    operation: 'read',
    data: showCollection(core.world, kind, find(core, kind, call)),
  });
}

function create(kind: CollectionKind): Handler {
  return (core, call) => {
    const body = bodyFields(call.body);
    const active = core.variants.has('create-honours-active') ? optionalFlag(body, 'isActive') : undefined;
    const record: CollectionRecord = {
      id: randomUUID(),
      name: checkName(core, kind, requiredText(body, 'name')),
      description: optionalText(body, 'description') ?? '',
      isActive: active ?? true,
      agentIds: readAgentIds(core, kind, body),
      canManage: true,
      activeRunCount: 0,
      lastRunStatus: null,
      lastRunAt: null,
    };
    put(collectionsOf(core.world, kind), record);
    return saved(core, kind, record, 'create');
  };
}

/** Omitted fields stay unchanged (§4). Everything is checked before anything is changed. */
function update(kind: CollectionKind): Handler {
  return (core, call) => {
    const record = findManaged(core, kind, call);
    const body = bodyFields(call.body);
    const sent = readName(body);
    const name = sent === undefined ? record.name : checkName(core, kind, sent, record);
    const description = optionalText(body, 'description') ?? record.description;
    const isActive = optionalFlag(body, 'isActive') ?? record.isActive;
    Object.assign(record, { name, description, isActive });
    return saved(core, kind, record, 'update');
  };
}

function replaceAgents(kind: CollectionKind): Handler {
  return (core, call) => {
    const record = findManaged(core, kind, call);
    record.agentIds = readAgentIds(core, kind, bodyFields(call.body));
    return saved(core, kind, record, 'update');
  };
}

function remove(kind: CollectionKind): Handler {
  return (core, call) => {
    const done: Answer = { kind, operation: 'delete', message: `The ${kind} was deleted.`, data: null };
    if (core.variants.has('delete-missing-ok') && !lookUp(core, kind, call)) return done;
    const record = findManaged(core, kind, call);
    const targeting = schedulesOf(core, kind, record);
    if (targeting.length > 0 && core.variants.has('delete-refuses-targeted')) {
      throw new Refusal(409, `The ${kind} is the target of ${targeting.length} schedule(s).`);
    }
    if (core.variants.has('delete-cascades')) {
      for (const schedule of targeting) core.world.schedules.delete(schedule.id.toLowerCase());
    }
    collectionsOf(core.world, kind).delete(record.id.toLowerCase());
    return done;
  };
}

function schedulesOf(core: Core, kind: CollectionKind, record: CollectionRecord): ScheduleRecord[] {
  const type = kind === 'group' ? 'Group' : 'Pipeline';
  const id = record.id.toLowerCase();
  return [...core.world.schedules.values()].filter(
    (schedule) => schedule.targetType === type && schedule.targetId.toLowerCase() === id,
  );
}

function saved(
  core: Core,
  kind: CollectionKind,
  record: CollectionRecord,
  operation: 'create' | 'update',
): Answer {
  const message = `The ${kind} was ${operation}d.`;
  return { kind, operation, message, data: showCollection(core.world, kind, record) };
}

function lookUp(core: Core, kind: CollectionKind, call: Call): CollectionRecord | undefined {
  return byId(collectionsOf(core.world, kind), call.params.id ?? '');
}

function find(core: Core, kind: CollectionKind, call: Call): CollectionRecord {
  const record = lookUp(core, kind, call);
  const shown = record && (core.variants.has('hidden-by-id') || isVisible(core.world, record));
  if (!shown) throw notFound(`The ${kind}`);
  return record;
}

/** Edits with `canManage` false return 404 (§4). */
function findManaged(core: Core, kind: CollectionKind, call: Call): CollectionRecord {
  const record = find(core, kind, call);
  if (!record.canManage) throw notFound(`The ${kind}`);
  return record;
}

/** The sandbox has no execution engine: a run has succeeded as soon as it starts. */
export function startCollection(core: Core, kind: CollectionKind, record: CollectionRecord): string {
  if (!record.isActive) throw badRequest(`The ${kind} is disabled and cannot be run.`);
  record.lastRunStatus = kind === 'group' ? 'Succeeded' : 'Completed';
  record.lastRunAt = core.clock().toISOString();
  return randomUUID();
}

function runGroup(core: Core, call: Call): Answer {
  const group = lookUp(core, 'group', call);
  if (!group || !isVisible(core.world, group)) throw notFound('The group');
  optionalInputs(bodyFields(call.body));
  const groupRunId = startCollection(core, 'group', group);
  const data = { groupId: group.id, groupRunId, memberCount: group.agentIds.length };
  return { kind: 'none', operation: 'other', message: 'The group run was started.', data };
}

/** A pipeline with an unassigned agent gives 403 FORBIDDEN here, not 404 (§4, Pipelines). */
function runPipeline(core: Core, call: Call): Answer {
  const pipeline = lookUp(core, 'pipeline', call);
  if (!pipeline) throw notFound('The pipeline');
  if (!isVisible(core.world, pipeline)) {
    throw new Refusal(403, 'The pipeline includes an agent that is not assigned to you.', 'FORBIDDEN');
  }
  const pipelineRunId = startCollection(core, 'pipeline', pipeline);
  const data = { pipelineRunId, stepCount: pipeline.agentIds.length };
  return { kind: 'none', operation: 'other', message: 'The pipeline run was started.', data };
}
