import { type AgentRecord, byId, type World } from '../world.js';
import type { GroupRunRecord, JobRecord, RunRecord } from './records.js';

/** The state of runs, jobs and group runs at an instant (interface.md §3). */

export type Phase = 'starting' | 'running' | 'delivery' | 'succeeded' | 'failed' | 'stopped';

export function phaseOf(run: RunRecord, now: number): Phase {
  if (run.endsAt === null) return now < run.startedAt + 1_000 ? 'starting' : 'running';
  if (now >= run.endsAt) return run.outcome === 'lost' ? 'failed' : run.outcome;
  const done = (now - run.startedAt) / (run.endsAt - run.startedAt);
  return done < 0.1 ? 'starting' : done < 0.9 ? 'running' : 'delivery';
}

export function isActive(run: RunRecord, now: number): boolean {
  return run.endsAt === null || now < run.endsAt;
}

/** How much of the run's work is visible at an instant. A stopped run keeps what it had. */
function progressOf(run: RunRecord, now: number): number {
  const until = Math.min(now, run.endsAt ?? now);
  const planned = run.seconds * 1000;
  if (run.outcome !== 'stopped' && !isActive(run, now)) return 1;
  return planned === 0 ? 1 : Math.min(0.99, Math.max(0, (until - run.startedAt) / planned));
}

export function runsOf(world: World, job: JobRecord): RunRecord[] {
  return job.runIds.flatMap((id) => world.runs.get(id) ?? []);
}

/** 1 and 2: in progress, 2 if a run has failed. 3: all succeeded. 4: some succeeded. 5: none did (§3, Job status). */
export type JobStatus = 1 | 2 | 3 | 4 | 5;

export function jobStatus(world: World, job: JobRecord, now: number): JobStatus {
  const phases = runsOf(world, job).map((run) => phaseOf(run, now));
  const failed = phases.some((phase) => phase === 'failed' || phase === 'stopped');
  if (phases.some((phase) => ['starting', 'running', 'delivery'].includes(phase))) return failed ? 2 : 1;
  if (!failed) return 3;
  return phases.includes('succeeded') ? 4 : 5;
}

export function isTerminal(status: JobStatus): boolean {
  return status >= 3;
}

/** `behind`: nothing succeeded. A run of a group without members has nothing that could fail. */
export type GroupRunStatus = 'ontrack' | 'completed' | 'atrisk' | 'behind';

export function groupRunStatus(world: World, run: GroupRunRecord, now: number): GroupRunStatus {
  const statuses = memberStatuses(world, run, now);
  if (statuses.some((status) => status === 'pending' || status === 1 || status === 2)) return 'ontrack';
  if (statuses.every((status) => status === 3)) return 'completed';
  return statuses.includes(3) ? 'atrisk' : 'behind';
}

type MemberStatus = JobStatus | 'pending' | 'notStarted';

export function memberStatuses(world: World, run: GroupRunRecord, now: number): MemberStatus[] {
  return run.members.map(({ jobId, reason }) => {
    if (reason !== null) return 'notStarted';
    const job = jobId === null ? undefined : world.jobs.get(jobId);
    return job === undefined ? 'pending' : jobStatus(world, job, now);
  });
}

/** The value of a field so far, by the progress of the run. */
export function counted(
  run: RunRecord,
  field: 'records' | 'errors' | 'pages' | 'requests',
  now: number,
): number {
  return Math.floor(run[field] * progressOf(run, now));
}

export function agentOf(world: World, { agentId }: { agentId: string }): AgentRecord | undefined {
  return byId(world.agents, agentId);
}
