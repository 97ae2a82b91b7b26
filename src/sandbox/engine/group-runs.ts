import { visibleAgent } from '../access.js';
import type { CollectionRecord } from '../world.js';
import { startJob } from './jobs.js';
import { groupRunStatus } from './phase.js';
import type { GroupRunMember, GroupRunRecord, JobRecord, Origin } from './records.js';
import { nextSeq, type Simulation, StartRefused } from './simulation.js';

/** Group runs: every member is started in the background, one after another (interface.md §4, Agent groups). */

type RunOrigin = Omit<Origin, 'groupRunId' | 'pipelineRunId'>;

export function startGroupRun(
  sim: Simulation,
  group: CollectionRecord,
  origin: RunOrigin,
  at: number,
): GroupRunRecord {
  const stagger = sim.world.settings.staggerSeconds * 1000;
  const run: GroupRunRecord = {
    ...origin,
    id: sim.newId(),
    seq: nextSeq(sim.world),
    groupId: group.id,
    groupName: group.name,
    startedAt: at,
    finishedAt: group.agentIds.length === 0 ? at : null,
    members: group.agentIds.map((agentId, index) => ({
      agentId,
      startsAt: at + index * stagger,
      jobId: null,
      reason: null,
    })),
  };
  sim.world.groupRuns.set(run.id, run);
  scheduleMembers(sim, run);
  return run;
}

/** Also for the group runs of a data file. */
export function scheduleMembers(sim: Simulation, run: GroupRunRecord): void {
  for (const member of run.members) {
    if (member.jobId !== null || member.reason !== null) continue;
    sim.agenda.add({ at: member.startsAt, run: (at) => startPlanned(sim, run, member, at) });
  }
}

function startPlanned(sim: Simulation, run: GroupRunRecord, member: GroupRunMember, at: number): void {
  if (sim.world.groupRuns.get(run.id) !== run || member.jobId !== null || member.reason !== null) return;
  try {
    startMember(sim, run, member, at);
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    member.reason = error.message;
    noteFinished(sim, run, at);
  }
}

/** Throws StartRefused. Also starts a member again that never started. */
export function startMember(
  sim: Simulation,
  run: GroupRunRecord,
  member: GroupRunMember,
  at: number,
): JobRecord {
  const agent = visibleAgent(sim.world, member.agentId, run.owner);
  if (!agent) throw new StartRefused('The agent is no longer assigned to you.');
  const job = startJob(sim, agent, { ...run, groupRunId: run.id, pipelineRunId: null }, at);
  member.jobId = job.id;
  member.reason = null;
  run.finishedAt = null;
  return job;
}

export function noteFinished(sim: Simulation, run: GroupRunRecord, at: number): void {
  if (groupRunStatus(sim.world, run, at) !== 'ontrack') run.finishedAt = at;
}
