import { visibleAgent } from './access.js';
import { badRequest, type Core } from './api.js';
import { type Fields, optionalText, requiredTexts } from './body.js';
import { byId, type CollectionRecord, isGuid, type World } from './world.js';

/** What the service checks in the bodies of groups and pipelines (interface.md §4 and §8). */

export type CollectionKind = 'group' | 'pipeline';

const MAX_NAME = 200;
const MAX_STAGES = 25;

export function collectionsOf(world: World, kind: CollectionKind): Map<string, CollectionRecord> {
  return kind === 'group' ? world.groups : world.pipelines;
}

/** A name that was sent. Names need not be unique, unless the variant says so. */
export function checkName(core: Core, kind: CollectionKind, name: string, self?: CollectionRecord): string {
  if (name.trim() === '') throw badRequest("The field 'name' must not be empty.");
  if (name.length > MAX_NAME) throw badRequest(`The field 'name' has more than ${MAX_NAME} characters.`);
  if (core.variants.has('duplicate-names-refused')) {
    const others = [...collectionsOf(core.world, kind).values()].filter((other) => other !== self);
    if (others.some((other) => other.name === name)) throw badRequest(`A ${kind} named '${name}' exists.`);
  }
  return name;
}

export function readName(body: Fields): string | undefined {
  return optionalText(body, 'name');
}

/** `agentIds` of a body as the ids of visible agents: a set for a group, a chain for a pipeline. */
export function readAgentIds(core: Core, kind: CollectionKind, body: Fields): string[] {
  const ids = requiredTexts(body, 'agentIds').map((id) => assignedId(core.world, id));
  if (ids.length === 0 && core.variants.has('empty-refused')) throw badRequest(`A ${kind} needs an agent.`);
  if (kind === 'pipeline') return checkChain(ids);
  if (new Set(ids).size < ids.length && core.variants.has('duplicate-members-refused')) {
    throw badRequest('An agent appears twice in the group.');
  }
  return [...new Set(ids)];
}

function assignedId(world: World, id: string): string {
  if (!isGuid(id))
    throw badRequest(`'${id}' is not an agent id. Agents are named by their id (a GUID) here.`);
  const agent = visibleAgent(world, id);
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

/** A group or pipeline as the interface shows it, with its members or its steps. */
export function showCollection(world: World, kind: CollectionKind, record: CollectionRecord): Fields {
  const { agentIds, ...shown } = record;
  const agents = agentIds.map((scraperAgentId) => ({
    scraperAgentId,
    externalAgentId: byId(world.agents, scraperAgentId)?.externalAgentId ?? '',
  }));
  if (kind === 'group') return { ...shown, memberCount: agents.length, members: agents };
  const steps = agents.map((agent, sortOrder) => ({ sortOrder, ...agent }));
  return { ...shown, stepCount: steps.length, steps };
}
