import { randomUUID } from 'node:crypto';
import { canManage, isVisible, visibleAgent } from './access.js';
import { type Answer, badRequest, type Call, type Core, notFound, Refusal, type Route } from './api.js';
import {
  bodyFields,
  type Fields,
  optionalFlag,
  optionalInputs,
  optionalText,
  requiredText,
  requiredTexts,
} from './body.js';
import { startGroupRun, startPipelineRun } from './engine/collection-runs.js';
import { isActive, memberStatuses } from './engine/phase.js';
import type { GroupRunRecord } from './engine/records.js';
import { isoTime } from './instants.js';
import {
  byId,
  CALLER,
  type CollectionRecord,
  isGuid,
  NEVER_RUN,
  put,
  remove as removeRecord,
  type World,
} from './world.js';

/** Groups and pipelines (interface.md §4): one set of handlers, because only their rules differ. */

export const groupRoutes: readonly Route[] = routes('group', '/api/search-groups', 'members');
export const pipelineRoutes: readonly Route[] = routes('pipeline', '/api/pipelines', 'steps');

function routes(kind: CollectionKind, base: string, agents: string): Route[] {
  const one = `${base}/:id`;
  const of =
    (handler: (kind: CollectionKind, core: Core, call: Call) => Answer): Route['handle'] =>
    (core, call) =>
      handler(kind, core, call);
  return [
    { method: 'GET', path: base, scoped: true, handle: of(list) },
    { method: 'POST', path: base, scoped: true, handle: of(create) },
    { method: 'GET', path: one, scoped: true, handle: of(read) },
    { method: 'PUT', path: one, scoped: true, handle: of(update) },
    { method: 'DELETE', path: one, scoped: true, handle: of(remove) },
    { method: 'PUT', path: `${one}/${agents}`, scoped: true, handle: of(replaceAgents) },
    { method: 'POST', path: `${one}/run`, scoped: true, handle: kind === 'group' ? runGroup : runPipeline },
  ];
}

function list(kind: CollectionKind, core: Core, { caller: { user } }: Call): Answer {
  const all = [...collectionsOf(core.world, kind).values()];
  const visible = all.filter((record) => isVisible(core.world, record, user));
  return { data: visible.map((record) => showCollection(core, kind, record, user)) };
}

function read(kind: CollectionKind, core: Core, call: Call): Answer {
  return { data: showCollection(core, kind, find(core, kind, call), call.caller.user) };
}

function create(kind: CollectionKind, core: Core, call: Call): Answer {
  const body = bodyFields(call.body);
  const record: CollectionRecord = {
    id: randomUUID(),
    name: checkName(requiredText(body, 'name')),
    description: optionalText(body, 'description') ?? '',
    isActive: true,
    agentIds: readAgentIds(core.world, kind, body, call.caller.user),
    canManage: true,
    owner: call.caller.user,
    ...NEVER_RUN,
  };
  return saved(core, kind, call, record, 'created');
}

/** Omitted fields stay unchanged (§4). Everything is checked before anything is changed. */
function update(kind: CollectionKind, core: Core, call: Call): Answer {
  const record = findManaged(core, kind, call);
  const body = bodyFields(call.body);
  const sent = optionalText(body, 'name');
  const name = sent === undefined ? record.name : checkName(sent);
  const description = optionalText(body, 'description') ?? record.description;
  const isActive = optionalFlag(body, 'isActive') ?? record.isActive;
  Object.assign(record, { name, description, isActive });
  return saved(core, kind, call, record, 'updated');
}

function replaceAgents(kind: CollectionKind, core: Core, call: Call): Answer {
  const record = findManaged(core, kind, call);
  record.agentIds = readAgentIds(core.world, kind, bodyFields(call.body), call.caller.user);
  return saved(core, kind, call, record, 'updated');
}

function remove(kind: CollectionKind, core: Core, call: Call): Answer {
  const record = findManaged(core, kind, call);
  removeRecord(core.world, sectionOf(kind), record.id);
  return { message: `The ${kind} was deleted.`, data: null };
}

