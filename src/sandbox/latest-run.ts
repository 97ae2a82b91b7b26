import type { Core } from './api.js';
import { isActive, memberStatuses } from './engine/jobs.js';
import type { GroupRunRecord } from './engine/records.js';
import { isoTime } from './instants.js';
import type { World } from './world.js';

/** The latest run of a group or pipeline, and how many are in progress (interface.md §2). */
export interface LatestRun {
  activeRunCount: number;
  lastRunStatus: string | null;
  lastRunAt: string | null;
}

/** Empty when the sandbox remembers no run of it: what its record says then stays. */
export function latestRun(
  core: Core,
  kind: 'group' | 'pipeline',
  id: string,
): LatestRun | Record<string, never> {
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
