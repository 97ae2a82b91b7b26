import { isVisible, visibleAgent } from '../access.js';
import { byId, CALLER, put, type ScheduleRecord } from '../world.js';
import { startGroupRun, startPipelineRun } from './collection-runs.js';
import { startJob } from './jobs.js';
import type { Origin } from './records.js';
import { type Simulation, StartRefused } from './simulation.js';

/** What a schedule starts, when it is due or with run-now (interface.md §4, Schedules). */

/** The id of what was started, under the name that run-now returns it by. */
export type ScheduleStart = { agentJobId: string } | { groupRunId: string } | { pipelineRunId: string };

/** A start that is refused is noted in `errorMessage`; the next one is tried all the same. */
export function fireSchedule(sim: Simulation, record: ScheduleRecord, at: number): void {
  if (sim.world.schedules.get(record.id.toLowerCase()) !== record || !record.isEnabled) return;
  record.startingUntil = at + 1_000;
  put(sim.world, 'schedules', record);
  try {
    startTarget(sim, record, record.inputParameters, at);
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
  }
}

/** Throws StartRefused, after it has noted the reason. */
export function startTarget(
  sim: Simulation,
  record: ScheduleRecord,
  inputParameters: string,
  at: number,
): ScheduleStart {
  try {
    const started = start(sim, record, inputParameters, at);
    record.lastRunTime = new Date(at).toISOString();
    record.lastJobId = Object.values(started)[0] ?? null;
    record.lastJobStatusName = null;
    record.errorMessage = null;
    return started;
  } catch (error) {
    if (error instanceof StartRefused) record.errorMessage = error.message;
    throw error;
  } finally {
    put(sim.world, 'schedules', record);
  }
}

function start(sim: Simulation, record: ScheduleRecord, inputParameters: string, at: number): ScheduleStart {
  const owner = record.owner ?? CALLER;
  const { world } = sim;
  const origin: Origin = {
    owner,
    inputParameters,
    trigger: 'Schedule',
    scheduleId: record.id,
    groupRunId: null,
    pipelineRunId: null,
  };
  if (record.targetType === 'Agent') {
    const agent = visibleAgent(world, record.targetId, owner);
    if (!agent) throw new StartRefused('The agent of this schedule is not accessible.');
    return { agentJobId: startJob(sim, agent, origin, at).id };
  }
  const isGroup = record.targetType === 'Group';
  const target = byId(isGroup ? world.groups : world.pipelines, record.targetId);
  const kind = isGroup ? 'group' : 'pipeline';
  if (!target || !isVisible(world, target, owner))
    throw new StartRefused(`The ${kind} of this schedule is not accessible.`);
  if (!target.isActive) throw new StartRefused(`The ${kind} is disabled and cannot be run.`);
  if (isGroup) return { groupRunId: startGroupRun(sim, target, origin, at).id };
  return { pipelineRunId: startPipelineRun(sim, target, origin, at).id };
}