function saved(
  core: Core,
  kind: CollectionKind,
  { caller }: Call,
  record: CollectionRecord,
  what: 'created' | 'updated',
): Answer {
  put(core.world, sectionOf(kind), record);
  return { message: `The ${kind} was ${what}.`, data: showCollection(core, kind, record, caller.user) };
}

function lookUp(core: Core, kind: CollectionKind, call: Call): CollectionRecord | undefined {
  return byId(collectionsOf(core.world, kind), call.params.id ?? '');
}

function find(core: Core, kind: CollectionKind, call: Call): CollectionRecord {
  const record = lookUp(core, kind, call);
  if (!record || !isVisible(core.world, record, call.caller.user)) throw notFound(`The ${kind}`);
  return record;
}

/** Edits with `canManage` false return 404 (§4). */
function findManaged(core: Core, kind: CollectionKind, call: Call): CollectionRecord {
  const record = find(core, kind, call);
  if (!canManage(record, call.caller.user)) throw notFound(`The ${kind}`);
  return record;
}

function checkActive(kind: CollectionKind, { isActive }: CollectionRecord): void {
  if (!isActive) throw badRequest(`The ${kind} is disabled and cannot be run.`);
}

function runGroup(core: Core, call: Call): Answer {
  const group = find(core, 'group', call);
  const inputParameters = optionalInputs(bodyFields(call.body)) ?? '{}';
  checkActive('group', group);
  const { id: groupRunId } = startGroupRun(
    core.engine,
    group,
    { ...manual(call), inputParameters },
    timeOf(core),
  );
  const data = { groupId: group.id, groupRunId, memberCount: group.agentIds.length };
  return { message: 'The group run was started.', data };
}

/** A pipeline with an unassigned agent gives 403 FORBIDDEN here, not 404 (§4, Pipelines). */
function runPipeline(core: Core, call: Call): Answer {
  const pipeline = lookUp(core, 'pipeline', call);
  if (!pipeline) throw notFound('The pipeline');
  if (!isVisible(core.world, pipeline, call.caller.user)) {
    throw new Refusal(403, 'The pipeline includes an agent that is not assigned to you.', 'FORBIDDEN');
  }
  checkActive('pipeline', pipeline);
  const { id: pipelineRunId } = startPipelineRun(core.engine, pipeline, manual(call), timeOf(core));
  const data = { pipelineRunId, stepCount: pipeline.agentIds.length };
  return { message: 'The pipeline run was started.', data };
}

function manual({ caller }: Call): { owner: string; trigger: 'Manual'; scheduleId: null } {
  return { owner: caller.user, trigger: 'Manual', scheduleId: null };
}

function timeOf({ clock }: Core): number {
  return clock().getTime();
}

export type CollectionKind = 'group' | 'pipeline';

const MAX_NAME_CHARACTERS = 200;
const MAX_STAGES = 25;

function sectionOf(kind: CollectionKind): 'groups' | 'pipelines' {
  return kind === 'group' ? 'groups' : 'pipelines';
}

export function collectionsOf(world: World, kind: CollectionKind): Map<string, CollectionRecord> {
  return world[sectionOf(kind)];
}

/** Names need not be unique. */
function checkName(name: string): string {
  if (name.trim() === '') throw badRequest("The field 'name' must not be empty.");
  if (name.length > MAX_NAME_CHARACTERS)
    throw badRequest(`The field 'name' has more than ${MAX_NAME_CHARACTERS} characters.`);
  return name;
}

/** `agentIds` of a body as ids of visible agents: a set for a group, a sequence for a pipeline. */
export function readAgentIds(world: World, kind: CollectionKind, body: Fields, user = CALLER): string[] {
  const ids = requiredTexts(body, 'agentIds').map((id) => assignedId(world, id, user));
  return kind === 'pipeline' ? checkChain(ids) : [...new Set(ids)];
}

