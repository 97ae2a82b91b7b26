import {
  type AgentRecord,
  byId,
  CALLER,
  type CollectionRecord,
  DEFAULT_COMPANY,
  type ScheduleRecord,
  type World,
} from './world.js';

/** What a user can see (interface.md §1, convention 10). Other people's jobs, schedules and keys do not exist for it. */

export function companyOf(world: World, user: string): string | null {
  const known = world.users.get(user);
  return known === undefined ? DEFAULT_COMPANY : known.company;
}

/** An agent that exists and is assigned to the user or the user's company. */
export function visibleAgent(world: World, id: string, user = CALLER): AgentRecord | undefined {
  const agent = byId(world.agents, id);
  return agent && isAssigned(world, agent, user) ? agent : undefined;
}

export function isAssigned(world: World, agent: AgentRecord, user: string): boolean {
  if (!agent.assigned || agent.assignedTo === undefined) return agent.assigned;
  const company = companyOf(world, user);
  return agent.assignedTo.some((name) => name === user || name === company);
}

/** Those that the key of the sandbox sees. */
export function agentsOfCaller(world: World): AgentRecord[] {
  return [...world.agents.values()].filter((agent) => isAssigned(world, agent, CALLER));
}

/** A group or pipeline is visible if all its agents are assigned, or if it has none. */
export function isVisible(world: World, collection: CollectionRecord, user = CALLER): boolean {
  return collection.agentIds.every((id) => visibleAgent(world, id, user) !== undefined);
}

/** Groups and pipelines of the operator, and of other users, can be run but not changed (§2). */
export function canManage(collection: CollectionRecord, user: string): boolean {
  return collection.canManage && isOwn(collection, user);
}

export function isOwn({ owner = CALLER }: { owner?: string }, user: string): boolean {
  return owner === user;
}

/** The name of the agent, group or pipeline that a schedule starts; undefined if it does not exist or is hidden. */
export function targetName(
  world: World,
  schedule: Pick<ScheduleRecord, 'targetType' | 'targetId'>,
  user = CALLER,
): string | undefined {
  if (schedule.targetType === 'Agent') return visibleAgent(world, schedule.targetId, user)?.name;
  const records = schedule.targetType === 'Group' ? world.groups : world.pipelines;
  const found = byId(records, schedule.targetId);
  return found && isVisible(world, found, user) ? found.name : undefined;
}
