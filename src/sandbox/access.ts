import { type AgentRecord, byId, type CollectionRecord, type ScheduleRecord, type World } from './world.js';

/** What the caller can see (interface.md §1, convention 10). */

/** An agent that exists and is assigned to the caller or the caller's company. */
export function visibleAgent(world: World, id: string): AgentRecord | undefined {
  const agent = byId(world.agents, id);
  return agent?.assigned ? agent : undefined;
}

/** A group or pipeline is visible if all its agents are assigned, or if it has none. */
export function isVisible(world: World, collection: CollectionRecord): boolean {
  return collection.agentIds.every((id) => visibleAgent(world, id) !== undefined);
}

/** The name of the agent, group or pipeline that a schedule starts; undefined if it does not exist or is hidden. */
export function targetName(
  world: World,
  schedule: Pick<ScheduleRecord, 'targetType' | 'targetId'>,
): string | undefined {
  if (schedule.targetType === 'Agent') return visibleAgent(world, schedule.targetId)?.name;
  const records = schedule.targetType === 'Group' ? world.groups : world.pipelines;
  const found = byId(records, schedule.targetId);
  return found && isVisible(world, found) ? found.name : undefined;
}