function assignedId(world: World, id: string, user: string): string {
  if (!isGuid(id)) throw badRequest(`'${id}' is not an agent id. An agent id is a GUID.`);
  const agent = visibleAgent(world, id, user);
  if (!agent) throw badRequest(`The agent '${id}' does not exist or is not assigned to you.`);
  return agent.id;
}

/** At most 25 stages, each agent at most once (§4, Pipelines). */
function checkChain(ids: string[]): string[] {
  if (ids.length > MAX_STAGES) throw badRequest(`A pipeline has at most ${MAX_STAGES} stages.`);
  const repeated = ids.find((id, index) => ids.indexOf(id) < index);
  if (repeated !== undefined) throw badRequest(`The agent '${repeated}' appears more than once.`);
  return ids;
}

/** A group or pipeline as the response to a user shows it, with its members or its steps, and its latest run. */
function showCollection(core: Core, kind: CollectionKind, record: CollectionRecord, user: string): Fields {
  const { world } = core;
  const { id, agentIds, owner: _owner, ...stored } = record;
  const agents = agentIds.map((scraperAgentId) => ({
    scraperAgentId,
    externalAgentId: byId(world.agents, scraperAgentId)?.externalAgentId ?? '',
  }));
  const list =
    kind === 'group'
      ? { memberCount: agents.length, members: agents }
      : { stepCount: agents.length, steps: agents.map((agent, sortOrder) => ({ sortOrder, ...agent })) };
  // A spread at the beginning would give each object a shape of its own.
  return { id, ...stored, canManage: canManage(record, user), ...latestRun(core, kind, id), ...list };
}

/** The latest run of a group or pipeline, and how many are in progress (interface.md §2). */
export interface LatestRun {
  activeRunCount: number;
  lastRunStatus: string | null;
  lastRunAt: string | null;
}

/** Empty when the sandbox remembers no run of it: what its record says then stays. */
function latestRun(core: Core, kind: 'group' | 'pipeline', id: string): LatestRun | Record<string, never> {
  return kind === 'group' ? latestGroupRun(core, id) : latestPipelineRun(core, id);
}

function latestGroupRun({ world, clock }: Core, id: string): LatestRun | Record<string, never> {
  const runs = [...world.groupRuns.values()].filter((run) => run.groupId === id);
  const last = runs.at(-1);
  if (last === undefined) return {};
  const now = clock().getTime();
  const open = runs.filter((run) => run.finishedAt === null);
  return {
    activeRunCount: open.reduce((sum, run) => sum + activeMembers(world, run, now), 0),
    lastRunStatus: groupStatus(world, last, now),
    lastRunAt: isoTime(last.startedAt),
  };
}

function activeMembers(world: World, run: GroupRunRecord, now: number): number {
  return memberStatuses(world, run, now).filter((status) => status === 1 || status === 2).length;
}

/** `Stalled`: only runs that the execution engine has lost are left. */
function groupStatus(world: World, run: GroupRunRecord, now: number): string {
  const statuses = memberStatuses(world, run, now);
  if (statuses.length > 0 && statuses.every((status) => status === 'pending')) return 'Pending';
  if (statuses.includes('pending')) return 'Running';
  if (statuses.some((status) => status === 1 || status === 2))
    return isStalled(world, run, now) ? 'Stalled' : 'Running';
  return statuses.every((status) => status === 3) ? 'Succeeded' : 'Failed';
}

function isStalled(world: World, { id }: GroupRunRecord, now: number): boolean {
  const active = [...world.runs.values()].filter((run) => run.groupRunId === id && isActive(run, now));
  return active.every((run) => run.endsAt === null && now > run.startedAt + run.seconds * 1000);
}

function latestPipelineRun({ world }: Core, id: string): LatestRun | Record<string, never> {
  const runs = [...world.pipelineRuns.values()].filter((run) => run.pipelineId === id);
  const last = runs.at(-1);
  if (last === undefined) return {};
  const activeRunCount = runs.filter((run) => run.status === 'Running').length;
  return { activeRunCount, lastRunStatus: last.status, lastRunAt: isoTime(last.startedAt) };
}
