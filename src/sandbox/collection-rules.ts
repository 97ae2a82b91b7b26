import { canManage, visibleAgent } from './access.js';
import { badRequest, type Core } from './api.js';
import { type Fields, requiredTexts } from './body.js';
import { latestRun } from './latest-run.js';
import { byId, CALLER, type CollectionRecord, isGuid, type World } from './world.js';

/** The rules for bodies of groups and pipelines (interface.md §4 and §8). */

export type CollectionKind = 'group' | 'pipeline';

const MAX_NAME_CHARACTERS = 200;
const MAX_STAGES = 25;

export function collectionsOf(world: World, kind: CollectionKind): Map<string, CollectionRecord> {
  return kind === 'group' ? world.groups : world.pipelines;
}

/** Names need not be unique. */
export function checkName(name: string): string {
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
export function showCollection(
  core: Core,
  kind: CollectionKind,
  record: CollectionRecord,
  user: string,
): Fields {
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
